import ActivityContract
import GRDB
import Operations
import Storage

/// Deleted activities that still have rows.
///
/// Such an activity has no owner: its row lacks the account's id, and its versions are gone, so that queries for an account's activities,
/// or for what an entry depends on, do not find it. Its entries keep their account until they are removed, because the keys of the search
/// depend on it; a query for entries by account must exclude the activities of ``list(of:in:)``.
enum DeletedActivityStore {
  /// Activities with no more rows than this per kind are removed at once.
  static let rowsAtOnce = 50

  static func migration(_ number: Int) -> Migration {
    Migration(number, "deleted activities") { database in
      try database.execute(
        sql: """
          CREATE TABLE deleted_activities (
            activity_id BLOB NOT NULL PRIMARY KEY REFERENCES activities ON DELETE CASCADE,
            -- Whose it was; in activities it is nobody's.
            account_id BLOB NOT NULL CHECK (length(account_id) = 16)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX deleted_activities_by_account ON deleted_activities (account_id, activity_id);
          """)
    }
  }

  /// The tables in which an activity may have many rows, with their keys.
  static let large = [
    "entries": "activity_id, day", "entry_changes": "activity_id, day, step", "entry_deletions": "activity_id, day",
    "entry_change_names": "activity_id, day, device_id, change_id", "activity_skips": "activity_id, day",
    "tie_days": "activity_id, day",
  ]

  /// The tables in which an activity has few rows, and through which it would be found.
  static let small = [
    "activity_versions", "activity_pauses", "activity_reminders", "activity_tags", "activity_ties", "due_reminders",
    "reminded_activities", "streaks", "timers", "imported_habits",
  ]

  /// Deletes an account's activity: completely where it has few rows, otherwise so that no query finds it any more.
  ///
  /// - Returns: whether some rows remain to be removed.
  static func begin(_ activity: ActivityID, of account: AccountID, _ transaction: Transaction) throws -> Bool {
    let database = transaction.database
    guard try hasMany(activity, in: database) else {
      try database.run("DELETE FROM activities WHERE activity_id = ?", .id(activity))
      return false
    }
    try database.run("INSERT INTO deleted_activities (activity_id, account_id) VALUES (?, ?)", .id(activity), .id(account))
    for table in small { try database.run("DELETE FROM \(table) WHERE activity_id = ?", .id(activity)) }
    try database.run(
      "UPDATE activities SET account_id = ?2, title = '-', title_key = '', reason = NULL WHERE activity_id = ?1", .id(activity),
      .id(AccountID.placeholder))
    return true
  }

  private static func hasMany(_ activity: ActivityID, in database: Database) throws -> Bool {
    for table in large.keys {
      let behind = "SELECT 1 FROM \(table) WHERE activity_id = ? LIMIT 1 OFFSET \(rowsAtOnce)"
      if try database.first(behind, .id(activity), read: { _ in true }) != nil { return true }
    }
    return false
  }

  /// The account's deleted activities that still have rows.
  static func list(of account: AccountID, in database: Database) throws -> Set<ActivityID> {
    var found: Set<ActivityID> = []
    try database.each("SELECT activity_id FROM deleted_activities WHERE account_id = ?", .id(account)) {
      found.insert(try $0.id(0))
      return true
    }
    return found
  }

  /// Removes some of an activity's rows, and the activity itself with the last.
  ///
  /// - Parameter limit: how many at most; all if it is negative.
  /// - Returns: how many that were.
  static func remove(_ activity: ActivityID, limit: Int, _ transaction: Transaction) throws -> Int {
    let database = transaction.database
    var count = 0
    for (table, key) in large.sorted(by: { $0.key < $1.key }) where limit < 0 || count < limit {
      try database.run(
        "DELETE FROM \(table) WHERE (\(key)) IN (SELECT \(key) FROM \(table) WHERE activity_id = ? LIMIT ?)", .id(activity),
        .number(limit < 0 ? limit : limit - count))
      count += database.changesCount
    }
    guard limit < 0 || count < limit else { return count }
    try database.run("DELETE FROM activities WHERE activity_id = ?", .id(activity))
    return count + database.changesCount
  }

  /// Removes rows of a deleted activity of an account that is erased; see ``ErasedTable/Preparation``.
  @Sendable
  static func remove(of account: AccountID, limit: Int, _ transaction: Transaction) throws -> Int {
    var count = 0
    for activity in try list(of: account, in: transaction.database).sorted() where limit < 0 || count < limit {
      count += try remove(activity, limit: limit < 0 ? limit : limit - count, transaction)
    }
    return count
  }
}
