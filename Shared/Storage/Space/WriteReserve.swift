import GRDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Disk space reserved for the next writes to a store's write-ahead log, which no other file can take.
///
/// The blocks are the log's own, beyond its end (`fallocate` with `FALLOC_FL_KEEP_SIZE`): they neither change its size nor are visible to
/// SQLite. As long as they can be allocated, there is room for every write. Once they cannot, writes are refused before they begin, except
/// those that may use up the reserve. On a file system without this call, each write shows by itself whether there is room.
final class WriteReserve: Sendable {
  /// How much more than needed is requested at a time. At most this much is written before a full disk is noticed.
  private static let step = 1 << 16

  private let log: CInt
  private let bytes: Int

  /// - Parameters:
  ///   - path: the path of the store, next to its write-ahead log.
  ///   - bytes: how much is reserved.
  init(of path: String, bytes: Int) throws(StoreFailure) {
    // SQLite's locks are on other files: closing this one releases none.
    log = open("\(path)-wal", O_RDWR | O_CLOEXEC)
    guard log >= 0 else { throw .file(path: "\(path)-wal", errno: errno) }
    self.bytes = bytes
  }

  deinit { close(log) }

  /// Whether the log may be truncated. That gives the reserve away until it is filled again, so it is refused if the disk may be full by
  /// then.
  var mayBeGivenBack: Bool {
    var found = statvfs()
    guard fstatvfs(log, &found) == 0 else { return true }
    return UInt64(found.f_bavail) * UInt64(found.f_frsize) >= UInt64(WriteReserve.spare * bytes)
  }

  /// How many times the reserve has to be free for the log to be truncated.
  private static let spare = 4

  /// Fills the reserve, if it is not full.
  ///
  /// - Returns: why it cannot be filled; nil if it is full, or if that is unknown.
  func fill() -> StorageProblem? {
    #if canImport(Glibc)
      var found = stat()
      guard let allocate = WriteReserve.allocate, fstat(log, &found) == 0 else { return nil }
      let wanted = Int(found.st_size) + bytes
      // Blocks of 512 bytes, whatever the file system's are.
      guard Int(found.st_blocks) * 512 < wanted else { return nil }
      while allocate(log, WriteReserve.keepSize, 0, off_t(wanted + WriteReserve.step)) != 0 {
        if errno != EINTR { return StorageProblem(errno: errno) }
      }
    #endif
    return nil
  }

  #if canImport(Glibc)
    /// `FALLOC_FL_KEEP_SIZE` of <linux/falloc.h>.
    private static let keepSize: CInt = 1
    /// `fallocate`, which <fcntl.h> shows only with `_GNU_SOURCE`.
    private static let allocate = dlsym(nil, "fallocate").map {
      unsafeBitCast($0, to: (@convention(c) @Sendable (CInt, CInt, off_t, off_t) -> CInt).self)
    }
  #endif
}
