#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The turn of one of those who copy into a folder at the same time, as the services of a cluster do: together they would want more of the
/// disk than each leaves to others. It is a lock on the folder, which the system releases when the process ends.
struct CopyTurn {
  /// How often it is looked whether the turn has come: nothing reports it to a thread that has to see meanwhile whether to go on.
  private static let interval = Duration.milliseconds(20)

  private let descriptor: CInt

  /// Returns when the turn has come; at once where the folder's file system has no locks.
  ///
  /// - Parameter check: called while it waits; what it throws ends that.
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

/// Blocks the thread for so long.
func pauseThread(_ duration: Duration) {
  guard duration > .zero else { return }
  let nanoseconds = duration.nanoseconds
  var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  // A signal ends it early, which does no harm.
  _ = nanosleep(&time, nil)
}
