#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

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
  private let descriptor: Int32
  private(set) var consumed: Int64 = 0

  init(_ path: String) throws(FormatFault) {
    descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw .damaged }
  }

  deinit { close(descriptor) }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FormatFault) -> Int {
    guard !Task.isCancelled else { throw .stopped }
    while true {
      #if canImport(Glibc)
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      #else
        let count = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
      #endif
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .damaged }
      consumed += Int64(count)
      return count
    }
  }
}
