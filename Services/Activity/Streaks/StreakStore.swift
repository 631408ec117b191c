import ActivityContract
import GRDB
import Operations
import ServiceKit
import Storage

/// The streaks of all activities, as last published.
///
/// They are counted outside of write transactions, from the plan and all entries, and stored if nothing was written meanwhile, as `changes`
/// shows.
enum StreakStore {
  /// How many streaks are counted at once; fewer once they have so many entries together, since other reads wait for that.
  static let (batch, batchEntries) = (50, 10_000)

  /// A counted streak.
  struct Counted: Sendable {
    let activity: ActivityID
    /// The value of `changes` when it was counted.
    let changes: Int
    let streak: Streak
    /// The account's day.
    let day: LocalDay
    /// When the streak may change without a write.
    let nextAt: Instant
  }

  /// Counts the first due streaks. Rows of erased accounts are ignored.
  static func countDue(_ calendars: AccountCalendars, at now: Instant, in database: Database) throws -> [Counted] {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT activity_id, account_id, changes FROM streaks
          WHERE due_at <= ? AND NOT EXISTS (SELECT 1 FROM erasures WHERE erasures.account_id = streaks.account_id)
          ORDER BY due_at LIMIT ?
          """), arguments: [now, batch])
    var (counted, entries): ([Counted], Int) = ([], 0)
    for row in rows where entries < batchEntries {
      let (activity, account): (ActivityID, AccountID) = (row["activity_id"], row["account_id"])
      let calendar = try calendars.calendarOrUTC(of: account, in: database)
      let days = try AccountDays(of: account, calendar, now: now, in: database)
      let plan = try PlanStore.find(activity, lostDays: days.lost, in: database)
      let progress = try EntryStore.progress(of: activity, in: database)
      let streak = StreakRules.record(plan, progress, today: days.today).streak
      let next = calendar.end(of: StreakRules.nextDay(plan, progress, streak, today: days.today))
      counted.append(
        Counted(
          activity: activity, changes: row["changes"], streak: streak, day: days.today,
          // The effect of clock changes is seen at the next count.
          nextAt: max(next, now.adding(seconds: 60))))
      entries += progress.count
    }
    return counted
  }

  /// Stores counted streaks, and publishes those that changed. Streaks whose data was written meanwhile stay due.
  static func keep(_ counted: [Counted], _ transaction: Transaction) throws {
    for one in counted {
      let streak = one.streak
      try transaction.database.run(
        """
        UPDATE streaks SET due_at = ?3 WHERE activity_id = ?1 AND changes = ?2
          AND run = ?4 AND longest = ?5 AND unit = ?6
        """, .id(one.activity), .number(one.changes), .instant(one.nextAt), .number(streak.current), .number(streak.longest),
        .text(streak.unit.rawValue))
      if transaction.database.changesCount > 0 { continue }
      let changed = try transaction.database.first(
        """
        UPDATE streaks SET due_at = ?3, run = ?4, longest = ?5, unit = ?6, day = ?7, revision = max(revision + 1, ?8)
        WHERE activity_id = ?1 AND changes = ?2
        RETURNING \(columns)
        """, .id(one.activity), .number(one.changes), .instant(one.nextAt), .number(streak.current), .number(streak.longest),
        .text(streak.unit.rawValue), .day(one.day), .instant(transaction.now), read: StreakChanged.init)
      if let changed { try transaction.publish(changed) }
    }
  }

  /// Publishes a streak again, with a higher revision; a streak that was not counted yet is published when it is.
  static func publishAgain(_ activity: ActivityID, of account: AccountID, _ transaction: Transaction) throws {
    let again = try transaction.database.first(
      """
      UPDATE streaks SET revision = max(revision + 1, ?3) WHERE activity_id = ?1 AND account_id = ?2 AND run IS NOT NULL
      RETURNING \(columns)
      """, .id(activity), .id(account), .instant(transaction.now), read: StreakChanged.init)
    if let again { try transaction.publish(again) }
  }

  /// Marks all streaks of an account to be counted again, after it changed how it counts its days.
  static func recheck(of account: AccountID, _ transaction: Transaction) throws {
    try transaction.database.run(
      "UPDATE streaks SET changes = changes + 1, due_at = 0 WHERE account_id = ?", .id(account))
  }

  /// The columns that ``StreakChanged/init(_:)`` reads.
  private static let columns = "activity_id, account_id, run, longest, unit, day, revision"

  /// All streaks as events; see `SnapshotParts`.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    var events: [StreakChanged] = []
    try database.each(
      "SELECT \(columns) FROM streaks WHERE activity_id > ? AND revision > 0 ORDER BY activity_id LIMIT ?",
      .id(try key.map(ActivityID.init(text:)) ?? .placeholder), .number(SnapshotParts.pageSize)
    ) { row in
      events.append(try StreakChanged(row))
      return true
    }
    return SnapshotParts.page(events, of: events, key: \.activityID)
  }
}

extension StreakChanged {
  fileprivate init(_ row: Columns) throws {
    self.init(
      accountID: try row.id(1), activityID: try row.id(0),
      streak: Streak(current: row.number(2), longest: row.number(3), unit: try row.choice(4)), day: row.day(5),
      revision: row.number(6))
  }
}
