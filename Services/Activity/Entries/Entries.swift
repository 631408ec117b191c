import ActivityContract
import GRDB
import Operations
import ServiceKit
import Storage

/// The entries of all activities: at most one each day, which the primary key sees to.
enum Entries {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "entries") { database in
      try database.execute(
        sql: """
          CREATE TABLE entries (
            activity_id BLOB NOT NULL REFERENCES activities ON DELETE CASCADE,
            day INTEGER NOT NULL,
            -- in the unit of the activity's goal_target
            progress INTEGER NOT NULL CHECK (progress >= 0),
            is_done INTEGER NOT NULL CHECK (is_done IN (0, 1)),
            recorded_at INTEGER NOT NULL,
            PRIMARY KEY (activity_id, day)
          ) STRICT, WITHOUT ROWID;
          """)
    }
  }

  /// The progress of a day and when it was written; nil where nothing was.
  static func find(_ activity: ActivityID, _ day: LocalDay, in database: Database) throws -> (progress: Int, recordedAt: Instant)?
  {
    try database.first(
      "SELECT progress, recorded_at FROM entries WHERE activity_id = ? AND day = ?", .id(activity), .day(day)
    ) { ($0.number(0), $0.instant(1)) }
  }

  /// Lets a rule change the progress of a day and tells of it; where nothing changes, nothing is written or told.
  ///
  /// - Throws: ``EntryFailure`` where the day is none on which to write, and what the rule throws.
  static func change(
    _ goal: PlannedGoal, of account: AccountID, today: LocalDay, _ transaction: Transaction,
    by rule: (GoalMeasure, Int) throws -> Int
  ) throws -> Entry {
    try goal.requireOpen(today: today)
    let (activity, day, measure) = (goal.activity, goal.day, goal.measure)
    let before = try find(activity, day, in: transaction.database)
    let progress = try rule(measure, before?.progress ?? 0)
    let isDone = measure.isDone(progress)
    var entry = Entry(
      activityID: activity, day: day, isDone: isDone, amount: measure.amount(progress),
      durationSeconds: measure.durationSeconds(progress), recordedAt: transaction.now)
    if let before, before.progress == progress {
      entry.recordedAt = before.recordedAt
      return entry
    }
    try transaction.database.run(
      """
      INSERT INTO entries (activity_id, day, progress, is_done, recorded_at) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (activity_id, day) DO UPDATE
      SET progress = excluded.progress, is_done = excluded.is_done, recorded_at = excluded.recorded_at
      """, .id(activity), .day(day), .number(progress), .truth(isDone), .instant(transaction.now))
    try transaction.tell(
      EntryRecorded(
        accountID: account, activityID: activity, day: day, isDone: isDone, isDeleted: false, amount: entry.amount,
        durationSeconds: entry.durationSeconds))
    return entry
  }

  /// Takes a day's entry back, if there is one, and tells of it.
  static func delete(_ activity: ActivityID, of account: AccountID, on day: LocalDay, _ transaction: Transaction) throws {
    let statement = try transaction.database.cachedStatement(sql: "DELETE FROM entries WHERE activity_id = ? AND day = ?")
    try statement.execute(arguments: [activity, day])
    guard transaction.database.changesCount > 0 else { return }
    try transaction.tell(
      EntryRecorded(
        accountID: account, activityID: activity, day: day, isDone: false, isDeleted: true, amount: nil,
        durationSeconds: nil))
  }

  /// The progress of each day that has an entry, oldest first.
  static func progress(
    of activity: ActivityID, from first: LocalDay = ActivityVersions.beginning,
    to last: LocalDay = LocalDay(daysSinceEpoch: .max), in database: Database
  ) throws -> [DayProgress] {
    let statement = try database.cachedStatement(
      sql: "SELECT day, progress FROM entries WHERE activity_id = ? AND day BETWEEN ? AND ? ORDER BY day")
    var found: [DayProgress] = []
    let rows = try Row.fetchCursor(statement, arguments: [activity, first, last])
    while let row = try rows.next() { found.append(DayProgress(day: row[0], progress: row[1])) }
    return found
  }

  /// All entries as events, after the key `<activity>/<day>`; see `SnapshotParts`.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> (events: [any Event], nextKey: String?) {
    let pieces = key?.split(separator: "/").map(String.init) ?? []
    let activity = try pieces.first.map(ActivityID.init(text:)) ?? .placeholder
    let day = try pieces.count == 2 ? LocalDay(text: pieces[1]) : .placeholder
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT entries.*, activity_versions.account_id, activity_versions.goal_kind
        FROM entries JOIN activity_versions ON activity_versions.activity_id = entries.activity_id
          AND activity_versions.from_day = (SELECT max(from_day) FROM activity_versions AS latest
            WHERE latest.activity_id = entries.activity_id AND latest.from_day <= entries.day)
        WHERE (entries.activity_id, entries.day) > (?, ?) ORDER BY entries.activity_id, entries.day LIMIT ?
        """, arguments: [activity, day, SnapshotParts.pageSize])
    let events = rows.map { row in
      let measure = GoalMeasure(kind: row["goal_kind"], target: 1)
      let progress: Int = row["progress"]
      return EntryRecorded(
        accountID: row["account_id"], activityID: row["activity_id"], day: row["day"], isDone: row["is_done"], isDeleted: false,
        amount: measure.amount(progress), durationSeconds: measure.durationSeconds(progress))
    }
    let isLast = rows.count < SnapshotParts.pageSize
    return (events, isLast ? nil : events.last.map { "\($0.activityID)/\($0.day)" })
  }
}
