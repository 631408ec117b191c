import GRDB
import Operations
import Storage

/// Reads counted days; coins and leaderboards have a table of them each.
enum CountedDayStore {
  /// Reads the days of a range that were already counted.
  ///
  /// - Parameter table: the table that stores them, with the columns `account_id`, `day`, `steps` and `revision`.
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
