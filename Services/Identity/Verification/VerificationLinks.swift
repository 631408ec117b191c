import GRDB
import IdentityContract
import Operations
import Storage

/// The secret of a verification link.
typealias VerificationToken = LinkToken<VerificationLinkRecord>

/// A verification link as it is kept: without its secret.
struct VerificationLinkRecord: MailedLink {
  let id: VerificationLinkID
  let accountID: AccountID
  let emailNormalized: String
  let createdAt: Instant
  let expiresAt: Instant
  let replacedAt: Instant?
  let usedAt: Instant?

  init(_ row: Row) {
    id = row["link_id"]
    accountID = row["account_id"]
    emailNormalized = row["email_normalized"]
    createdAt = row["created_at"]
    expiresAt = row["expires_at"]
    replacedAt = row["replaced_at"]
    usedAt = row["used_at"]
  }

  var binding: [UInt8] {
    Array("verify e-mail".utf8) + [0] + id.bytes + accountID.bytes + Array(emailNormalized.utf8)
  }

  /// What the rule judges.
  var opened: OpenedLink { OpenedLink(expiresAt: expiresAt, usedAt: usedAt, replacedAt: replacedAt) }
}

extension Database {
  /// The link of that id.
  func verificationLink(_ id: VerificationLinkID) throws -> VerificationLinkRecord? {
    try Row.fetchOne(cachedStatement(sql: "SELECT * FROM verification_links WHERE link_id = ?"), arguments: [id])
      .map(VerificationLinkRecord.init)
  }

  /// When the account's last links were sent, the newest first.
  func verificationLinksSentAt(_ account: AccountID, limit: Int) throws -> [Instant] {
    try Instant.fetchAll(
      cachedStatement(sql: "SELECT created_at FROM verification_links WHERE account_id = ? ORDER BY created_at DESC LIMIT ?"),
      arguments: [account, limit])
  }
}

extension Transaction {
  /// Makes a new link the only one of the account that works, and tells that its mail is to be sent.
  func sendVerificationLink(to account: AccountRecord, _ reason: VerificationMailRequested.Reason) throws
    -> VerificationLinkRecord
  {
    try replaceVerificationLinks(of: account.id)
    let id = VerificationLinkID()
    try database.cachedStatement(
      sql: """
        INSERT INTO verification_links (link_id, account_id, email_normalized, created_at, expires_at) VALUES (?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      id, account.id, account.email.normalized, now, now.adding(seconds: VerificationRule.lifetimeSeconds),
    ])
    try publish(VerificationMailRequested(linkID: id, accountID: account.id, reason: reason))
    guard let link = try database.verificationLink(id) else { throw Failure(RequestFailure.notFound) }
    return link
  }

  /// Notes that the link did its work; no other of the account works after it.
  func useVerificationLink(_ link: VerificationLinkRecord) throws {
    try database.cachedStatement(sql: "UPDATE verification_links SET used_at = ? WHERE link_id = ?").execute(arguments: [
      now, link.id,
    ])
    try replaceVerificationLinks(of: link.accountID)
  }

  /// Notes that the account's link has nothing left to do, since its address was verified by another.
  func useVerificationLinks(of account: AccountID) throws {
    try database.cachedStatement(
      sql: "UPDATE verification_links SET used_at = ? WHERE account_id = ? AND replaced_at IS NULL AND used_at IS NULL"
    ).execute(arguments: [now, account])
  }

  /// Lets the account's links that were not used work no longer.
  func replaceVerificationLinks(of account: AccountID) throws {
    try database.cachedStatement(
      sql: "UPDATE verification_links SET replaced_at = ? WHERE account_id = ? AND replaced_at IS NULL AND used_at IS NULL"
    ).execute(arguments: [now, account])
  }
}
