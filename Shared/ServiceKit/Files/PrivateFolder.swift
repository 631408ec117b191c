import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Folders that only their owner may enter.
public enum PrivateFolder {
  /// Creates a folder, if it is missing.
  ///
  /// - Throws: ``FileFault`` if the disk is full or read-only.
  public static func make(_ path: String) throws {
    do {
      try Home.makePrivateFolder(path)
    } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
      throw FileFault(operation: "mkdir", number: ENOSPC)
    } catch let error as CocoaError where error.code == .fileWriteVolumeReadOnly {
      throw FileFault(operation: "mkdir", number: EROFS)
    }
  }

  /// Returns when the entries of a folder will survive a power failure.
  ///
  /// - Throws: ``FileFault``.
  public static func synchronize(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileFault(operation: "open", number: errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw FileFault(operation: "sync", number: errno) }
  }
}
