import Operations
import Storage

/// Cuts a batch of samples, ordered by their days, into parts of a few days. Each part is a transaction, so that others write between two
/// of them.
///
/// A day is in one part, so nobody sees it half done. It is in several only where it holds too many samples of several kinds, where a
/// sample lasts beyond midnight, and where a new version of a sample is of another day.
struct SampleParts {
  typealias Day = DaySettlement.DayKey

  /// The sizes of parts, in days of one kind of movement. A smaller batch, as nearly all are, is one transaction.
  static let limits = StepLimits(first: 16, max: 64)
  /// A day counts once more for each so many samples that are read where it is counted again: so those of all days of the first part are
  /// no more than one day may have.
  static let samplesPerUnit = SampleKey.maximum / Int64(limits.first)

  /// The days that each sample of the batch changes.
  private let days: [[Day]]
  /// What each day counts.
  private let weights: [Day: Int]
  /// By day, then by kind.
  private let places: [Int]
  /// The indices of the samples, in the order of their places. Samples of the same id keep their order, since they have the same place.
  private let order: [Int]
  private var size = StepSize(first: Self.limits.first, max: Self.limits.max, target: Self.limits.target)
  /// What the last part counts.
  private var weight = 0
  /// Where in the order the next part starts.
  private var start = 0

  /// - Parameters:
  ///   - ids: the ids of the samples.
  ///   - days: the days that each sample changes, that of its place first; none for a sample that changes nothing.
  ///   - samples: how many samples are read where a day is counted again.
  init(of ids: [String], days: [[Day]], samples: [Day: Int64]) {
    self.days = days
    weights = samples.mapValues { 1 + Int($0 / Self.samplesPerUnit) }
    var known: [String: Int] = [:]
    let places = ids.indices.map { index -> Int in
      guard let first = days[index].first else { return .max }
      let place = known[ids[index]] ?? Int(first.day.daysSinceEpoch) << 2 | first.kind.number
      known[ids[index]] = place
      return place
    }
    self.places = places
    order = ids.indices.sorted { (places[$0], $0) < (places[$1], $1) }
  }

  /// The indices of the samples that are in no part yet; finally those of the last part.
  var rest: ArraySlice<Int> { order[start...] }

  /// The indices of the next part's samples; nil where the rest is small enough for one part.
  mutating func next() -> ArraySlice<Int>? {
    var changed: Set<Day> = []
    var sum = 0
    // The day of the samples at hand: where it begins, and what those before it count.
    var (day, begin, before) = (Int.min, start, 0)
    for position in start..<order.count {
      let index = order[position]
      if places[index] >> 2 != day { (day, begin, before) = (places[index] >> 2, position, sum) }
      var added = 0
      for day in days[index] where changed.insert(day).inserted { added += weights[day] ?? 1 }
      guard sum > 0, added > 0, sum + added > size.count else {
        sum += added
        continue
      }
      let end = begin > start ? begin : position
      weight = begin > start ? before : sum
      defer { start = end }
      return order[start..<end]
    }
    return nil
  }

  /// Notes how long the transaction of the last part took, which decides how much the next one has.
  mutating func took(_ duration: Duration) { size.took(duration, for: weight) }
}

/// The parts of a batch that were committed before its last one.
struct CommittedParts<Outcome: Sendable>: Sendable {
  let outcomes: [Outcome]
  /// The indices of the last part's samples.
  let rest: ArraySlice<Int>
}
