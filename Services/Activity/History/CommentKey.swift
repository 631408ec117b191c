import Operations

/// The key of a comment: account, day, and a number within the day, so that the order of keys is an account's comments from the oldest to
/// the newest.
struct CommentKey: Hashable, Sendable {
  /// The days that a key can represent: centuries beyond the last on which an activity can start.
  static let days = LocalDay(daysSinceEpoch: 0)...LocalDay(daysSinceEpoch: 1 << dayBits - 1)
  /// How many comments an account may write on one day.
  static let maxNumber: Int64 = 1 << numberBits - 1

  private static let dayBits: Int32 = 18
  private static let numberBits: Int64 = 21

  let rawValue: Int64

  /// - Parameters:
  ///   - day: one of ``days``.
  ///   - number: at most ``maxNumber``.
  init(account: Int64, day: LocalDay, number: Int64) {
    precondition(CommentKey.days.contains(day) && (0...CommentKey.maxNumber).contains(number))
    rawValue = (account << Int64(CommentKey.dayBits) | Int64(day.daysSinceEpoch)) << CommentKey.numberBits | number
  }

  /// The account of a key.
  static func account(of key: Int64) -> Int64 { key >> (Int64(dayBits) + numberBits) }

  /// The day of a key.
  static func day(of key: Int64) -> LocalDay {
    LocalDay(daysSinceEpoch: Int32((key >> numberBits) & ((1 << Int64(dayBits)) - 1)))
  }

  /// The lowest key with the same account and day.
  static func firstOfDay(_ key: Int64) -> Int64 { (key >> numberBits) << numberBits }

  /// The range of keys of an account's comments on these days; nil where no key can represent any of the days.
  static func range(_ account: Int64, _ days: ClosedRange<LocalDay>) -> ClosedRange<Int64>? {
    guard days.overlaps(CommentKey.days) else { return nil }
    let days = days.clamped(to: CommentKey.days)
    let first = CommentKey(account: account, day: days.lowerBound, number: 0)
    return first.rawValue...CommentKey(account: account, day: days.upperBound, number: maxNumber).rawValue
  }
}
