/// A stream of bytes.
protocol ByteSource: AnyObject {
  /// How many bytes of the file itself were read so far, as the measure of progress.
  var consumed: Int64 { get }
  /// Reads the next bytes into the buffer, possibly fewer than fit.
  ///
  /// - Returns: the number of bytes read; 0 at the end.
  /// - Throws: also ``FormatFault/stopped``, in a cancelled task: readers may scan a whole file before they find a record.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FormatFault) -> Int
}

/// The size of a slice.
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
