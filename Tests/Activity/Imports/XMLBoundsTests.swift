import ActivityContract
import ImportFormats
import InProcess
import Operations
import Testing

/// What libxml2 takes longer for than for a text of the same length: see `XMLPushParser`.
@Suite("XML that takes disproportionately long to parse", .timeLimit(.minutes(5)))
struct XMLBoundsTests {
  /// One of the forms in which XML is read.
  private struct Form: Sendable {
    let name: String
    let root: String
    let isPacked: Bool

    func file(_ content: String, of type: String = "") throws -> TemporaryFile {
      try file(Array("<?xml version=\"1.0\"?>\(type)<\(root)>\(content)</\(root)>".utf8))
    }

    func file(_ bytes: [UInt8]) throws -> TemporaryFile {
      guard isPacked else { return try TemporaryFile(name, bytes) }
      return try TemporaryFile(name, try Zip.archive([("apple_health_export/export.xml", bytes)]))
    }
  }

  private static let plain = Form(name: "export.xml", root: "HealthData", isPacked: false)
  private static let forms = [
    plain, Form(name: "export.zip", root: "HealthData", isPacked: true), Form(name: "a.gpx", root: "gpx", isPacked: false),
  ]

  /// How long the processor takes to identify and read a file, and why that ended.
  private static func read(_ file: borrowing TemporaryFile) throws -> (time: Duration, fault: FormatFault?) {
    let start = threadProcessorTime()
    let fault = try file.read().fault
    return (threadProcessorTime() - start, fault)
  }

  /// The same of a file that is not identified by its head, which a long document type hides.
  private static func readWhole(_ file: borrowing TemporaryFile) throws -> (time: Duration, fault: FormatFault?) {
    let start = threadProcessorTime()
    var fault: FormatFault?
    do throws(FormatFault) {
      let reader = try file.file.reader(.appleHealth, person: nil)
      while try reader.next(maximum: 1000) != nil {}
    } catch {
      fault = error
    }
    return (threadProcessorTime() - start, fault)
  }

  /// Names that are each another.
  private static func names(_ count: Int, _ name: (String) -> String) -> String {
    (0..<count).map { name(String($0, radix: 36)) }.joined(separator: " ")
  }

  /// As many bytes as that, of elements.
  private static func elements(_ bytes: Int) -> String { String(repeating: "<a b=\"\"/>", count: bytes / 9) }

  @Test("XML with 200,000 attributes is refused in less than twice the time that as many bytes of elements take")
  func attributes() throws {
    for form in Self.forms {
      let bomb = "<Record \(Self.names(200_000) { "a\($0)=\"\"" })/>"
      let plain = try Self.read(try form.file(Self.elements(bomb.utf8.count)))
      #expect(plain.fault == nil)
      let found = try Self.read(try form.file(bomb))
      #expect(found.fault == .unsafe && found.time < plain.time * 2, "\(form.name): \(found.time), \(plain.time)")
    }
  }

  @Test("XML that takes disproportionately long is refused, whatever the cause")
  func others() throws {
    let values = Self.names(150_000) { "a\($0)" }.replacing(" ", with: "|")
    let spaces = (0..<60).map { depth in "<a \(Self.names(60) { "xmlns:n\(depth)x\($0)=\"u\"" })>" }.joined()
    let bombs: [(what: String, type: String, content: String)] = [
      ("namespaces of a tag", "", "<a \(Self.names(100_000) { "xmlns:a\($0)=\"u\"" })/>"),
      ("few namespaces", "", "<a \(Self.names(65) { "xmlns:a\($0)=\"u\"" })/>"),
      ("namespaces around a position", "", spaces + String(repeating: "<n0x0:b/>", count: 200_000)),
      ("attributes with a prefix", "", "<a xmlns:p=\"u\" \(Self.names(100_000) { "p:a\($0)=\"\"" })/>"),
      ("values of an enumeration", "<!DOCTYPE a [<!ATTLIST a b (\(values)) #IMPLIED>]>", ""),
      ("values of attributes", "<!DOCTYPE a [<!ATTLIST a \(Self.names(17) { "b\($0) CDATA \"\"" })>]>", "<a/>"),
      ("a document type", "<!DOCTYPE a [\(String(repeating: "<!ELEMENT b (c)>", count: 10_000))]>", ""),
      ("names", "", Self.names(200_000) { "<a\($0)/>" }),
      ("a value", "", "<a b=\"\(String(repeating: ">", count: 200_000))\"/>"),
      ("a comment", "", "<!--\(String(repeating: "x", count: 200_000))-->"),
      ("an instruction", "", "<?x \(String(repeating: "x", count: 200_000))?>"),
    ]
    for (what, type, content) in bombs {
      let bytes = Array("<?xml version=\"1.0\"?>\(type)<HealthData>\(content)</HealthData>".utf8)
      let found = try Self.readWhole(try TemporaryFile("export.xml", bytes))
      #expect(found.fault == .unsafe, "\(what)")
      // Of very few bytes the time says nothing.
      let plain = try Self.read(try Self.plain.file(Self.elements(max(bytes.count, 1 << 20))))
      #expect(found.time < plain.time * 2, "\(what): \(found.time), \(plain.time)")
    }
  }

  @Test("XML that takes disproportionately long is refused in other encodings than UTF-8, too")
  func encodings() throws {
    let attributes = Self.names(60_000) { "a\($0)=\"\"" }
    let latin = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><HealthData><a \(attributes)/></HealthData>"
    let wide = "<?xml version=\"1.0\" encoding=\"UTF-16\"?><HealthData><a \(attributes)/></HealthData>"
    let little: [UInt8] = wide.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let texts: [[UInt8]] = [Array(latin.utf8), little, [0xFF, 0xFE] + little]
    let plain = try Self.read(try Self.plain.file(Self.elements(texts[1].count)))
    for text in texts {
      let found = try Self.readWhole(try TemporaryFile("export.xml", text))
      #expect(found.fault == .unsafe && found.time < plain.time * 2, "\(found.time), \(plain.time)")
    }
  }

  @Test("XML as programs export it is accepted: a long document type, many attributes and namespaces, megabytes of text")
  func good() throws {
    let declared = (0..<800).map { "<!ATTLIST Record a\($0) CDATA #IMPLIED b\($0) CDATA #REQUIRED>\n" }.joined()
    let type = "<!DOCTYPE HealthData [\n\(declared)<!ATTLIST Record locale CDATA \"en\" kind (a|b|c) \"a\">]>"
    let text = String(repeating: "lorem &lt;ipsum&gt; ", count: 200_000)
    for form in Self.forms {
      let content = """
        <a \(Self.names(64) { "xmlns:a\($0)=\"u\"" })><b \(Self.names(256) { "a\($0)=\">\"" })>\(text)</b></a>
        <a \(Self.names(64) { "xmlns:b\($0)=\"u\"" })/><!-- > --><![CDATA[\(String(repeating: "]> ", count: 10_000))]]>
        """
      #expect(try Self.read(try form.file(content, of: type)).fault == nil, "\(form.name)")
    }
    let record = AppleHealthTests.record("StepCount", "count", "12")
    #expect(try Self.plain.file(record, of: type).read().records.samples.map(\.amount) == [12])
  }
}
