import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

extension Transaction {
  /// Ends all access to the account that was given beyond its sessions, with others' too: whoever else was in may have made some to stay.
  ///
  /// - Parameter since: what was made before that stays.
  func withdrawAccess(to account: AccountID, madeSince since: Instant? = nil) throws {
    for token in try database.personalAccessTokens(of: account, before: nil, limit: -1)
    where since.map({ token.createdAt >= $0 }) ?? true { try revokePersonalAccessToken(token.id, of: account) }
    // What ends everything ends what was to end before.
    if since == nil {
      try database.cachedStatement(sql: "DELETE FROM access_withdrawals WHERE account_id = ?").execute(arguments: [account])
    }
    try database.cachedStatement(
      sql: "INSERT INTO access_withdrawals (withdrawal_id, account_id, since, withdrawn_at) VALUES (?, ?, ?, ?)"
    ).execute(arguments: [ID<AccessWithdrawn>(), account, since, now])
    try publish(AccessWithdrawn(accountID: account, since: since, at: now))
  }
}

extension AccessWithdrawn {
  /// What was withdrawn, as events.
  static func snapshot(_ database: Database, after last: ID<Never>) throws -> SnapshotParts.Page {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT withdrawal_id, account_id, since, withdrawn_at FROM access_withdrawals
          WHERE withdrawal_id > ? ORDER BY withdrawal_id LIMIT ?
          """),
      arguments: [last, SnapshotParts.pageSize])
    let published = rows.map { row in
      (
        id: row["withdrawal_id"] as ID<AccessWithdrawn>,
        event: AccessWithdrawn(accountID: row["account_id"], since: row["since"], at: row["withdrawn_at"])
      )
    }
    return SnapshotParts.page(published.map(\.event), of: published, key: \.id)
  }
}
