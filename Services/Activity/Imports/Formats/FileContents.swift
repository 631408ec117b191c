#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An open file for several concurrent readers, each at its own position.
public final class FileContents: Sendable {
  public let descriptor: Int32
  /// The size when the file was opened.
  public let count: Int64
  private let isOwned: Bool

  /// Opens a file, unless its path names a symbolic link.
  ///
  /// - Throws: ``FormatFault/damaged`` if it cannot be opened.
  public init(path: String) throws(FormatFault) {
    descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw .damaged }
    isOwned = true
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      close(descriptor)
      throw .damaged
    }
    count = Int64(status.st_size)
  }

  /// Wraps a file that the caller has opened, and will close.
  public init(descriptor: Int32) {
    self.descriptor = descriptor
    isOwned = false
    count = Int64(max(0, lseek(descriptor, 0, SEEK_END)))
  }

  deinit { if isOwned { close(descriptor) } }

  /// Reads into the buffer from an offset on: fewer bytes than fit only if the system returns fewer, as at the end.
  ///
  /// - Returns: the number of bytes read; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FormatFault) -> Int {
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .damaged }
      return count
    }
  }
}
