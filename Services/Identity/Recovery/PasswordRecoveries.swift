import Foundation
import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// The secret of a link that recovers a password.
typealias RecoveryToken = LinkToken<PasswordRecoveryRecord>

/// A request to recover a password as it is kept: without the secret of its link, and without the address that was typed.
struct PasswordRecoveryRecord: MailedLink {
  let id: PasswordRecoveryID
  let emailKey: Data
  /// Nil where no account had the address.
  let accountID: AccountID?
  let expiresAt: Instant
  let replacedAt: Instant?
  let usedAt: Instant?

  init(_ row: Row) {
    id = row["recovery_id"]
    emailKey = row["email_key"]
    accountID = row["account_id"]
    expiresAt = row["expires_at"]
    replacedAt = row["replaced_at"]
    usedAt = row["used_at"]
  }

  var binding: [UInt8] { Array("recover password".utf8) + [0] + id.bytes + (accountID?.bytes ?? []) + emailKey }

  /// What the rule judges.
  var opened: OpenedLink { OpenedLink(expiresAt: expiresAt, usedAt: usedAt, replacedAt: replacedAt) }
}

/// Whom a request to recover a password counts against. Kept are keyed hashes: the address may be nobody's.
struct RecoverySubject: Sendable {
  let email: Data
  /// Where it came from; nil if that is not known.
  let address: Data?

  init(_ email: EmailAddress, _ caller: Caller, key: SecretKey) {
    self.email = Self.emailKey(email, key)
    address = caller.address.map { Data(key.code(for: Array("address".utf8) + [0] + ClientAddress($0).bytes)) }
  }

  /// The same for every way of writing the same address.
  static func emailKey(_ email: EmailAddress, _ key: SecretKey) -> Data {
    Data(key.code(for: Array("e-mail".utf8) + [0] + Array(email.normalized.utf8)))
  }
}

extension Database {
  /// The request of that id.
  func passwordRecovery(_ id: PasswordRecoveryID) throws -> PasswordRecoveryRecord? {
    try Row.fetchOne(cachedStatement(sql: "SELECT * FROM password_recoveries WHERE recovery_id = ?"), arguments: [id])
      .map(PasswordRecoveryRecord.init)
  }

  /// Whether the subject may have a further link.
  fileprivate func isFree(_ subject: RecoverySubject, now: Instant) throws -> Bool {
    let since = now.adding(seconds: -RecoveryRule.lifetimeSeconds)
    func count(_ column: String, _ key: Data?) throws -> Int {
      let sql = "SELECT COUNT(*) FROM password_recoveries WHERE \(column) = ? AND created_at > ?"
      return try Int.fetchOne(cachedStatement(sql: sql), arguments: [key, since]) ?? 0
    }
    return RecoveryRule.isFree(
      toEmail: try count("email_key", subject.email), fromAddress: try count("address_key", subject.address))
  }

  /// Whose the address is. It reads nothing but the index, so that it takes as long if it is nobody's.
  fileprivate func accountID(_ email: EmailAddress) throws -> AccountID? {
    try AccountID.fetchOne(
      cachedStatement(sql: "SELECT account_id FROM accounts WHERE email_normalized = ?"), arguments: [email.normalized])
  }
}

extension Transaction {
  /// Makes a new link the only one that works for the address, and tells that its mail is to be sent, unless there were too many.
  ///
  /// The same rows are written whether an account has the address or not. Where there were too many, the caller is answered the same.
  func requestPasswordRecovery(_ email: EmailAddress, _ caller: Caller, key: SecretKey) throws {
    let subject = RecoverySubject(email, caller, key: key)
    let account = try database.accountID(email)
    let isFree = try database.isFree(subject, now: now)
    let detail = isFree ? nil : "too_many"
    try record(SecurityEvent(.passwordRecoveryRequested, account: account, detail: detail), from: caller)
    guard isFree else { return }
    try database.cachedStatement(
      sql: """
        UPDATE password_recoveries SET replaced_at = ? WHERE email_key = ? AND replaced_at IS NULL AND used_at IS NULL
        """
    ).execute(arguments: [now, subject.email])
    let id = PasswordRecoveryID()
    try database.cachedStatement(
      sql: """
        INSERT INTO password_recoveries (recovery_id, email_key, address_key, account_id, created_at, expires_at)
        VALUES (?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      id, subject.email, subject.address, account, now, now.adding(seconds: RecoveryRule.lifetimeSeconds),
    ])
    try publish(PasswordRecoveryRequested(recoveryID: id, accountID: account))
  }

  /// Notes that the link did its work.
  func usePasswordRecovery(_ link: PasswordRecoveryRecord) throws {
    try database.cachedStatement(sql: "UPDATE password_recoveries SET used_at = ? WHERE recovery_id = ?").execute(arguments: [
      now, link.id,
    ])
  }

  /// Lets the account's links that were not used work no longer.
  func replacePasswordRecoveries(of account: AccountID) throws {
    try database.cachedStatement(
      sql: "UPDATE password_recoveries SET replaced_at = ? WHERE account_id = ? AND replaced_at IS NULL AND used_at IS NULL"
    ).execute(arguments: [now, account])
  }
}
