import Testing

@testable import GatewayService

@Suite("The parser of multipart/form-data (TASK-8)")
struct MultipartParserTests {
  /// What a body holds: its parts with their whole contents, or why it is not taken.
  private static func read(
    _ body: [UInt8], in pieces: [Int], boundary: String = "x", _ limits: MultipartLimits = MultipartLimits(fileBytes: 1000)
  ) -> Result<[String], MultipartParser.Fault> {
    do throws(MultipartParser.Fault) {
      var parser = try MultipartParser(contentType: "multipart/form-data; boundary=\(boundary)", limits)
      var parts: [String] = []
      var content: [UInt8]?
      var rest = body[...]
      for piece in pieces + [body.count] {
        let bytes = Array(rest.prefix(piece))
        rest = rest.dropFirst(piece)
        for event in try parser.read(bytes) {
          switch event {
          case .part(let head):
            #expect(content == nil)
            content = []
            parts.append([head.name, head.fileName ?? "-", head.mediaType ?? "-"].joined(separator: "|"))
          case .bytes(let more):
            #expect(content != nil && !more.isEmpty)
            content?.append(contentsOf: more)
          case .partEnd:
            parts[parts.count - 1] += "|" + String(decoding: content ?? [], as: UTF8.self)
            content = nil
          }
        }
      }
      try parser.end()
      return .success(parts)
    } catch {
      return .failure(error)
    }
  }

  private static let token = "Content-Disposition: form-data; name=\"token\"\r\n\r\n"
  private static let file =
    "Content-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\n"

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let body: String
    let parts: Result<[String], MultipartParser.Fault>

    init(_ description: String, _ body: String, _ parts: [String]) {
      (testDescription, self.body, self.parts) = (description, body, .success(parts))
    }

    init(_ description: String, _ body: String, _ fault: MultipartParser.Fault) {
      (testDescription, self.body, parts) = (description, body, .failure(fault))
    }
  }

  static let cases = [
    Case(
      "a field and a file", "--x\r\n\(token)AB\r\n--x\r\n\(file)hello\r\n--x--\r\n",
      ["token|-|-|AB", "file|a.txt|text/plain|hello"]),
    Case("nothing behind the last boundary", "--x\r\n\(token)AB\r\n--x--", ["token|-|-|AB"]),
    Case("no parts", "--x--\r\n", []),
    Case("an empty field", "--x\r\n\(token)\r\n--x--", ["token|-|-|"]),
    Case("an empty file", "--x\r\n\(file)\r\n--x--", ["file|a.txt|text/plain|"]),
    Case("no file chosen", "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\"\r\n\r\n\r\n--x--", ["file||-|"]),
    Case("a preamble and an epilogue", "hello\r\n--x\r\n\(token)A\r\n--x--\r\n--x\r\nworld", ["token|-|-|A"]),
    Case("white space behind a boundary", "--x \t\r\n\(token)A\r\n--x--", ["token|-|-|A"]),
    Case(
      "what looks like a boundary", "--x\r\n\(token)\r\r\n-\r\n--\r\n--y\r\n-x--x\n--x\r\n--x--",
      ["token|-|-|\r\r\n-\r\n--\r\n--y\r\n-x--x\n--x"]),
    Case("a content that begins like a boundary", "--x\r\n\(token)--y\r\n--x--", ["token|-|-|--y"]),
    Case("line ends at both ends of the content", "--x\r\n\(token)\r\n\r\n\r\n--x--", ["token|-|-|\r\n\r\n"]),
    Case(
      "names as browsers write them",
      "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a%22b%0D%0A%25 ñ.txt\"\r\n\r\n1\r\n--x--",
      ["file|a\"b\r\n%25 ñ.txt|-|1"]),
    Case(
      "names as programs write them",
      "--x\r\ncontent-disposition:form-data;name=file;filename=\"a\\\"b\\\\c\"; other=1\r\nCONTENT-TYPE:  image/png \r\nX-Y: z\r\n\r\n1\r\n--x--",
      ["file|a\"b\\c|image/png|1"]),
    Case(
      "a backslash at the end of a name",
      "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"C:\\a\\\"\r\n\r\n1\r\n--x--", ["file|C:\\a\\|-|1"]),
    Case("a semicolon in a name", "--x\r\nContent-Disposition: form-data; name=\"a;b=c\"\r\n\r\n1\r\n--x--", ["a;b=c|-|-|1"]),

    Case("nothing", "", .unfinished),
    Case("no end", "--x\r\n\(token)AB\r\n", .unfinished),
    Case("half a boundary at the end", "--x\r\n\(token)AB\r\n--x-", .unfinished),
    Case("half a head", "--x\r\nContent-Dis", .unfinished),
    Case("another boundary", "--y\r\n\(token)A\r\n--y--", .unfinished),
    Case("something behind a boundary", "--xy\r\n\(token)A\r\n--x--", .malformed),
    Case("a part without a name", "--x\r\nContent-Disposition: form-data\r\n\r\nA\r\n--x--", .malformed),
    Case("a part without a disposition", "--x\r\n\r\nA\r\n--x--", .malformed),
    Case("another disposition", "--x\r\nContent-Disposition: attachment; name=\"a\"\r\n\r\nA\r\n--x--", .malformed),
    Case("two dispositions", "--x\r\n\(token.dropLast(2))\(token)A\r\n--x--", .malformed),
    Case("a name twice", "--x\r\nContent-Disposition: form-data; name=\"a\"; name=\"b\"\r\n\r\nA\r\n--x--", .malformed),
    Case("an open quote", "--x\r\nContent-Disposition: form-data; name=\"a\r\n\r\nA\r\n--x--", .malformed),
    Case("no header line", "--x\r\nhello\r\n\r\nA\r\n--x--", .malformed),
  ]

  @Test("The multipart parser reads each body the same however it is split: at every byte, and byte by byte", arguments: cases)
  func everyCut(given: Case) {
    let body = Array(given.body.utf8)
    #expect(Self.read(body, in: []) == given.parts)
    for cut in 0...body.count { #expect(Self.read(body, in: [cut]) == given.parts, "cut at \(cut)") }
    #expect(Self.read(body, in: Array(repeating: 1, count: body.count)) == given.parts)
  }

  @Test("The multipart parser keeps contents of all bytes, with boundaries of all lengths, in pieces of all sizes")
  func bytes() throws {
    let content = (0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 3) } + Array("\r\n--".utf8)
    for boundary in ["b", "----WebKitFormBoundary7MA4YWxkTrZu0gW", String(repeating: "z", count: 70)] {
      let body = Array("--\(boundary)\r\n\(Self.file)".utf8) + content + Array("\r\n--\(boundary)--\r\n".utf8)
      for size in [1, 2, 3, 7, 64, 1000, 5000] {
        var parser = try MultipartParser(
          contentType: "multipart/form-data; boundary=\"\(boundary)\"", MultipartLimits(fileBytes: 4000))
        var read: [UInt8] = []
        for start in stride(from: 0, to: body.count, by: size) {
          for case .bytes(let more) in try parser.read(Array(body[start..<min(start + size, body.count)])) { read += more }
        }
        try parser.end()
        #expect(read == content)
      }
    }
  }

  @Test("The multipart parser limits the number of parts, heads, fields, files, blanks after a boundary, and the preamble")
  func bounds() {
    let limits = MultipartLimits(parts: 2, headBytes: 100, padding: 3, fieldBytes: 5, fileBytes: 10)
    func fault(_ body: String) -> MultipartParser.Fault? {
      guard case .failure(let fault) = Self.read(Array(body.utf8), in: [], limits) else { return nil }
      #expect(Self.read(Array(body.utf8), in: Array(repeating: 1, count: body.utf8.count), limits) == .failure(fault))
      return fault
    }
    let field = "Content-Disposition: form-data; name=\"a\"\r\n\r\n"
    let file = "Content-Disposition: form-data; name=\"a\"; filename=\"b\"\r\n\r\n"
    #expect(fault("--x\r\n\(field)12345\r\n--x\r\n\(file)1234567890\r\n--x--") == nil)
    #expect(fault("--x\r\n\(field)123456\r\n--x--") == .fieldTooLarge)
    #expect(fault("--x\r\n\(file)12345678901\r\n--x--") == .fileTooLarge)
    #expect(fault("--x\r\n\(field)1\r\n--x\r\n\(field)1\r\n--x\r\n\(field)1\r\n--x--") == .tooManyParts)
    #expect(fault("--x\r\nX: \(String(repeating: "y", count: 100))\r\n\(field)1\r\n--x--") == .headTooLarge)
    #expect(fault("--x   \r\n\(field)1\r\n--x--") == nil)
    #expect(fault("--x    \r\n\(field)1\r\n--x--") == .malformed)
    #expect(fault(String(repeating: "p", count: 101) + "\r\n--x\r\n\(field)1\r\n--x--") == .malformed)
  }

  @Test(
    "The multipart parser accepts only a content type that names a boundary",
    arguments: [
      ("multipart/form-data; boundary=x", true), ("Multipart/Form-Data ;  Boundary=\"a b\"", true),
      ("multipart/form-data; charset=utf-8; boundary=x;", true), ("multipart/form-data", false),
      ("multipart/form-data; boundary=", false), ("multipart/form-data; boundary=\"x", false),
      ("multipart/form-data; boundary=\"x \"", false), ("multipart/form-data; boundary=a\u{7F}", false),
      ("multipart/form-data; boundary=\(String(repeating: "x", count: 71))", false), ("multipart/mixed; boundary=x", false),
      ("application/x-www-form-urlencoded", false), ("", false),
    ])
  func contentTypes(contentType: String, isTaken: Bool) {
    do throws(MultipartParser.Fault) {
      _ = try MultipartParser(contentType: contentType, MultipartLimits(fileBytes: 1))
      #expect(isTaken)
    } catch {
      #expect(!isTaken && error == .noBoundary)
    }
  }
}
