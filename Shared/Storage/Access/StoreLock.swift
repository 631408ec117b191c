import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Restricts a store to one process by a lock on the file `<store>.lock`, which the system releases when the process ends.
///
/// The lock is not on the store's own file: closing any descriptor of that file would release SQLite's locks (sqlite.org/howtocorrupt.html,
/// 2.2).
final class StoreLock: Sendable {
  private let descriptor: Mutex<CInt?>

  init(path: String) throws(StoreFailure) {
    let lock = "\(path).lock"
    let descriptor = try StoreLock.open(lock)
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let error = errno
      _ = close(descriptor)
      throw error == EWOULDBLOCK ? .alreadyOpen(path: path) : .file(path: lock, errno: error)
    }
    self.descriptor = Mutex(descriptor)
    // The creator of the store's file decides who may read it; SQLite gives its other files the same mode.
    _ = close(try StoreLock.open(path))
  }

  deinit { release() }

  func release() {
    descriptor.withLock { descriptor in
      if let open = descriptor { _ = close(open) }
      descriptor = nil
    }
  }

  private static func open(_ path: String) throws(StoreFailure) -> CInt {
    var descriptor = open(path, O_RDWR | O_CREAT)
    // An existing file can still be locked and read.
    if descriptor < 0, errno == EROFS { descriptor = open(path, O_RDONLY) }
    guard descriptor >= 0 else { throw .file(path: path, errno: errno) }
    return descriptor
  }

  private static func open(_ path: String, _ flags: CInt) -> CInt {
    #if canImport(Glibc)
      Glibc.open(path, flags | O_CLOEXEC, 0o600)
    #else
      Darwin.open(path, flags | O_CLOEXEC, 0o600)
    #endif
  }
}
