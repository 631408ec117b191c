import Foundation
import GRDB
import IdentityContract
import Operations
import ServiceKit

/// Identity's state as events, for listeners without history: all accounts, the links that still wait (to verify an address, to
/// recover a password, to change an address, to answer for a login), whose mails a listener that comes late must not miss, then the
/// sessions revoked so lately that access tokens of theirs may not have expired yet, those whose tokens were outdated as lately, the personal access tokens revoked as lately,
/// what access was withdrawn, and every deletion there was: a service that was put back from a copy erases again what the copy brought back.
struct Snapshot: Sendable {
  static let revocationsPublishedSeconds = 900

  let clock: Clock
  let places: PlaceDatabase

  var parts: SnapshotParts {
    SnapshotParts([
      ("accounts", [AccountChanged.self], accounts), ("links", [VerificationMailRequested.self], links),
      ("recoveries", [PasswordRecoveryRequested.self], recoveries), ("emailChanges", [EmailChangeRequested.self], emailChanges),
      ("alerts", [LoginAlertRaised.self], alerts), ("sessions", [SessionRevoked.self], sessions),
      ("outdated", [SessionOutdated.self], outdated), ("tokens", [PersonalAccessTokenRevoked.self], personalAccessTokens),
      ("access", [AccessWithdrawn.self], withdrawnAccess), ("deletions", [AccountDeleted.self, AccountErased.self], deletions),
    ])
  }

  /// The id of the last row that was told: the key of every part.
  private func last(_ key: String?) throws -> ID<Never> { try key.map { try ID(text: $0) } ?? .placeholder }

  @Sendable private func accounts(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let accounts = try Row.fetchAll(
      database.cachedStatement(sql: "SELECT * FROM accounts WHERE account_id > ? ORDER BY account_id LIMIT ?"),
      arguments: [try last(key), SnapshotParts.pageSize]
    ).map(AccountRecord.init)
    return SnapshotParts.page(accounts.map(\.changed), of: accounts, key: \.id)
  }

  @Sendable private func links(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT link_id, account_id FROM verification_links
          WHERE expires_at > ? AND used_at IS NULL AND replaced_at IS NULL AND link_id > ? ORDER BY link_id LIMIT ?
          """),
      arguments: [clock.now, try last(key), SnapshotParts.pageSize])
    let events = rows.map { row in
      VerificationMailRequested(linkID: row["link_id"], accountID: row["account_id"], reason: .registered)
    }
    return SnapshotParts.page(events, of: events, key: \.linkID)
  }

  @Sendable private func recoveries(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT recovery_id, account_id FROM password_recoveries
          WHERE expires_at > ? AND used_at IS NULL AND replaced_at IS NULL AND account_id IS NOT NULL AND recovery_id > ?
          ORDER BY recovery_id LIMIT ?
          """),
      arguments: [clock.now, try last(key), SnapshotParts.pageSize])
    let events = rows.map { row in PasswordRecoveryRequested(recoveryID: row["recovery_id"], accountID: row["account_id"]) }
    return SnapshotParts.page(events, of: events, key: \.recoveryID)
  }

  @Sendable private func alerts(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let alerts = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT * FROM login_alerts WHERE expires_at > ? AND answered_at IS NULL AND alert_id > ? ORDER BY alert_id LIMIT ?
          """),
      arguments: [clock.now, try last(key), SnapshotParts.pageSize]
    ).map(LoginAlertRecord.init)
    let events = try alerts.compactMap { alert in
      try database.account(alert.accountID).map { alert.raised($0.language, places) }
    }
    return SnapshotParts.page(events, of: alerts, key: \.id)
  }

  @Sendable private func emailChanges(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT change_id, account_id FROM email_changes
          WHERE expires_at > ? AND used_at IS NULL AND replaced_at IS NULL AND change_id > ? ORDER BY change_id LIMIT ?
          """),
      arguments: [clock.now, try last(key), SnapshotParts.pageSize])
    let events = rows.map { row in EmailChangeRequested(changeID: row["change_id"], accountID: row["account_id"]) }
    return SnapshotParts.page(events, of: events, key: \.changeID)
  }

  // What was revoked is found by when it was: in the order of their ids, all sessions that there are would be read for the few.

  @Sendable private func sessions(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT session_id, account_id, revocation_reason, revoked_at FROM sessions INDEXED BY sessions_by_revocation
          WHERE revoked_at > :since AND session_id > :last
          UNION ALL
          SELECT session_id, account_id, :deleted, ended_at FROM ended_sessions AS ended INDEXED BY ended_sessions_by_end
          WHERE ended_at > :since AND session_id > :last
            -- Those that wait for the erasure of their account are told above.
            AND NOT EXISTS (SELECT 1 FROM sessions WHERE sessions.session_id = ended.session_id)
          ORDER BY session_id LIMIT :limit
          """),
      arguments: [
        "since": clock.now.adding(seconds: -Self.revocationsPublishedSeconds), "last": try last(key),
        "limit": SnapshotParts.pageSize,
        "deleted": SessionRevoked.Reason.accountDeleted,
      ])
    let events = rows.map { row in
      SessionRevoked(
        sessionID: row["session_id"], accountID: row["account_id"], reason: row["revocation_reason"], at: row["revoked_at"])
    }
    return SnapshotParts.page(events, of: events, key: \.sessionID)
  }

  @Sendable private func outdated(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT session_id, account_id, token_generation, outdated_at FROM sessions INDEXED BY sessions_by_outdating
          WHERE outdated_at > ? AND revoked_at IS NULL AND session_id > ? ORDER BY session_id LIMIT ?
          """),
      arguments: [clock.now.adding(seconds: -Self.revocationsPublishedSeconds), try last(key), SnapshotParts.pageSize])
    let events = rows.map { row in
      SessionOutdated(
        sessionID: row["session_id"], accountID: row["account_id"], generation: row["token_generation"], at: row["outdated_at"])
    }
    return SnapshotParts.page(events, of: events, key: \.sessionID)
  }

  @Sendable private func personalAccessTokens(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT token_id, account_id, revoked_at
          FROM personal_access_tokens INDEXED BY personal_access_tokens_by_revocation
          WHERE revoked_at > ? AND token_id > ? ORDER BY token_id LIMIT ?
          """),
      arguments: [clock.now.adding(seconds: -Self.revocationsPublishedSeconds), try last(key), SnapshotParts.pageSize])
    let events = rows.map { row in
      PersonalAccessTokenRevoked(tokenID: row["token_id"], accountID: row["account_id"], at: row["revoked_at"])
    }
    return SnapshotParts.page(events, of: events, key: \.tokenID)
  }

  @Sendable private func withdrawnAccess(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    try AccessWithdrawn.snapshot(database, after: try last(key))
  }

  /// The report is told of anew while it has not ended.
  @Sendable private func deletions(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let deletions = try Row.fetchAll(
      database.cachedStatement(
        sql: "SELECT * FROM account_deletions WHERE deletion_id > ? ORDER BY deletion_id LIMIT ?"),
      arguments: [try last(key), SnapshotParts.pageSize]
    ).map(AccountDeletionRecord.init)
    let events = deletions.flatMap { deletion -> [any Event] in
      let deleted = AccountDeleted(deletionID: deletion.id, accountID: deletion.accountID, at: deletion.requestedAt)
      guard deletion.erasedAt != nil, deletion.reportedAt == nil else { return [deleted] }
      return [deleted, AccountErased(deletionID: deletion.id, accountID: deletion.accountID)]
    }
    return SnapshotParts.page(events, of: deletions, key: \.id)
  }
}
