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
    try follow(activity, of: account, from: today.advanced(by: -daysBack), today: today, transaction)
  }

  /// Sets the progress of a tied activity to what was measured on the days from that one on.
  static func follow(
    _ activity: ActivityID, of account: AccountID, from day: LocalDay, today: LocalDay, _ transaction: Transaction
  ) throws {
    let states = try MovementDays.list(of: account, from: day, to: today, in: transaction.database)
    try follow(states, of: account, today: today, only: activity, transaction)
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
        let goal = try Activities.goal(activity, of: account, on: state.day, today: today, in: database)
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
