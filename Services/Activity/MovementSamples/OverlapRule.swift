import Operations

/// A sample as it takes part in the count of a day.
struct RankedSample: Sendable {
  /// The place of its source in the account's order, from 0.
  let rank: Int
  let spread: Spread
  let marks: Marks
}

/// Counts a day that several sources measured (MOVE-1): for each stretch of time the source of highest priority counts that measured
/// then, and of every sample the share of the time for which its source does. Samples of one source add up.
///
/// The count depends on what is there alone, in whatever order it came.
enum OverlapRule {
  struct Count: Hashable {
    var amount = 0
    /// What of it is not marked.
    var plausible = 0
    var marks: Marks = []

    mutating func add(_ share: Int, _ marks: Marks) {
      guard share > 0 else { return }
      amount += share
      if marks.isEmpty { plausible += share }
      self.marks.formUnion(marks)
    }
  }

  /// - Parameter samples: all that overlap any sample with a share of the day, in any order.
  static func count(_ samples: [RankedSample], on day: LocalDay) -> Count {
    var count = Count()
    var covered: [Range<Int64>] = []
    let sorted = samples.sorted { ($0.rank, $0.spread.from) < ($1.rank, $1.spread.from) }
    var position = sorted.startIndex
    while position < sorted.endIndex {
      let end = sorted[position...].firstIndex { $0.rank != sorted[position].rank } ?? sorted.endIndex
      let ofOneSource = sorted[position..<end]
      for sample in ofOneSource { count.add(share(of: sample.spread, on: day, outside: covered), sample.marks) }
      if end < sorted.endIndex { covered = union(covered, ofOneSource.map { $0.spread.from..<$0.spread.until }) }
      position = end
    }
    return count
  }

  private static func share(of spread: Spread, on day: LocalDay, outside covered: [Range<Int64>]) -> Int {
    var share = 0
    spread.forEachPiece { piece in
      guard piece.day == day else { return }
      var from = piece.from
      var next = firstIndex(in: covered, endingAfter: from)
      while from < piece.until {
        let stop = next < covered.count ? min(covered[next].lowerBound, piece.until) : piece.until
        if stop > from { share += spread.share(of: piece, from: from, until: stop) }
        guard next < covered.count else { break }
        from = max(from, covered[next].upperBound)
        next += 1
      }
    }
    return share
  }

  private static func firstIndex(in ranges: [Range<Int64>], endingAfter position: Int64) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound > position { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// The ranges as a list in order, none touching another.
  private static func union(_ ranges: [Range<Int64>], _ others: [Range<Int64>]) -> [Range<Int64>] {
    var united: [Range<Int64>] = []
    for range in (ranges + others).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = united.last, range.lowerBound <= last.upperBound {
        united[united.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        united.append(range)
      }
    }
    return united
  }
}
