public import ActivityContract
public import GRDB
import Operations
import Storage

/// The activities that complete themselves from movement (MOVE-7).
enum Ties {
  /// How many days back a new tie looks.
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

  /// Ties an activity, or unties it, and lets its last days follow what was measured.
  static func set(
    _ kind: MovementKind?, _ activity: ActivityID, of account: AccountID, today: LocalDay, _ transaction: Transaction
  ) throws {
    let database = transaction.database
    guard let kind else {
      try database.run("DELETE FROM activity_ties WHERE activity_id = ?", .id(activity))
      return
    }
    try database.run(
      """
      INSERT INTO activity_ties (activity_id, account_id, kind) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET kind = excluded.kind
      """, .id(activity), .id(account), .text(kind.rawValue))
    let states = try MovementDays.list(of: account, from: today.advanced(by: -daysBack), to: today, in: database)
    try follow(states, of: account, today: today, only: activity, transaction)
  }

  /// Lets the last days take up what was measured on them before the activity asked for them, as it asks for others now.
  static func takeUpLastDays(_ activity: ActivityID, of account: AccountID, today: LocalDay, _ transaction: Transaction) throws {
    try takeUp(today.advanced(by: -daysBack)...today, activity, of: account, today: today, transaction)
  }

  /// Lets days that are asked for again take up what was measured on them while they rested. What was written of a day after its
  /// movement changed last stands.
  static func takeUp(
    _ days: ClosedRange<LocalDay>, _ activity: ActivityID, of account: AccountID, today: LocalDay, _ transaction: Transaction
  ) throws {
    let database = transaction.database
    let isTied = try database.first("SELECT 1 FROM activity_ties WHERE activity_id = ?", .id(activity)) { _ in true } ?? false
    guard isTied, days.lowerBound <= today else { return }
    let states = try MovementDays.list(of: account, from: days.lowerBound, to: min(days.upperBound, today), in: database)
      .filter { state in
        guard let written = try lastWrite(activity, state.day, in: database) else { return true }
        // A day's revision is the time of its last change.
        return written.milliseconds < state.revision
      }
    try follow(states, of: account, today: today, only: activity, transaction)
  }

  /// When the progress of a day was last written, taken back or undone; nil where it never was.
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

  /// Sets the progress of tied activities on changed days to what was measured. What was written by hand stands until then.
  ///
  /// - Parameter only: the one activity concerned; nil for all of the account.
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
        let goal = try Activities.goal(activity, of: account, on: state.day, in: database)
        guard goal.isPlanned, !goal.isPaused, !goal.isSkipped,
          let progress = try progress(state, kind, activity, goal.measure, in: database),
          try progress > 0 || Entries.find(activity, state.day, in: database) != nil
        else { continue }
        _ = try Entries.change(goal, of: account, today: today, transaction) { _, _ in progress }
      }
    }
  }

  /// What a day's movement is as progress; nil where the goal of that day is none of such movement.
  private static func progress(
    _ state: MovementState, _ kind: MovementKind, _ activity: ActivityID, _ measure: GoalMeasure, in database: Database
  ) throws -> Int? {
    guard measure.kind == .quantity else { return nil }
    if kind == .steps { return min(state.steps * 1000, measure.most) }
    let unit = try database.first(
      """
      SELECT goal_unit FROM activity_versions WHERE activity_id = ? AND from_day <= ? ORDER BY from_day DESC LIMIT 1
      """, .id(activity), .day(state.day)
    ) { $0.text(0) }
    guard let scale = unit.flatMap({ MovementTie.distanceUnits[$0] }) else { return nil }
    return min(state[kind] / scale, measure.most)
  }
}

extension MovementKind: DatabaseValueConvertible {}
