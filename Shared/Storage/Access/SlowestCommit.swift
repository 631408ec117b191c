import Synchronization

/// The longest commit since the last call of ``take()``; background disk work slows down accordingly.
final class SlowestCommit: Sendable {
  private let nanoseconds = Atomic<Int64>(0)

  /// Records how long a commit took to become durable.
  func note(_ duration: Duration) { nanoseconds.max(duration.nanoseconds, ordering: .relaxed) }

  /// The longest commit since the last call; nil if there was none.
  func take() -> Duration? {
    let longest = nanoseconds.exchange(0, ordering: .relaxed)
    return longest > 0 ? .nanoseconds(longest) : nil
  }
}
