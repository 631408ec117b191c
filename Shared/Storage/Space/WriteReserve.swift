import GRDB

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Room on the disk for what a store's write-ahead log takes next, which nobody else can take.
///
/// The blocks are the log's own, beyond its end (`fallocate` with `FALLOC_FL_KEEP_SIZE`): neither its size nor SQLite knows of them.
/// As long as they can be had, there is room for every write. Once they cannot, writes are refused before they begin, except those
/// that use the reserve up. Where the file system has no such thing, a write shows by itself whether there is room.
final class WriteReserve: Sendable {
  /// How much more than needed is asked for at a time. So much is written at most before a disk that has become full shows.
  private static let step = 1 << 16

  private let log: CInt
  private let bytes: Int

  /// - Parameters:
  ///   - path: of the store. Its write-ahead log is there.
  ///   - bytes: how much is kept.
  init(of path: String, bytes: Int) throws(StoreFailure) {
    // SQLite's locks are on other files: closing this one releases none.
    log = open("\(path)-wal", O_RDWR | O_CLOEXEC)
    guard log >= 0 else { throw .file(path: "\(path)-wal", errno: errno) }
    self.bytes = bytes
  }

  deinit { close(log) }

  /// Whether the log may be cut to nothing, which gives the reserve away until it is filled again: not where the disk may be full by then.
  var mayBeGivenBack: Bool {
    var found = statvfs()
    guard fstatvfs(log, &found) == 0 else { return true }
    return UInt64(found.f_bavail) * UInt64(found.f_frsize) >= UInt64(WriteReserve.spare * bytes)
  }

  /// How many reserves have to be free for the log to be cut.
  private static let spare = 4

  /// Makes the reserve whole, if it is not.
  ///
  /// - Returns: why it cannot be; nil if it is, or if nobody knows.
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
