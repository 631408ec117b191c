#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The turn of one of several copies into the same folder, such as those of a cluster's services: together they would use more of the disk
/// than each leaves to others. It is a lock on the folder, which the system releases when the process ends.
struct CopyTurn {
  /// How often the lock is polled: a blocking lock would keep the thread from checking meanwhile whether to continue.
  private static let interval = Duration.milliseconds(20)

  private let descriptor: CInt

  /// Returns when the turn has come; at once where the folder's file system has no locks.
  ///
  /// - Parameter check: called while waiting; an error that it throws ends the wait.
  init(in folder: String, while check: () throws -> Void) throws {
    let descriptor = open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoreFailure.file(path: folder, errno: errno) }
    self.descriptor = descriptor
    do {
      while flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK || errno == EINTR {
        try check()
        pauseThread(Self.interval)
      }
    } catch {
      end()
      throw error
    }
  }

  func end() { _ = close(descriptor) }
}

/// Blocks the thread for that duration.
func pauseThread(_ duration: Duration) {
  guard duration > .zero else { return }
  let nanoseconds = duration.nanoseconds
  var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  // A signal ends the pause early, which does no harm.
  _ = nanosleep(&time, nil)
}
