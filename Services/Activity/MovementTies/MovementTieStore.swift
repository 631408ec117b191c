public import ActivityContract
public import GRDB
import Operations
import Storage

/// The activities that movement completes automatically (MOVE-7).
///
/// Their progress is set in the transaction that changes a day's movement, on planned days that have begun; a correction that removes steps
/// reopens the day. A day that is paused or skipped, or whose goal is not measured in such movement, keeps its progress.
enum MovementTieStore {
  /// How many past days a new tie updates.
  static let daysBack = 30

  static func migration(_ number: Int) -> Migration {
    Migration(number, "ties to movement") { database in
      try database.execute(
        sql: """
          CREATE TABLE activity_ties (
            activity_id BLOB NOT NULL PRIMARY KEY REFERENCES activities ON DELETE CASCADE,
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            kind TEXT NOT NULL CHECK (kind IN ('steps', 'walking', 'running', 'cycling'))
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX activity_ties_by_account ON activity_ties (account_id);
          """)
    }
  }

  /// Adds which movement was applied to a day.
  static func daysMigration(_ number: Int) -> Migration {
    Migration(number, "movement that ties have taken up") { database in
      try database.execute(
        sql: """
          CREATE TABLE tie_days (
            activity_id BLOB NOT NULL REFERENCES activities ON DELETE CASCADE,
            day INTEGER NOT NULL,
            -- Steps or millimetres, of the tie's kind.
            movement INTEGER NOT NULL CHECK (movement >= 0),
            PRIMARY KEY (activity_id, day)
          ) STRICT, WITHOUT ROWID;
          INSERT INTO tie_days
          SELECT ties.activity_id, entries.day,
            CASE ties.kind WHEN 'steps' THEN steps WHEN 'walking' THEN walking WHEN 'running' THEN running ELSE cycling END
          FROM activity_ties AS ties JOIN entries ON entries.activity_id = ties.activity_id
          JOIN (
            SELECT account_id, day, steps, walking, running, cycling, max(revision) FROM movement_days GROUP BY account_id, day
          ) AS moved ON moved.account_id = ties.account_id AND moved.day = entries.day;
          """)
    }
  }

  /// Ties an activity to movement, or unties it, and updates its last days from the samples. Progress written after the day's movement last
  /// changed stays.
  static func set(
    _ kind: MovementKind?, _ activity: ActivityID, of account: AccountID, today: LocalDay, _ transaction: Transaction
  ) throws {
    let database = transaction.database
    try database.run("DELETE FROM tie_days WHERE activity_id = ?", .id(activity))
    guard let kind else {
      try database.run("DELETE FROM activity_ties WHERE activity_id = ?", .id(activity))
      return
    }
    try database.run(
      """
      INSERT INTO activity_ties (activity_id, account_id, kind) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET kind = excluded.kind
      """, .id(activity), .id(account), .text(kind.rawValue))
    try recountRecentDays(activity, of: account, today: today, transaction)
  }

  /// Applies movement that was measured before the activity asked for these days to the last days, after its terms changed.
  static func recountRecentDays(
    _ activity: ActivityID, of account: AccountID, today: LocalDay, _ transaction: Transaction
  ) throws {
    try takeUp(today.advanced(by: -daysBack)...today, activity, of: account, today: today, transaction)
  }

  /// Applies movement that was measured while days were paused or skipped, now that they are due again. Progress written after the day's
  /// movement last changed stays.
  static func takeUp(
    _ days: ClosedRange<LocalDay>, _ activity: ActivityID, of account: AccountID, today: LocalDay, _ transaction: Transaction
  ) throws {
    let database = transaction.database
    let found = try database.first("SELECT kind FROM activity_ties WHERE activity_id = ?", .id(activity)) {
      try $0.choice(0) as MovementKind
    }
    guard let kind = found, days.lowerBound <= today else { return }
    let states = try MovementDayStore.list(of: account, from: days.lowerBound, to: min(days.upperBound, today), in: database)
    for state in states where try stands(activity, state, in: database) {
      try note(state[kind], activity, state.day, in: database)
    }
    try follow(states, of: account, today: today, only: activity, transaction)
  }

  /// Whether the progress of a day to which no movement was applied is newer than that movement.
  private static func stands(_ activity: ActivityID, _ state: MovementState, in database: Database) throws -> Bool {
    guard try takenUp(activity, state.day, in: database) == nil, let written = try lastWrite(activity, state.day, in: database)
    else { return false }
    // A day's revision is the time of its last change.
    return written.milliseconds >= state.revision
  }

  /// The movement that was applied to the activity's day; nil where none ever was.
  private static func takenUp(_ activity: ActivityID, _ day: LocalDay, in database: Database) throws -> Int? {
    try database.first("SELECT movement FROM tie_days WHERE activity_id = ? AND day = ?", .id(activity), .day(day)) {
      $0.number(0)
    }
  }

  private static func note(
    _ movement: Int, _ activity: ActivityID, _ day: LocalDay, in database: Database
  ) throws {
    try database.run(
      """
      INSERT INTO tie_days (activity_id, day, movement) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET movement = excluded.movement
      """, .id(activity), .day(day), .number(movement))
  }

  /// When the progress of a day was last written, deleted or undone; nil where it never was.
  private static func lastWrite(_ activity: ActivityID, _ day: LocalDay, in database: Database) throws -> Instant? {
    let found = try database.first(
      """
      SELECT max(at) FROM (
        SELECT progress_at AS at FROM entries WHERE activity_id = ?1 AND day = ?2
        UNION ALL SELECT written_at FROM entry_deletions WHERE activity_id = ?1 AND day = ?2
        UNION ALL SELECT lost_at FROM entry_changes WHERE activity_id = ?1 AND day = ?2 AND cause = 'undone')
      """, .id(activity), .day(day)
    ) { $0.isNull(0) ? nil : $0.instant(0) }
    return found ?? nil
  }

  /// Sets the progress of tied activities on changed days to the measured movement, where that differs from what was applied before:
  /// progress written by hand since then stays until the movement of the tie's kind changes.
  ///
  /// - Parameter only: the only activity to update; nil for all of the account.
  static func follow(
    _ states: [MovementState], of account: AccountID, today: LocalDay, only: ActivityID? = nil, _ transaction: Transaction
  ) throws {
    let database = transaction.database
    let tied = try Row.fetchAll(
      database.cachedStatement(sql: "SELECT activity_id, kind FROM activity_ties WHERE account_id = ?"), arguments: [account])
    for row in tied {
      let (activity, kind): (ActivityID, MovementKind) = (row["activity_id"], row["kind"])
      guard only == nil || only == activity else { continue }
      for state in states where state.day <= today {
        let goal = try ActivityStore.goal(activity, of: account, on: state.day, today: today, in: database)
        guard goal.isPlanned, !goal.isPaused, !goal.isSkipped,
          let progress = try progress(state, kind, activity, goal.measure, in: database),
          try takenUp(activity, state.day, in: database) ?? 0 != state[kind]
        else { continue }
        try note(state[kind], activity, state.day, in: database)
        guard try progress > 0 || EntryStore.find(activity, state.day, in: database) != nil else { continue }
        _ = try EntryStore.change(goal, of: account, today: today, transaction) { _, _ in progress }
      }
    }
  }

  /// The day's movement as progress; nil where the goal of that day does not measure such movement.
  private static func progress(
    _ state: MovementState, _ kind: MovementKind, _ activity: ActivityID, _ measure: GoalMeasure, in database: Database
  ) throws -> Int? {
    guard measure.kind == .quantity else { return nil }
    let unit = try database.first(
      """
      SELECT goal_unit FROM activity_versions WHERE activity_id = ? AND from_day <= ? ORDER BY from_day DESC LIMIT 1
      """, .id(activity), .day(state.day)
    ) { $0.text(0) }
    let scale = unit.flatMap { MovementTie.distanceUnits[$0] }
    if kind == .steps { return scale == nil ? min(state.steps * 1000, measure.maximum) : nil }
    return scale.map { min(state[kind] / $0, measure.maximum) }
  }
}

extension MovementKind: DatabaseValueConvertible {}
