import Foundation
import Operations

/// Reads a mail (RFC 5322 and MIME) so far as people look at it. Whatever the bytes are, it ends in text.
struct MailFile: Hashable, Sendable {
  let subject: String
  let from: String
  let to: String
  /// The first plain text and the first HTML; nil where there is none.
  private(set) var text: String?
  private(set) var html: String?

  /// Parts inside of parts beyond this are ignored.
  private static let deepest = 4
  /// Of a field in the head; the rest is not shown.
  private static let maxFieldBytes = 2000
  private static let maxFieldCharacters = 500

  init(_ bytes: [UInt8]) {
    let (head, body) = MailFile.split(bytes[...])
    subject = MailFile.shown(EncodedWord.decode(head["subject", default: ""]))
    from = MailFile.shown(EncodedWord.decode(head["from", default: ""]))
    to = MailFile.shown(EncodedWord.decode(head["to", default: ""]))
    take(head, body, depth: 0)
  }

  private mutating func take(_ head: [String: String], _ body: ArraySlice<UInt8>, depth: Int) {
    let type = ContentType(head["content-type"] ?? "text/plain")
    if type.media.begins(with: "multipart/") {
      guard depth < MailFile.deepest, let boundary = type.parameters["boundary"], !boundary.isEmpty else { return }
      for part in MailFile.parts(body, boundary: Array(boundary.utf8)) {
        let (head, body) = MailFile.split(part)
        take(head, body, depth: depth + 1)
      }
    } else if type.media == "text/plain", text == nil {
      text = MailFile.decode(body, head["content-transfer-encoding"])
    } else if type.media == "text/html", html == nil {
      html = MailFile.decode(body, head["content-transfer-encoding"])
    }
  }

  // MARK: - Structure

  /// Fields by their names in lower case, the first of several, unfolded; and what follows the empty line.
  private static func split(_ bytes: ArraySlice<UInt8>) -> (head: [String: String], body: ArraySlice<UInt8>) {
    var head: [String: String] = [:]
    var name: String?
    var rest = bytes
    while !rest.isEmpty {
      let line = nextLine(&rest)
      if line.isEmpty { break }
      if let first = line.first, first == 0x20 || first == 0x09 {
        if let name, let value = head[name], value.utf8.count < maxFieldBytes {
          head[name] = value + String(decoding: line, as: UTF8.self)
        }
        continue
      }
      name = nil
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      let found = String(decoding: line[..<colon], as: UTF8.self).asciiLowercased
      guard head[found] == nil else { continue }
      head[found] = String(decoding: line[(colon + 1)...], as: UTF8.self)
      name = found
    }
    return (head.mapValues { $0.trimmingCharacters(in: .whitespaces) }, rest)
  }

  /// The bytes up to the next line break, without it.
  private static func nextLine(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
    let line = rest[..<end]
    rest = end == rest.endIndex ? [] : rest[(end + 1)...]
    return line.last == 0x0D ? line.dropLast() : line
  }

  /// What stands between the boundary's lines (RFC 2046, section 5.1.1).
  private static func parts(_ body: ArraySlice<UInt8>, boundary: [UInt8]) -> [ArraySlice<UInt8>] {
    let dashes = [UInt8(ascii: "-"), UInt8(ascii: "-")]
    var parts: [ArraySlice<UInt8>] = []
    var start: Int?
    var rest = body
    while !rest.isEmpty {
      let lineStart = rest.startIndex
      let line = nextLine(&rest)
      guard line.starts(with: dashes + boundary) else { continue }
      if let start { parts.append(body[start..<lineStart]) }
      if line.dropFirst(2 + boundary.count).starts(with: dashes) { return parts }
      start = rest.isEmpty ? body.endIndex : rest.startIndex
    }
    if let start { parts.append(body[start...]) }
    return parts
  }

  // MARK: - Text

  private static func decode(_ body: ArraySlice<UInt8>, _ encoding: String?) -> String {
    let bytes: [UInt8] =
      switch encoding?.asciiLowercased {
      case "quoted-printable": QuotedPrintable.decode(body)
      case "base64": Data(base64Encoded: Data(body), options: .ignoreUnknownCharacters).map { [UInt8]($0) } ?? []
      default: Array(body)
      }
    return clean(String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n"), breaksLines: true)
  }

  private static func shown(_ field: String) -> String {
    clean(String(field.beginning(maxBytes: maxFieldBytes).prefix(maxFieldCharacters)), breaksLines: false)
  }

  /// Without control characters, which nothing shows and which no document takes.
  private static func clean(_ text: String, breaksLines: Bool) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isBreak = scalar == "\n" || scalar == "\t"
      let isControl = scalar.value < 0x20 || scalar.value == 0x7F
      result.append(isControl && !(isBreak && breaksLines) ? "\u{FFFD}" : scalar)
    }
    return String(result)
  }
}

/// A media type and its parameters (RFC 2045, section 5.1).
private struct ContentType {
  let media: String
  let parameters: [String: String]

  init(_ text: String) {
    let parts = text.split(at: ";").map(\.withoutBlanks)
    media = parts[0].asciiLowercased
    var parameters: [String: String] = [:]
    for part in parts.dropFirst() {
      guard let equals = part.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let value = part[part.utf8.index(after: equals)...].utf8
      let quote = UInt8(ascii: "\"")
      let isQuoted = value.count >= 2 && value.first == quote && value.last == quote
      parameters[part[..<equals].asciiLowercased] = String(
        decoding: isQuoted ? value.dropFirst().dropLast() : value, as: UTF8.self)
    }
    self.parameters = parameters
  }
}

extension QuotedPrintable {
  /// The bytes that were encoded; what is not well-formed stays as it is (RFC 2045, section 6.7).
  static func decode(_ bytes: some Collection<UInt8>) -> [UInt8] {
    func digit(_ byte: UInt8) -> UInt8? { Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) } }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var rest = Array(bytes)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "=") else {
        result.append(byte)
        continue
      }
      if rest.starts(with: [0x0D, 0x0A]) {
        rest = rest.dropFirst(2)
      } else if rest.first == 0x0A {
        rest = rest.dropFirst()
      } else if rest.count >= 2, let high = digit(rest[rest.startIndex]), let low = digit(rest[rest.startIndex + 1]) {
        result.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        result.append(byte)
      }
    }
    return result
  }
}

extension EncodedWord {
  /// The text whose words may be encoded, all taken as UTF-8; space between two of them is none (RFC 2047, section 6.2).
  static func decode(_ text: String) -> String {
    var result = ""
    var pending: [UInt8] = []
    var rest = text[...]
    while let match = rest.firstMatch(of: /=\?[^?\s]{1,40}\?([BbQq])\?([^?\s]*)\?=/.matchingSemantics(.unicodeScalar)) {
      let between = rest[..<match.range.lowerBound]
      if pending.isEmpty || !between.allSatisfy(\.isWhitespace) {
        result += String(decoding: pending, as: UTF8.self) + between
        pending = []
      }
      pending += bytes(match.output.1, match.output.2)
      rest = rest[match.range.upperBound...]
    }
    return result + String(decoding: pending, as: UTF8.self) + rest
  }

  private static func bytes(_ encoding: Substring, _ word: Substring) -> [UInt8] {
    if encoding.asciiLowercased == "q" { return QuotedPrintable.decode(word.utf8.map { $0 == UInt8(ascii: "_") ? 0x20 : $0 }) }
    return Data(base64Encoded: String(word), options: .ignoreUnknownCharacters).map { [UInt8]($0) } ?? []
  }
}
