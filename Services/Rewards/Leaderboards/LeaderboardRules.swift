import Operations
import RewardsContract

/// How people are counted by their scores, and which months' ranks still move (REW-6).
enum LeaderboardRules {
  /// How many buckets of a level are one of the next. The triggers count so: it changes by a migration alone.
  static let bucketWidth = 256
  /// The first has a bucket for each score, the last one for each 65,536.
  static let levels = 3
  /// Above any score there is.
  static let end = 1 << 48

  /// How many scores a bucket of a level holds.
  static func width(ofLevel level: Int) -> Int { (0..<level).reduce(1) { width, _ in width * bucketWidth } }

  /// Buckets of one level that follow each other.
  struct Buckets: Hashable {
    let level: Int
    let range: Range<Int>
  }

  /// The fewest buckets that together hold the scores of a range, and no others: of each level at most 510, and of the last as many as
  /// there are.
  static func buckets(of scores: Range<Int>) -> [Buckets] {
    var found: [Buckets] = []
    var rest = scores
    for level in 0..<levels where !rest.isEmpty {
      // Whole buckets of the next level.
      let first = (rest.lowerBound + bucketWidth - 1) / bucketWidth
      let last = rest.upperBound / bucketWidth
      guard level < levels - 1, first < last else {
        found.append(Buckets(level: level, range: rest))
        break
      }
      for edge in [rest.lowerBound..<first * bucketWidth, last * bucketWidth..<rest.upperBound] where !edge.isEmpty {
        found.append(Buckets(level: level, range: edge))
      }
      rest = first..<last
    }
    return found
  }

  /// The time of which a score is, as the tables keep it: 0 for all time, 202611 for November 2026.
  static func number(of period: LeaderboardPeriod) -> Int { period.firstDay.map(month) ?? allTime }

  static let allTime = 0

  /// The number of the month that holds a day.
  static func month(of day: LocalDay) -> Int {
    let (year, month, _) = day.parts
    return year * 100 + month
  }
}
