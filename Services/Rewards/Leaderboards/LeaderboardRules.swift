import Operations
import RewardsContract

/// The rules for counting people by score, and for which months' ranks may still change (REW-6).
enum LeaderboardRules {
  /// How many buckets of a level make one of the next. The triggers depend on it: changing it needs a migration.
  static let bucketWidth = 256
  /// The number of levels: the first has a bucket per score, the last one per 65,536 scores.
  static let levels = 3
  /// Above any possible score.
  static let end = 1 << 48

  /// How many scores a bucket of a level covers.
  static func width(ofLevel level: Int) -> Int { (0..<level).reduce(1) { width, _ in width * bucketWidth } }

  /// Consecutive buckets of one level.
  struct Buckets: Hashable {
    let level: Int
    let range: Range<Int>
  }

  /// Returns the fewest buckets that cover exactly the scores of a range: at most 510 per level, and any number of the last.
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

  /// The period's number in the tables: 0 for all time, 202611 for November 2026.
  static func number(of period: LeaderboardPeriod) -> Int { period.firstDay.map(month) ?? allTime }

  static let allTime = 0

  /// The number of the month that contains a day.
  static func month(of day: LocalDay) -> Int {
    let (year, month, _) = day.parts
    return year * 100 + month
  }
}
