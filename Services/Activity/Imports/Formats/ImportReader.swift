import ActivityContract

/// Reads the records of a file from front to back, holding no more of it than one slice.
///
/// Reading the same bytes again gives the same records in the same order, so that whoever stopped after so many goes on behind them.
public protocol ImportReader: AnyObject {
  /// How many bytes of the file itself were read so far.
  var consumed: Int64 { get }
  /// The line, or the row, at which it stands.
  var line: Int { get }

  /// Reads on until there are about that many records, or until some megabytes had none.
  ///
  /// - Returns: the records; nil at the end of the file.
  /// - Throws: why it cannot be read further; what stood before was returned.
  func next(maximum: Int) throws(FormatFault) -> [ImportedRecord]?
}

/// How much of a file is read at most before the caller is asked again.
let stretchBytes = 4 << 20

/// Records that an XML text has, collected by its handler.
protocol XMLRecordHandler: XMLHandler {
  var records: [ImportedRecord] { get set }
  /// Whether the text is what the handler is for, once its first element was seen.
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
      // What stands before the fault is good.
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
