import GRDB
import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// A suspension as identity keeps it.
struct SuspensionRecord: Sendable {
  let id: SuspensionID
  let accountID: AccountID
  /// ``Instant/endOfTime`` for an account that is banned; when it was lifted, for one that was.
  let until: Instant
  let reason: String
  let canAppeal: Bool
  let appealedAt: Instant?

  init(_ row: Row) {
    id = row["suspension_id"]
    accountID = row["account_id"]
    until = row["until"]
    reason = row["reason"]
    canAppeal = row["can_appeal"]
    appealedAt = row["appealed_at"]
  }

  /// What the owner of the account sees.
  func details(of account: AccountRecord) -> SuspensionDetails {
    let isBanned = until == .endOfTime
    return SuspensionDetails(
      username: account.username, isBanned: isBanned, until: isBanned ? nil : until, reason: reason,
      canAppeal: SuspensionRules.appealRefusal(canAppeal: canAppeal, appealedAt: appealedAt) == nil, appealedAt: appealedAt)
  }
}

/// The suspensions of accounts, as social decided them: the highest revision of an account holds. The account's own row has the end of its
/// suspension.
enum SuspensionStore {
  /// Long enough that an opened link can still be answered with the outcome.
  static let keptSeconds = 30 * 86_400

  static func migration(_ number: Int) -> Migration {
    Migration(number, "suspensions and their mailed links") { database in
      try database.execute(
        sql: """
          CREATE TABLE suspensions (
            suspension_id BLOB NOT NULL PRIMARY KEY CHECK (length(suspension_id) = 16),
            account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
            -- When it was lifted, where it was.
            until INTEGER NOT NULL,
            reason TEXT NOT NULL,
            can_appeal INTEGER NOT NULL CHECK (can_appeal IN (0, 1)),
            -- Counts all that social decided about the account: late or repeated events never set it back.
            revision INTEGER NOT NULL,
            appeal TEXT,
            appealed_at INTEGER,
            CHECK ((appeal IS NULL) = (appealed_at IS NULL))
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX suspensions_by_account ON suspensions (account_id, revision);
          CREATE INDEX suspensions_by_end ON suspensions (until);

          -- As with other mailed links, the token is not stored.
          CREATE TABLE suspension_links (
            link_id BLOB NOT NULL PRIMARY KEY CHECK (length(link_id) = 16),
            account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX suspension_links_by_account ON suspension_links (account_id, created_at);
          CREATE INDEX suspension_links_by_expiry ON suspension_links (expires_at);
          """)
    }
  }

  /// The appeals, as events; see `SnapshotParts`.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT suspension_id, account_id, appeal, appealed_at FROM suspensions
          WHERE appealed_at IS NOT NULL AND suspension_id > ? ORDER BY suspension_id LIMIT ?
          """),
      arguments: [try SnapshotParts.last(key), SnapshotParts.pageSize])
    let events = rows.map { row in
      SuspensionAppealed(
        suspensionID: row["suspension_id"], accountID: row["account_id"], text: row["appeal"], at: row["appealed_at"])
    }
    return SnapshotParts.page(events, of: events, key: \.suspensionID)
  }

  /// The suspension that the account is under.
  static func current(of account: AccountID, now: Instant, in database: Database) throws -> SuspensionRecord? {
    try Row.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT * FROM (SELECT * FROM suspensions WHERE account_id = ? ORDER BY revision DESC LIMIT 1) WHERE until > ?
          """),
      arguments: [account, now]
    ).map(SuspensionRecord.init)
  }

  /// The highest revision that is kept of the account; 0 where there is none.
  private static func revision(of account: AccountID, in database: Database) throws -> Int {
    let statement = try database.cachedStatement(sql: "SELECT COALESCE(MAX(revision), 0) FROM suspensions WHERE account_id = ?")
    return try Int.fetchOne(statement, arguments: [account]) ?? 0
  }

  /// Stores what social published, unless a newer revision is stored, and updates the suspension's end in the account.
  ///
  /// - Returns: what changed for the account.
  static func keep(_ suspension: SuspensionChanged, _ transaction: Transaction) throws -> SuspensionRules.Change {
    let database = transaction.database
    guard let account = try AccountStore.find(suspension.accountID, in: database),
      try suspension.revision > revision(of: account.id, in: database)
    else { return .nothing }
    try database.cachedStatement(
      sql: """
        INSERT INTO suspensions (suspension_id, account_id, until, reason, can_appeal, revision) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (suspension_id) DO UPDATE SET
          until = excluded.until, reason = excluded.reason, can_appeal = excluded.can_appeal, revision = excluded.revision
        """
    ).execute(arguments: [
      suspension.suspensionID, account.id, suspension.until ?? min(suspension.at, transaction.now), suspension.reason,
      suspension.canAppeal, suspension.revision,
    ])
    let until = try current(of: account.id, now: transaction.now, in: database)?.until
    let change = SuspensionRules.change(from: account.suspendedUntil, to: until, now: transaction.now)
    guard change != .nothing else { return .nothing }
    try database.cachedStatement(
      sql: "UPDATE accounts SET suspended_until = ?, revision = revision + 1 WHERE account_id = ?"
    ).execute(arguments: [until, account.id])
    return change
  }

  /// Notes the appeal and publishes it.
  static func appeal(_ suspension: SuspensionRecord, _ text: SuspensionAppealText, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE suspensions SET appeal = ?, appealed_at = ? WHERE suspension_id = ? AND appealed_at IS NULL"
    ).execute(arguments: [text.description, transaction.now, suspension.id])
    guard transaction.database.changesCount > 0 else { return }
    try transaction.publish(
      SuspensionAppealed(
        suspensionID: suspension.id, accountID: suspension.accountID, text: text.description, at: transaction.now))
  }

  /// The suspension of that id.
  static func find(_ id: SuspensionID, in database: Database) throws -> SuspensionRecord? {
    try Row.fetchOne(database.cachedStatement(sql: "SELECT * FROM suspensions WHERE suspension_id = ?"), arguments: [id])
      .map(SuspensionRecord.init)
  }
}

extension AccountRecord {
  /// Why nothing may be done with it; nil unless it is suspended.
  func suspension(at now: Instant) -> Failure? {
    guard let suspendedUntil, isSuspended(at: now) else { return nil }
    return .accountSuspended(until: suspendedUntil)
  }
}
