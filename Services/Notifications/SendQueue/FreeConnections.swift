import Synchronization

/// Counts how many more entries of a queue may be on their way at the same time.
final class FreeConnections: Sendable {
  private let free: Atomic<Int>

  init(_ count: Int) { free = Atomic(count) }

  var count: Int { free.load(ordering: .acquiring) }
  func take() { free.subtract(1, ordering: .acquiringAndReleasing) }
  func give() { free.add(1, ordering: .acquiringAndReleasing) }
}
