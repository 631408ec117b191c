import GRDB
import Operations
import Storage

/// A day of an account as it was counted last, for coins or on leaderboards: its steps, and which of its states that was.
struct CountedDay: Hashable, Sendable {
  let steps: Int
  let revision: Int

  /// The days of a range that were counted already.
  ///
  /// - Parameter table: the one that keeps them, with the columns `account_id`, `day`, `steps` and `revision`.
  static func read(
    _ days: ClosedRange<LocalDay>, of account: AccountID, from table: String, in database: Database
  ) throws -> [LocalDay: CountedDay] {
    var found: [LocalDay: CountedDay] = [:]
    try database.each(
      "SELECT day, steps, revision FROM \(table) WHERE account_id = ? AND day BETWEEN ? AND ?", .id(account),
      .day(days.lowerBound), .day(days.upperBound)
    ) {
      found[$0.day(0)] = CountedDay(steps: $0.number(1), revision: $0.number(2))
      return true
    }
    return found
  }
}
