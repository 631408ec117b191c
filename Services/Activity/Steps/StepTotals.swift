import ActivityContract
import GRDB
import Operations
import ServiceKit
import Storage

/// The steps of each day.
enum StepTotals {
  /// Adds steps to days, as recorded on that day.
  ///
  /// A revision is the time in milliseconds, or one more than the last where that is more: so it grows even after the store was
  /// put back from an older copy.
  ///
  /// - Returns: the days as they stand now.
  static func add(
    _ changes: [(day: LocalDay, steps: Int)], of account: AccountID, recordedDay: LocalDay, _ transaction: Transaction
  ) throws -> [StepsChanged.Day] {
    let database = transaction.database
    let search = try database.cachedStatement(
      sql: "SELECT steps, revision FROM step_totals WHERE account_id = ? AND day = ? ORDER BY revision DESC LIMIT 1")
    let change = try database.cachedStatement(
      sql: """
        INSERT INTO step_totals (account_id, day, recorded_day, steps, revision) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (account_id, day, recorded_day) DO UPDATE SET steps = excluded.steps, revision = excluded.revision
        """)
    return try changes.map { day, steps in
      let before = try Row.fetchOne(search, arguments: [account, day])
      let after = StepsChanged.Day(
        day: day, steps: (before?["steps"] ?? 0) + steps,
        revision: max((before?["revision"] ?? 0) + 1, Int(transaction.now.milliseconds)))
      try change.execute(arguments: [account, day, recordedDay, after.steps, after.revision])
      return after
    }
  }

  /// The days that have steps, oldest first.
  static func list(of account: AccountID, from: LocalDay, to: LocalDay, in database: Database) throws -> [StepDay] {
    // Beside max() stand the values of the row that has it (sqlite.org/lang_select.html, "Bare columns in an aggregate query").
    let statement = try database.cachedStatement(
      sql: """
        SELECT day, steps, max(revision) FROM step_totals WHERE account_id = ? AND day BETWEEN ? AND ?
        GROUP BY day ORDER BY day
        """)
    return try Row.fetchAll(statement, arguments: [account, from, to]).map { StepDay(day: $0["day"], steps: $0["steps"]) }
  }

  /// All totals as events, after the account whose id is the key; see `SnapshotParts`.
  ///
  /// A day is told as it stood on each day it was recorded, so that a listener that asks how late steps came gets the same
  /// answer as one that heard every event.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> (events: [any Event], nextKey: String?) {
    var account = try key.map(AccountID.init(text:)) ?? .placeholder
    var events: [any Event] = []
    var rowCount = 0
    while rowCount < SnapshotParts.pageSize {
      let next = try AccountID.fetchOne(
        database, sql: "SELECT account_id FROM step_totals WHERE account_id > ? ORDER BY account_id LIMIT 1", arguments: [account]
      )
      guard let next else { return (events, nil) }
      account = next
      let rows = try Row.fetchAll(
        database, sql: "SELECT * FROM step_totals WHERE account_id = ? ORDER BY recorded_day, day", arguments: [account])
      rowCount += rows.count
      let days = Dictionary(grouping: rows) { row in row["recorded_day"] as LocalDay }
      for (recordedDay, rows) in days.sorted(by: { $0.key < $1.key }) {
        events.append(
          StepsChanged(
            accountID: account, recordedDay: recordedDay,
            days: rows.map { StepsChanged.Day(day: $0["day"], steps: $0["steps"], revision: $0["revision"]) }))
      }
    }
    return (events, account.description)
  }
}
