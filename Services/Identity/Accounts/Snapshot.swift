import Foundation
import GRDB
import IdentityContract
import Operations

/// Identity's state as events, for listeners without history: all accounts, the links that still wait (to verify an address, to
/// recover a password, to change an address, to answer for a login), whose mails a listener that comes late must not miss, then the
/// sessions revoked so lately that access tokens of theirs may not have expired yet, those whose tokens were outdated as lately, the personal access tokens revoked as lately, and every
/// deletion there was: a service that was put back from a copy erases again what the copy brought back.
struct Snapshot: Sendable {
  static let revocationsToldSeconds = 900
  private static let pageSize = 500

  let clock: Clock
  let places: PlaceDatabase

  /// A page after that key: `accounts`, `links`, `recoveries`, `emailChanges`, `alerts`, `sessions`, `outdated`, `tokens` or `deletions`, and the id of the
  /// last one told.
  @Sendable func page(_ database: Database, after key: String?) throws -> (events: [any Event], nextKey: String?) {
    let parts = key?.split(separator: " ") ?? ["accounts"]
    let last = try parts.dropFirst().first.map { try ID<Never>(text: String($0)) } ?? .placeholder
    switch parts[0] {
    case "links": return try links(database, after: last)
    case "recoveries": return try recoveries(database, after: last)
    case "alerts": return try alerts(database, after: last)
    case "emailChanges": return try emailChanges(database, after: last)
    case "sessions": return try sessions(database, after: last)
    case "outdated": return try outdated(database, after: last)
    case "tokens": return try personalAccessTokens(database, after: last)
    case "deletions": return try deletions(database, after: last)
    default: return try accounts(database, after: last)
    }
  }

  private func accounts(_ database: Database, after last: ID<Never>) throws -> (events: [any Event], nextKey: String?) {
    let accounts = try Row.fetchAll(
      database.cachedStatement(sql: "SELECT * FROM accounts WHERE account_id > ? ORDER BY account_id LIMIT ?"),
      arguments: [last, Self.pageSize]
    ).map(AccountRecord.init)
    let nextKey = accounts.count == Self.pageSize ? "accounts \(accounts[Self.pageSize - 1].id)" : "links"
    return (accounts.map(\.changed), nextKey)
  }

  private func links(_ database: Database, after last: ID<Never>) throws -> (events: [any Event], nextKey: String?) {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT link_id, account_id FROM verification_links
          WHERE expires_at > ? AND used_at IS NULL AND replaced_at IS NULL AND link_id > ? ORDER BY link_id LIMIT ?
          """),
      arguments: [clock.now, last, Self.pageSize])
    let events = rows.map { row in
      VerificationMailRequested(linkID: row["link_id"], accountID: row["account_id"], reason: .registered)
    }
    return (events, events.count == Self.pageSize ? "links \(events[Self.pageSize - 1].linkID)" : "recoveries")
  }

  private func recoveries(_ database: Database, after last: ID<Never>) throws -> (events: [any Event], nextKey: String?) {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT recovery_id, account_id FROM password_recoveries
          WHERE expires_at > ? AND used_at IS NULL AND replaced_at IS NULL AND account_id IS NOT NULL AND recovery_id > ?
          ORDER BY recovery_id LIMIT ?
          """),
      arguments: [clock.now, last, Self.pageSize])
    let events = rows.map { row in PasswordRecoveryRequested(recoveryID: row["recovery_id"], accountID: row["account_id"]) }
    return (events, events.count == Self.pageSize ? "recoveries \(events[Self.pageSize - 1].recoveryID)" : "emailChanges")
  }

  private func alerts(_ database: Database, after last: ID<Never>) throws -> (events: [any Event], nextKey: String?) {
    let alerts = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT * FROM login_alerts WHERE expires_at > ? AND answered_at IS NULL AND alert_id > ? ORDER BY alert_id LIMIT ?
          """),
      arguments: [clock.now, last, Self.pageSize]
    ).map(LoginAlertRecord.init)
    let events = try alerts.compactMap { alert in
      try database.account(alert.accountID).map { alert.raised($0.language, places) }
    }
    return (events, alerts.count == Self.pageSize ? "alerts \(alerts[Self.pageSize - 1].id)" : "sessions")
  }

  private func emailChanges(_ database: Database, after last: ID<Never>) throws -> (events: [any Event], nextKey: String?) {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT change_id, account_id FROM email_changes
          WHERE expires_at > ? AND used_at IS NULL AND replaced_at IS NULL AND change_id > ? ORDER BY change_id LIMIT ?
          """),
      arguments: [clock.now, last, Self.pageSize])
    let events = rows.map { row in EmailChangeRequested(changeID: row["change_id"], accountID: row["account_id"]) }
    return (events, events.count == Self.pageSize ? "emailChanges \(events[Self.pageSize - 1].changeID)" : "alerts")
  }

  private func sessions(_ database: Database, after last: ID<Never>) throws -> (events: [any Event], nextKey: String?) {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT session_id, account_id, revocation_reason, revoked_at FROM sessions
          WHERE revoked_at > :since AND session_id > :last
          UNION ALL
          SELECT session_id, account_id, :deleted, ended_at FROM ended_sessions WHERE ended_at > :since AND session_id > :last
          ORDER BY session_id LIMIT :limit
          """),
      arguments: [
        "since": clock.now.adding(seconds: -Self.revocationsToldSeconds), "last": last, "limit": Self.pageSize,
        "deleted": SessionRevoked.Reason.accountDeleted,
      ])
    let events = rows.map { row in
      SessionRevoked(
        sessionID: row["session_id"], accountID: row["account_id"], reason: row["revocation_reason"], at: row["revoked_at"])
    }
    return (events, events.count == Self.pageSize ? "sessions \(events[Self.pageSize - 1].sessionID)" : "outdated")
  }

  private func outdated(_ database: Database, after last: ID<Never>) throws -> (events: [any Event], nextKey: String?) {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT session_id, account_id, token_generation, outdated_at FROM sessions
          WHERE outdated_at > ? AND revoked_at IS NULL AND session_id > ? ORDER BY session_id LIMIT ?
          """),
      arguments: [clock.now.adding(seconds: -Self.revocationsToldSeconds), last, Self.pageSize])
    let events = rows.map { row in
      SessionOutdated(
        sessionID: row["session_id"], accountID: row["account_id"], generation: row["token_generation"], at: row["outdated_at"])
    }
    return (events, events.count == Self.pageSize ? "outdated \(events[Self.pageSize - 1].sessionID)" : "tokens")
  }

  private func personalAccessTokens(_ database: Database, after last: ID<Never>) throws -> (events: [any Event], nextKey: String?)
  {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT token_id, account_id, revoked_at FROM personal_access_tokens
          WHERE revoked_at > ? AND token_id > ? ORDER BY token_id LIMIT ?
          """),
      arguments: [clock.now.adding(seconds: -Self.revocationsToldSeconds), last, Self.pageSize])
    let events = rows.map { row in
      PersonalAccessTokenRevoked(tokenID: row["token_id"], accountID: row["account_id"], at: row["revoked_at"])
    }
    return (events, events.count == Self.pageSize ? "tokens \(events[Self.pageSize - 1].tokenID)" : "deletions")
  }

  /// The report is told of anew while it has not ended.
  private func deletions(_ database: Database, after last: ID<Never>) throws -> (events: [any Event], nextKey: String?) {
    let deletions = try Row.fetchAll(
      database.cachedStatement(
        sql: "SELECT * FROM account_deletions WHERE deletion_id > ? ORDER BY deletion_id LIMIT ?"),
      arguments: [last, Self.pageSize]
    ).map(AccountDeletionRecord.init)
    let events = deletions.flatMap { deletion -> [any Event] in
      let deleted = AccountDeleted(deletionID: deletion.id, accountID: deletion.accountID, at: deletion.requestedAt)
      guard deletion.erasedAt != nil, deletion.reportedAt == nil else { return [deleted] }
      return [deleted, AccountErased(deletionID: deletion.id, accountID: deletion.accountID)]
    }
    return (events, deletions.count == Self.pageSize ? "deletions \(deletions[Self.pageSize - 1].id)" : nil)
  }
}
