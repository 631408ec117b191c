import CXML2

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An element's name and attributes in libxml2's memory: valid only during the call.
struct XMLStart {
  typealias Name = UnsafePointer<UInt8>

  let name: Name
  let count: Int
  /// Five pointers each: name, prefix, namespace, begin and end of the value.
  fileprivate let attributes: UnsafeMutablePointer<Name?>?

  func isNamed(_ text: StaticString) -> Bool { name.says(text) }

  /// Nil after the last attribute, where libxml2 leaves those of earlier elements.
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
  /// Whether this zero-terminated text equals the given one.
  func says(_ text: StaticString) -> Bool { strcmp(self, text.utf8Start) == 0 }
}

/// Handles the elements of a text.
protocol XMLHandler: AnyObject {
  func start(_ element: XMLStart, line: Int)
  func end(_ name: XMLStart.Name, line: Int)
  func text(_ bytes: UnsafeBufferPointer<UInt8>)
}

extension XMLHandler {
  func text(_ bytes: UnsafeBufferPointer<UInt8>) {}
}

/// A streaming XML parser: no tree, no external data, no entities except XML's own five.
///
/// A document type is allowed, as in Apple's exports, unless it declares entities: no exporting program does that.
///
/// libxml2 compares each attribute of a tag with all others of the tag, each value of an enumeration with all others, and a prefix with all
/// namespaces in scope; it gives each element all default values that are declared for it. So the number of all these is limited, and only
/// short pieces are parsed at a time: then parsing time is proportional to the length of any text.
final class XMLPushParser {
  static let maxDepth = 64
  static let maxAttributes = 256
  /// The maximum number of namespaces in scope.
  static let maxNamespaces = 64
  /// The maximum number of default values of attributes in a document type.
  static let maxDefaults = 16
  /// The maximum size in UTF-8 bytes of an unfinished tag, comment, `CDATA` section or document type, which libxml2 parses only when
  /// complete. Text is parsed as it arrives, whatever its length.
  static let maxPending = 1 << 16
  /// The maximum size of all distinct names together.
  static let maxNameBytes = 1 << 19

  private let handler: any XMLHandler
  /// Set right after initialisation, since libxml2 calls back to the instance.
  private var parser: xmlParserCtxtPtr?
  /// How many namespaces are declared at each open element, from the outermost on.
  private var namespaces: [Int] = []
  private var defaults = 0
  private var isUnsafe = false
  /// Whether the handler wants no more events.
  private var isStopped = false
  /// Nil where the text is parsed unchanged.
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

  /// The parser's present line.
  var line: Int { parser.map { racha_xml_line($0) } ?? 0 }

  /// Parses the next bytes: at most ``sliceBytes``, none at the end of the text.
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

  /// Returns the lines with characters that XML does not allow, since the last call.
  func takeBadLines() -> [Int] { repair?.takeBadLines() ?? [] }

  private func feed(_ bytes: UnsafeRawBufferPointer, isLast: Bool) throws(FormatFault) {
    guard let parser, isLast || !bytes.isEmpty else { return }
    let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    let isWell = racha_xml_parse(parser, start, Int32(bytes.count), isLast ? 1 : 0) != 0
    if isWell, racha_xml_pending(parser) > Self.maxPending || racha_xml_names(parser) > Self.maxNameBytes { refuse() }
    if isUnsafe { throw .unsafe }
    guard isWell || isStopped else { throw .damaged }
  }

  /// Stops parsing before the end of the text.
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
