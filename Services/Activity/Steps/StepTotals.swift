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

  /// All totals as events, after the key `<account>/<day>/<recorded day>`; see `SnapshotParts`.
  ///
  /// A day is told as it stood on each day it was recorded, so that a listener that asks how late steps came gets the same
  /// answer as one that heard every event. A history of decades that was recorded on one day is several events.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> (events: [any Event], nextKey: String?) {
    let pieces = key?.split(separator: "/").map(String.init) ?? []
    let account = try pieces.count == 3 ? AccountID(text: pieces[0]) : .placeholder
    let day = try pieces.count == 3 ? LocalDay(text: pieces[1]) : .placeholder
    let recordedDay = try pieces.count == 3 ? LocalDay(text: pieces[2]) : .placeholder
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT account_id, day, recorded_day, steps, revision FROM step_totals
        WHERE (account_id, day, recorded_day) > (?, ?, ?) ORDER BY account_id, day, recorded_day LIMIT ?
        """, arguments: [account, day, recordedDay, SnapshotParts.pageSize])
    var events: [StepsChanged] = []
    for row in rows {
      let (account, recordedDay): (AccountID, LocalDay) = (row[0], row[2])
      if events.last?.accountID != account || events.last?.recordedDay != recordedDay {
        events.append(StepsChanged(accountID: account, recordedDay: recordedDay, days: []))
      }
      events[events.count - 1].days.append(StepsChanged.Day(day: row[1], steps: row[3], revision: row[4]))
    }
    let last = rows.count < SnapshotParts.pageSize ? nil : rows.last
    return (events, last.map { "\($0[0] as AccountID)/\($0[1] as LocalDay)/\($0[2] as LocalDay)" })
  }
}
