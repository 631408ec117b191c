/// Bytes that are read one after the other, never more of them at a time than fit into a buffer.
protocol ByteSource: AnyObject {
  /// How many bytes of the file itself were read so far: the measure of progress.
  var consumed: Int64 { get }
  /// Fills the buffer as far as there is something.
  ///
  /// - Returns: how many bytes; 0 at the end.
  /// - Throws: ``FormatFault/stopped`` in a task that is cancelled, too: readers may go through a whole file before they have a record.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FormatFault) -> Int
}

/// How much is read at a time.
let sliceBytes = 1 << 16

/// A plain file.
final class FileSource: ByteSource {
  private let file: FileContents
  private(set) var consumed: Int64 = 0

  init(_ file: FileContents) { self.file = file }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FormatFault) -> Int {
    guard !Task.isCancelled else { throw .stopped }
    let count = try file.read(into: buffer, at: consumed)
    consumed += Int64(count)
    return count
  }
}
