import ActivityContract

/// Reads the records of a file from front to back, with at most one slice in memory.
///
/// Reading the same bytes again yields the same records in the same order, so that reading can resume after any number of records.
public protocol ImportReader: AnyObject {
  /// How many bytes of the file itself were read so far.
  var consumed: Int64 { get }
  /// The present line or row.
  var line: Int { get }

  /// Reads on until there are about that many records, or some megabytes (``stretchBytes``) were read.
  ///
  /// - Returns: the records; nil at the end of the file.
  /// - Throws: the fault that prevents reading further, once all records before it were returned.
  func next(maximum: Int) throws(FormatFault) -> [ImportedRecord]?
}

/// How many bytes of a file are read at most before returning to the caller.
let stretchBytes = 4 << 20

/// Collects the records of an XML text.
protocol XMLRecordHandler: XMLHandler {
  var records: [ImportedRecord] { get set }
  /// Whether the text has the handler's format, known once its root element was seen.
  var isRecognized: Bool { get }
}

/// Reads a text in XML.
final class XMLRecordReader: ImportReader {
  private let source: any ByteSource
  private let handler: any XMLRecordHandler
  private let parser: XMLPushParser
  private var buffer = [UInt8](repeating: 0, count: sliceBytes)
  private var isAtEnd = false
  private var fault: FormatFault?

  init(_ source: any ByteSource, _ handler: any XMLRecordHandler) throws(FormatFault) {
    self.source = source
    self.handler = handler
    parser = try XMLPushParser(handler)
  }

  var consumed: Int64 { source.consumed }
  var line: Int { parser.line }

  func next(maximum: Int) throws(FormatFault) -> [ImportedRecord]? {
    if let fault { throw fault }
    if isAtEnd { return nil }
    do throws(FormatFault) {
      try read(maximum)
    } catch {
      // Records before the fault are valid.
      guard !handler.records.isEmpty else { throw error }
      fault = error
    }
    defer { handler.records.removeAll(keepingCapacity: true) }
    return handler.records
  }

  private func read(_ maximum: Int) throws(FormatFault) {
    var stretch = 0
    while handler.records.count < maximum, stretch < stretchBytes, !isAtEnd {
      let count = try fill()
      stretch += count
      do throws(FormatFault) { try parse(count) } catch {
        noteBadLines()
        throw error
      }
      noteBadLines()
      guard handler.isRecognized || !isAtEnd else { throw .unrecognized }
      isAtEnd = count == 0
    }
  }

  private func noteBadLines() {
    for line in parser.takeBadLines() { handler.records.append(ImportedRecord(line: line, .fault(.badCharacter))) }
  }

  private func fill() throws(FormatFault) -> Int {
    var outcome: Result<Int, FormatFault> = .success(0)
    buffer.withUnsafeMutableBytes { bytes in
      do throws(FormatFault) { outcome = .success(try source.read(into: bytes)) } catch { outcome = .failure(error) }
    }
    return try outcome.get()
  }

  private func parse(_ count: Int) throws(FormatFault) {
    var outcome: Result<Void, FormatFault> = .success(())
    buffer.withUnsafeBytes { bytes in
      do throws(FormatFault) { try parser.parse(UnsafeRawBufferPointer(rebasing: bytes.prefix(count))) } catch {
        outcome = .failure(error)
      }
    }
    try outcome.get()
  }
}
