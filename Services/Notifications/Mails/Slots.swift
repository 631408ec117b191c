import Synchronization

/// Counts how many more mails may be on their way.
final class Slots: Sendable {
  private let count: Atomic<Int>

  init(_ count: Int) { self.count = Atomic(count) }

  var free: Int { count.load(ordering: .acquiring) }
  func take() { count.subtract(1, ordering: .acquiringAndReleasing) }
  func give() { count.add(1, ordering: .acquiringAndReleasing) }
}
