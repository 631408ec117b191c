import Synchronization

@testable import ActivityService

/// Cancels the task that beats once too often, as a service does that stops.
final class StopAfter: Sendable {
  private let left: Mutex<Int>

  init(_ left: Int) { self.left = Mutex(left) }

  func beat() -> Int {
    let isOver = left.withLock { left in
      left -= 1
      return left < 0
    }
    if isOver { withUnsafeCurrentTask { $0?.cancel() } }
    return ImportLimits.batch
  }
}
