/// The samples without duration that count, from sources of higher priority than the present one.
struct ZeroLengthSamples {
  private struct ZeroLengthSample {
    let time: Int64
    /// How much of the sample has not replaced anything yet.
    var left: Int
    /// The index of the next sample that may have something left, starting the search here.
    var next: Int
  }

  private var times: Set<Int64> = []
  private var open: [ZeroLengthSample] = []

  /// Whether a source of higher priority reports the same instant.
  func hides(_ time: Int64) -> Bool { times.contains(time) }

  mutating func add(_ spreads: [Spread]) {
    // Hidden samples count for nothing.
    let counted = spreads.filter { !hides($0.from) }
    guard !counted.isEmpty else { return }
    times.formUnion(counted.map(\.from))
    open += counted.filter { $0.amount > 0 }.map { ZeroLengthSample(time: $0.from, left: $0.amount, next: 0) }
    tidy()
  }

  /// Drops samples at whose time a source counts that has priority over all following ones.
  mutating func hide(under stretches: [Range<Int64>]) {
    guard !open.isEmpty, !stretches.isEmpty else { return }
    open.removeAll { stretches.contain($0.time) }
    tidy()
  }

  /// Replaces movement measured at that time.
  ///
  /// - Returns: how much was replaced, up to the maximum.
  mutating func take(_ maximum: Int, within time: Range<Int64>) -> Int {
    guard !open.isEmpty, maximum > 0 else { return 0 }
    var taken = 0
    var index = following(open.partitioningIndex { $0.time >= time.lowerBound })
    while taken < maximum, index < open.count, open[index].time < time.upperBound {
      let part = min(maximum - taken, open[index].left)
      open[index].left -= part
      taken += part
      if open[index].left == 0 {
        open[index].next = index + 1
        index = following(index)
      }
    }
    return taken
  }

  private mutating func tidy() {
    open.removeAll { $0.left == 0 }
    open.sort { $0.time < $1.time }
    for index in open.indices { open[index].next = index }
  }

  /// The index of the first sample from there on with something left; remembers the result so that later searches are shorter.
  private mutating func following(_ start: Int) -> Int {
    var end = start
    while end < open.count, open[end].next != end { end = open[end].next }
    var index = start
    while index < end {
      let next = open[index].next
      open[index].next = end
      index = next
    }
    return end
  }
}

extension Spread {
  /// Whether the sample has no duration.
  var hasZeroLength: Bool { until - from == 1 }
}

extension [Range<Int64>] {
  /// The index of the first range that ends after a position; the ranges are sorted.
  func firstIndex(endingAfter position: Int64) -> Int { partitioningIndex { $0.upperBound > position } }

  /// Whether any of the sorted ranges contains a position.
  func contain(_ position: Int64) -> Bool {
    let index = firstIndex(endingAfter: position)
    return index < count && self[index].lowerBound <= position
  }
}

extension Array {
  /// The first index from which on the predicate holds for all elements; it holds for none before.
  func partitioningIndex(where isBehind: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
