import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The suspensions, and the last published state of each account.
///
/// Several may run for an account: the one that lasts longest is published, and when it ends, the longest of the others.
enum SuspensionStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "suspensions") { database in
      try database.execute(
        sql: """
          CREATE TABLE suspensions (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            suspension_id BLOB NOT NULL UNIQUE CHECK (length(suspension_id) = 16),
            case_id BLOB NOT NULL UNIQUE REFERENCES moderation_cases (case_id) ON DELETE CASCADE,
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            until INTEGER NOT NULL,
            reason TEXT NOT NULL,
            can_appeal INTEGER NOT NULL DEFAULT 1 CHECK (can_appeal IN (0, 1)),
            began_at INTEGER NOT NULL,
            ended_at INTEGER
          ) STRICT;
          CREATE INDEX suspensions_by_account ON suspensions (account_id, until);
          CREATE INDEX suspensions_running ON suspensions (sequence) WHERE ended_at IS NULL;
          CREATE INDEX suspensions_due ON suspensions (until) WHERE ended_at IS NULL;

          -- The last event of each account, for subscribers without history.
          CREATE TABLE suspended_accounts (
            account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
            suspension_id BLOB NOT NULL CHECK (length(suspension_id) = 16),
            until INTEGER,
            reason TEXT NOT NULL,
            can_appeal INTEGER NOT NULL CHECK (can_appeal IN (0, 1)),
            revision INTEGER NOT NULL CHECK (revision >= 1),
            changed_at INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          """)
    }
  }

  /// A suspension as it is kept.
  struct Stored {
    let id: SuspensionID
    let moderationCase: ID<ModerationCase>
    let account: AccountID
    let endedAt: Instant?

    init(_ row: Row) {
      id = row["suspension_id"]
      moderationCase = row["case_id"]
      account = row["account_id"]
      endedAt = row["ended_at"]
    }
  }

  static func find(_ id: SuspensionID, in database: Database) throws -> Stored? {
    try Row.fetchOne(database.cachedStatement(sql: "SELECT * FROM suspensions WHERE suspension_id = ?"), arguments: [id])
      .map(Stored.init)
  }

  /// Suspends an account, and publishes it.
  static func suspend(
    _ account: AccountID, until: Instant, _ reason: ReportText, in moderationCase: ID<ModerationCase>, _ transaction: Transaction
  ) throws {
    let id = SuspensionID()
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO suspensions (suspension_id, case_id, account_id, until, reason, began_at) VALUES (?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [id, moderationCase, account, until, reason, transaction.now])
    try publish(account, after: id, transaction)
  }

  /// Ends the suspension of a case if it runs, and publishes it; false where there was none.
  @discardableResult
  static func end(in moderationCase: ID<ModerationCase>, _ transaction: Transaction) throws -> Bool {
    let statement = try transaction.database.cachedStatement(
      sql: "UPDATE suspensions SET ended_at = ? WHERE case_id = ? AND ended_at IS NULL RETURNING suspension_id, account_id")
    return try publish(Row.fetchOne(statement, arguments: [transaction.now, moderationCase]), transaction)
  }

  /// Notes that a suspension that runs cannot be appealed against any more, and publishes it.
  static func endAppeals(in moderationCase: ID<ModerationCase>, _ transaction: Transaction) throws {
    let statement = try transaction.database.cachedStatement(
      sql: """
        UPDATE suspensions SET can_appeal = 0 WHERE case_id = ? AND can_appeal = 1 AND ended_at IS NULL
        RETURNING suspension_id, account_id
        """)
    _ = try publish(Row.fetchOne(statement, arguments: [moderationCase]), transaction)
  }

  private static func publish(_ changed: Row?, _ transaction: Transaction) throws -> Bool {
    guard let changed else { return false }
    try publish(changed["account_id"], after: changed["suspension_id"], transaction)
    return true
  }

  /// Ends those whose time is over, at most that many, and publishes it; returns how many.
  static func endDue(limit: Int, _ transaction: Transaction) throws -> Int {
    let due = try ID<ModerationCase>.fetchAll(
      transaction.database.cachedStatement(
        sql: "SELECT case_id FROM suspensions WHERE ended_at IS NULL AND until <= ? ORDER BY until LIMIT ?"),
      arguments: [transaction.now, limit])
    for moderationCase in due { try end(in: moderationCase, transaction) }
    return due.count
  }

  /// Publishes an account's current state: the running suspension that lasts longest, otherwise the end of the one that changed.
  ///
  /// A revision is the time in milliseconds, or the last revision plus one if that is higher: so it grows even after the store was restored
  /// from an older backup.
  private static func publish(_ account: AccountID, after changed: SuspensionID, _ transaction: Transaction) throws {
    let database = transaction.database
    let running = try database.cachedStatement(
      sql: """
        SELECT suspension_id, until, reason, can_appeal FROM suspensions WHERE account_id = ? AND ended_at IS NULL AND until > ?
        ORDER BY until DESC, sequence DESC LIMIT 1
        """)
    let ended = try database.cachedStatement(
      sql: "SELECT suspension_id, NULL AS until, reason, can_appeal FROM suspensions WHERE suspension_id = ?")
    let current = try Row.fetchOne(running, arguments: [account, transaction.now])
    guard let row = try current ?? Row.fetchOne(ended, arguments: [changed]) else { return }
    let kept = try database.cachedStatement(
      sql: """
        INSERT INTO suspended_accounts (account_id, suspension_id, until, reason, can_appeal, revision, changed_at)
        VALUES (:account, :suspension, :until, :reason, :appeal, :now, :now)
        ON CONFLICT (account_id) DO UPDATE SET suspension_id = excluded.suspension_id, until = excluded.until,
          reason = excluded.reason, can_appeal = excluded.can_appeal, revision = max(revision + 1, excluded.revision),
          changed_at = excluded.changed_at
        RETURNING *
        """)
    let event = try Row.fetchOne(
      kept,
      arguments: [
        "account": account, "suspension": row["suspension_id"] as SuspensionID, "until": row["until"] as Instant?,
        "reason": row["reason"] as String, "appeal": row["can_appeal"] as Bool, "now": transaction.now,
      ]
    ).map(SuspensionChanged.init)
    if let event { try transaction.publish(event) }
  }

  /// Whether an account is suspended, in SQL, of a column or parameter.
  static func isSuspended(_ account: String) -> String {
    "EXISTS (SELECT 1 FROM suspended_accounts WHERE suspended_accounts.account_id = \(account) AND suspended_accounts.until IS NOT NULL)"
  }

  /// The suspensions that run, newest first.
  static func running(before sequence: Int64, limit: Int, in database: Database) throws -> [Row] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT s.*, u.username, u.nickname, u.photo_tag FROM suspensions s LEFT JOIN accounts u ON u.account_id = s.account_id
        WHERE s.ended_at IS NULL AND s.sequence < ? ORDER BY s.sequence DESC LIMIT ?
        """)
    return try Row.fetchAll(statement, arguments: [sequence, limit])
  }

  /// The last of every account as events; see `SnapshotParts`. Those that ended are published too.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let rows = try Row.fetchAll(
      database, sql: "SELECT * FROM suspended_accounts WHERE account_id > ? ORDER BY account_id LIMIT ?",
      arguments: [try key.map { try AccountID(text: $0) } ?? .placeholder, SnapshotParts.pageSize])
    let events = rows.map(SuspensionChanged.init)
    return SnapshotParts.page(events, of: events, key: \.accountID)
  }
}

extension SuspensionChanged {
  fileprivate init(_ row: Row) {
    self.init(
      suspensionID: row["suspension_id"], accountID: row["account_id"], until: row["until"], reason: row["reason"],
      canAppeal: row["can_appeal"], revision: row["revision"], at: row["changed_at"])
  }
}

extension Suspension {
  init(_ row: Row) {
    self.init(
      id: row["suspension_id"], caseID: row["case_id"], accountID: row["account_id"], username: row["username"],
      nickname: row["nickname"], photoURL: row.photoURL(of: "account_id"), since: row["began_at"], until: row["until"],
      reason: row["reason"])
  }
}
