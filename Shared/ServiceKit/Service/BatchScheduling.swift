import Foundation
import Logging

#if canImport(Glibc)
  import Glibc
#endif

/// How the kernel shares the cores among a service's threads.
///
/// A request crosses several threads: the gateway's event loop, the bus, libzmq's own, the store's. By default a woken thread may interrupt
/// the one that woke it, so that under load every request pays for switches there and back. `SCHED_BATCH` (man 7 sched) lets a thread
/// finish its time slice first: what has arrived meanwhile is then handled in one go. An idle core still runs a woken thread at once, so
/// that a single request loses nothing.
enum BatchScheduling {
  /// `SCHED_BATCH` of <sched.h>, which is visible there only with `_GNU_SOURCE`.
  static let policy: CInt = 3

  /// Lets the threads of this process, and those they will start, run in batches. Needs no privilege.
  static func begin(_ logger: Logger) {
    #if os(Linux)
      var parameters = sched_param()
      do {
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") {
          guard let thread = pid_t(name) else { continue }
          // A thread that has just ended is no loss.
          guard sched_setscheduler(thread, policy, &parameters) == -1, errno != ESRCH else { continue }
          logger.info("batch scheduling of threads could not be set", metadata: ["errno": "\(errno)"])
        }
      } catch {
        logger.info("batch scheduling of threads could not be set", metadata: ["error": "\(error)"])
      }
    #endif
  }
}
