import CXML2

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An element's name and attributes, where libxml2 has them: good for the time of the call alone.
struct XMLStart {
  typealias Name = UnsafePointer<UInt8>

  let name: Name
  let count: Int
  /// Five pointers each: name, prefix, namespace, begin and end of the value.
  fileprivate let attributes: UnsafeMutablePointer<Name?>?

  func isNamed(_ text: StaticString) -> Bool { name.says(text) }

  /// Nil behind the last one: libxml2 leaves there what earlier elements had.
  func attributeName(_ index: Int) -> Name? { index < count ? attributes?[index * 5] : nil }

  func value(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    guard index < count, let attributes, let start = attributes[index * 5 + 3], let end = attributes[index * 5 + 4] else {
      return UnsafeBufferPointer(start: nil, count: 0)
    }
    return UnsafeBufferPointer(start: start, count: end - start)
  }

  /// The value of the attribute of that name.
  func value(_ text: StaticString) -> UnsafeBufferPointer<UInt8>? {
    for index in 0..<count where attributeName(index)?.says(text) == true { return value(index) }
    return nil
  }
}

extension UnsafePointer<UInt8> {
  /// Whether the text, which ends with a zero, is that.
  func says(_ text: StaticString) -> Bool { strcmp(self, text.utf8Start) == 0 }
}

/// What becomes of the elements of a text.
protocol XMLHandler: AnyObject {
  func start(_ element: XMLStart, line: Int)
  func end(_ name: XMLStart.Name, line: Int)
  func text(_ bytes: UnsafeBufferPointer<UInt8>)
}

extension XMLHandler {
  func text(_ bytes: UnsafeBufferPointer<UInt8>) {}
}

/// XML that is read as a stream: no tree, nothing from outside, no entity but the five of XML itself.
///
/// A document type may be there, as Apple's exports have one, as long as it declares no entities: whoever declares some wants them
/// expanded, and no exporting program does.
///
/// libxml2 compares each attribute of a tag with all others of it, each value of an enumeration with all others, a prefix with all
/// namespaces around it; it gives each element all values that are declared for it. So all of these are few, and what is to be parsed
/// at a time is short: then parsing takes as long as the text is, whatever stands in it.
final class XMLPushParser {
  static let maxDepth = 64
  static let maxAttributes = 256
  /// Namespaces that are declared at a position, by an element and those around it.
  static let maxNamespaces = 64
  /// Values that a document type declares for attributes that are not written.
  static let maxDefaults = 16
  /// A tag, a comment, a section of `CDATA` or a document type, which libxml2 parses when it is there as a whole: no more of one may
  /// wait for its end, in bytes of UTF-8. A text is taken as it comes, however long.
  static let maxPending = 1 << 16
  /// What all different names may take together.
  static let maxNameBytes = 1 << 19

  private let handler: any XMLHandler
  /// Set right after the instance is there, since libxml2 calls back to it.
  private var parser: xmlParserCtxtPtr?
  /// How many namespaces are declared at each element that is open, from the first one on.
  private var namespaces: [Int] = []
  private var defaults = 0
  private var isUnsafe = false
  /// No more events wanted.
  private var isStopped = false
  /// Nil where the text is read as it is.
  private var repair: XMLRepair?

  private static let once: Void = xmlInitParser()

  /// - Parameter isRepairing: see ``XMLRepair``.
  init(_ handler: any XMLHandler, isRepairing: Bool = true) throws(FormatFault) {
    _ = Self.once
    repair = isRepairing ? XMLRepair() : nil
    self.handler = handler
    let context = Unmanaged.passUnretained(self).toOpaque()
    guard
      let parser = racha_xml_open(
        context,
        { context, name, _, _, namespaces, _, count, _, attributes in
          guard let name else { return }
          let element = XMLStart(name: name, count: Int(count), attributes: attributes)
          XMLPushParser.at(context)?.started(element, Int(namespaces))
        },
        { context, name, _, _ in
          guard let name else { return }
          XMLPushParser.at(context)?.ended(name)
        },
        { context, bytes, count in
          XMLPushParser.at(context)?.handler.text(UnsafeBufferPointer(start: bytes, count: Int(count)))
        },
        { context, _, _, _, _, _ in XMLPushParser.at(context)?.refuse() },
        { context, _, _, _, _, value, values in
          racha_xml_free(values)
          if value != nil { XMLPushParser.at(context)?.declaredDefault() }
        })
    else { throw .damaged }
    self.parser = parser
  }

  deinit { if let parser { racha_xml_close(parser) } }

  private static func at(_ context: UnsafeMutableRawPointer?) -> XMLPushParser? {
    context.map { Unmanaged<XMLPushParser>.fromOpaque($0).takeUnretainedValue() }
  }

  /// The line at which the parser stands.
  var line: Int { parser.map { racha_xml_line($0) } ?? 0 }

  /// Takes the next bytes, ``sliceBytes`` at most, none at the end of the text.
  func parse(_ bytes: UnsafeRawBufferPointer) throws(FormatFault) {
    guard !isStopped else { return }
    try repair?.take(bytes)
    guard let output = repair?.output else { return try feed(bytes, isLast: bytes.isEmpty) }
    var outcome: Result<Void, FormatFault> = .success(())
    output.withUnsafeBytes { output in
      do throws(FormatFault) { try feed(output, isLast: bytes.isEmpty) } catch { outcome = .failure(error) }
    }
    try outcome.get()
  }

  /// The lines on which there was something that XML does not allow, since this was asked last.
  func takeBadLines() -> [Int] { repair?.takeBadLines() ?? [] }

  private func feed(_ bytes: UnsafeRawBufferPointer, isLast: Bool) throws(FormatFault) {
    guard let parser, isLast || !bytes.isEmpty else { return }
    let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    let isWell = racha_xml_parse(parser, start, Int32(bytes.count), isLast ? 1 : 0) != 0
    if isWell, racha_xml_pending(parser) > Self.maxPending || racha_xml_names(parser) > Self.maxNameBytes { refuse() }
    if isUnsafe { throw .unsafe }
    guard isWell || isStopped else { throw .damaged }
  }

  /// Ends the parsing before the end of the text.
  func stop() {
    isStopped = true
    if let parser { xmlStopParser(parser) }
  }

  private func started(_ element: XMLStart, _ declared: Int) {
    let around = namespaces.last ?? 0
    namespaces.append(around + declared)
    guard namespaces.count <= Self.maxDepth, element.count <= Self.maxAttributes, around + declared <= Self.maxNamespaces
    else { return refuse() }
    handler.start(element, line: line)
  }

  private func ended(_ name: XMLStart.Name) {
    namespaces.removeLast()
    handler.end(name, line: line)
  }

  private func declaredDefault() {
    defaults += 1
    if defaults > Self.maxDefaults { refuse() }
  }

  private func refuse() {
    isUnsafe = true
    if let parser { xmlStopParser(parser) }
  }
}
