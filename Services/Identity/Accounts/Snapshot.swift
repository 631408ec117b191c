import Foundation
import GRDB
import IdentityContract
import Operations

/// Identity's state as events, for listeners without history: all accounts, the links that still wait (to verify an address, to
/// recover a password, to change an address), whose mails a listener that comes late must not miss, then the sessions revoked so lately that access
/// tokens of theirs may not have expired yet, and the personal access tokens revoked as lately.
struct Snapshot: Sendable {
  static let revocationsToldSeconds = 900
  private static let pageSize = 500

  let clock: Clock

  /// A page after that key: `accounts`, `links`, `recoveries`, `emailChanges`, `sessions` or `tokens`, and the id of the last one told.
  @Sendable func page(_ database: Database, after key: String?) throws -> (events: [any Event], nextKey: String?) {
    let parts = key?.split(separator: " ") ?? ["accounts"]
    let last = try parts.dropFirst().first.map { try ID<Never>(text: String($0)) } ?? .placeholder
    switch parts[0] {
    case "links": return try links(database, after: last)
    case "recoveries": return try recoveries(database, after: last)
    case "emailChanges": return try emailChanges(database, after: last)
    case "sessions": return try sessions(database, after: last)
    case "tokens": return try personalAccessTokens(database, after: last)
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

  private func emailChanges(_ database: Database, after last: ID<Never>) throws -> (events: [any Event], nextKey: String?) {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT change_id, account_id FROM email_changes
          WHERE expires_at > ? AND used_at IS NULL AND replaced_at IS NULL AND change_id > ? ORDER BY change_id LIMIT ?
          """),
      arguments: [clock.now, last, Self.pageSize])
    let events = rows.map { row in EmailChangeRequested(changeID: row["change_id"], accountID: row["account_id"]) }
    return (events, events.count == Self.pageSize ? "emailChanges \(events[Self.pageSize - 1].changeID)" : "sessions")
  }

  private func sessions(_ database: Database, after last: ID<Never>) throws -> (events: [any Event], nextKey: String?) {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT session_id, account_id, revocation_reason, revoked_at FROM sessions
          WHERE revoked_at > ? AND session_id > ? ORDER BY session_id LIMIT ?
          """),
      arguments: [clock.now.adding(seconds: -Self.revocationsToldSeconds), last, Self.pageSize])
    let events = rows.map { row in
      SessionRevoked(
        sessionID: row["session_id"], accountID: row["account_id"], reason: row["revocation_reason"], at: row["revoked_at"])
    }
    return (events, events.count == Self.pageSize ? "sessions \(events[Self.pageSize - 1].sessionID)" : "tokens")
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
    return (events, events.count == Self.pageSize ? "tokens \(events[Self.pageSize - 1].tokenID)" : nil)
  }
}
