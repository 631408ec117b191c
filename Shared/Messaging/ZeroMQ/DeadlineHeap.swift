/// The times at which requests end unanswered, the earliest first. The entry of a finished request stays until its time or a
/// ``compact(_:)``.
struct DeadlineHeap {
  private var entries: [(time: Int64, tag: UInt64)] = []

  var count: Int { entries.count }
  var earliest: Int64? { entries.first?.time }

  mutating func insert(_ time: Int64, _ tag: UInt64) {
    entries.append((time, tag))
    var child = entries.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard entries[child].time < entries[parent].time else { return }
      entries.swapAt(child, parent)
      child = parent
    }
  }

  /// The next request whose time has come.
  mutating func popDue(_ now: Int64) -> UInt64? {
    guard let first = entries.first, first.time <= now else { return nil }
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    sink(0)
    return first.tag
  }

  /// Drops the entries that are no longer wanted.
  mutating func compact(_ isWanted: (UInt64) -> Bool) {
    entries.removeAll { !isWanted($0.tag) }
    for parent in stride(from: entries.count / 2 - 1, through: 0, by: -1) { sink(parent) }
  }

  private mutating func sink(_ start: Int) {
    var parent = start
    while true {
      var minimum = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count && entries[child].time < entries[minimum].time {
        minimum = child
      }
      guard minimum != parent else { return }
      entries.swapAt(parent, minimum)
      parent = minimum
    }
  }
}
