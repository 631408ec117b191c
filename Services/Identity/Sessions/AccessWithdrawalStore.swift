import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Withdrawn access, of which a subscriber that comes late must learn all the same: links do not end by themselves.
enum AccessWithdrawalStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "withdrawn access") { database in
      try database.execute(
        sql: """
          CREATE TABLE access_withdrawals (
            withdrawal_id BLOB NOT NULL PRIMARY KEY CHECK (length(withdrawal_id) = 16),
            account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
            -- access made before that stays; null if none does
            since INTEGER,
            withdrawn_at INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX access_withdrawals_by_account ON access_withdrawals (account_id, withdrawn_at);
          """)
    }
  }

  /// What was withdrawn, as events; see `SnapshotParts`.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT withdrawal_id, account_id, since, withdrawn_at FROM access_withdrawals
          WHERE withdrawal_id > ? ORDER BY withdrawal_id LIMIT ?
          """),
      arguments: [try SnapshotParts.last(key), SnapshotParts.pageSize])
    let published = rows.map { row in
      (
        id: row["withdrawal_id"] as ID<AccessWithdrawn>,
        event: AccessWithdrawn(accountID: row["account_id"], since: row["since"], at: row["withdrawn_at"])
      )
    }
    return SnapshotParts.page(published.map(\.event), of: published, key: \.id)
  }

  /// Ends all access to the account beyond its sessions, including what other services gave: an intruder may have created some to stay.
  ///
  /// - Parameter since: access created before that time stays.
  static func withdraw(to account: AccountID, madeSince since: Instant? = nil, _ transaction: Transaction) throws {
    for token in try PersonalAccessTokenStore.list(of: account, before: nil, limit: -1, in: transaction.database)
    where since.map({ token.createdAt >= $0 }) ?? true { try PersonalAccessTokenStore.revoke(token.id, of: account, transaction) }
    // What ends everything ends what was to end before.
    if since == nil {
      try transaction.database.cachedStatement(sql: "DELETE FROM access_withdrawals WHERE account_id = ?")
        .execute(arguments: [account])
    }
    try transaction.database.cachedStatement(
      sql: "INSERT INTO access_withdrawals (withdrawal_id, account_id, since, withdrawn_at) VALUES (?, ?, ?, ?)"
    ).execute(arguments: [ID<AccessWithdrawn>(), account, since, transaction.now])
    try transaction.publish(AccessWithdrawn(accountID: account, since: since, at: transaction.now))
  }
}
