import Operations

/// A sample with the rank of its source, for the count of a day.
struct RankedSample: Sendable {
  /// The rank of its source in the account's order, from 0.
  let rank: Int
  let spread: Spread
  let flags: SampleFlags
}

/// Counts a day that several sources measured (MOVE-1): for each stretch of time the source of highest priority that measured then counts,
/// and each sample counts for the share of its time in which its source does. Samples of one source add up.
///
/// A sample without duration has no time of its own, and the sources that measured around it measured its movement too. So it is not added:
/// it replaces as many steps of the next source's sample at that time, and together they amount to the greater of both.
///
/// The count depends only on the samples, not on their order.
enum OverlapRules {
  struct Count: Hashable {
    var amount = 0
    var flags: SampleFlags = []
    /// The unflagged amount by minute.
    var minutes = MinuteSums()

    /// Counts a piece of a sample that nothing overlaps.
    mutating func add(_ piece: Spread.Piece, of spread: Spread, _ flags: SampleFlags) {
      let share = spread.share(of: piece, from: piece.from, until: piece.until)
      guard share > 0 else { return }
      amount += share
      self.flags.formUnion(flags)
      guard flags.isEmpty else { return }
      spread.forEachMinute(of: piece, from: piece.from, until: piece.until) { minutes.add($1, at: $0) }
    }

    mutating func add(_ other: Count) {
      amount += other.amount
      flags.formUnion(other.flags)
      minutes.add(other.minutes)
    }
  }

  /// - Parameter samples: all that overlap any sample with a share of the day, in any order.
  static func count(_ samples: [RankedSample], on day: LocalDay) -> Count {
    var count = Count()
    var covered: [Range<Int64>] = []
    var zeroLengthSamples = ZeroLengthSamples()
    let sorted = samples.sorted { $0.key < $1.key }
    var position = sorted.startIndex
    while position < sorted.endIndex {
      let end = sorted[position...].firstIndex { $0.rank != sorted[position].rank } ?? sorted.endIndex
      let ofOneSource = sorted[position..<end]
      for sample in ofOneSource { add(sample, on: day, outside: covered, &zeroLengthSamples, to: &count) }
      if end < sorted.endIndex {
        zeroLengthSamples.add(ofOneSource.map(\.spread).filter { $0.hasZeroLength && !covered.contain($0.from) })
        let stretches = union([], ofOneSource.map(\.spread).filter { !$0.hasZeroLength }.map { $0.from..<$0.until })
        zeroLengthSamples.hide(under: stretches)
        covered = union(covered, stretches)
      }
      position = end
    }
    return count
  }

  private static func add(
    _ sample: RankedSample, on day: LocalDay, outside covered: [Range<Int64>], _ zeroLengthSamples: inout ZeroLengthSamples,
    to count: inout Count
  ) {
    let spread = sample.spread
    if spread.hasZeroLength, zeroLengthSamples.hides(spread.from) { return }
    spread.forEachPiece { piece in
      guard piece.day == day else { return }
      var measured = 0
      forEachStretch(of: piece, outside: covered) { measured += spread.share(of: piece, from: $0, until: $1) }
      let share = measured - zeroLengthSamples.take(measured, within: piece.from..<piece.until)
      guard share > 0 else { return }
      count.amount += share
      count.flags.formUnion(sample.flags)
      guard sample.flags.isEmpty else { return }
      var passed = 0
      forEachStretch(of: piece, outside: covered) { from, until in
        spread.forEachMinute(of: piece, from: from, until: until) { minute, amount in
          // What samples without duration have replaced is subtracted evenly.
          let (before, after) = (passed, passed + amount)
          passed = after
          count.minutes.add(
            share == measured ? amount : after * share / measured - before * share / measured, at: minute)
        }
      }
    }
  }

  /// Calls the body with the parts of a piece that are not covered, in order.
  private static func forEachStretch(
    of piece: Spread.Piece, outside covered: [Range<Int64>], _ body: (_ from: Int64, _ until: Int64) -> Void
  ) {
    var from = piece.from
    var next = covered.firstIndex(endingAfter: from)
    while from < piece.until {
      let stop = next < covered.count ? min(covered[next].lowerBound, piece.until) : piece.until
      if stop > from { body(from, stop) }
      guard next < covered.count else { break }
      from = max(from, covered[next].upperBound)
      next += 1
    }
  }

  /// The union of the ranges, in order and without adjacent ones.
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

extension RankedSample {
  /// The order in which samples are counted: by all properties that matter, so that it does not depend on the order of arrival.
  fileprivate var key: (Int, Int64, Int64, Int, UInt8, Int64) {
    (rank, spread.from, spread.until, spread.amount, flags.rawValue, spread.pieces.first?.until ?? spread.until)
  }
}
