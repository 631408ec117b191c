import GRDB
import IdentityContract
import Operations
import Storage

/// The secret of a link that changes an e-mail address.
typealias EmailChangeToken = LinkToken<EmailChangeRecord>

/// A change of an e-mail address as it is kept: without the secret of its link.
struct EmailChangeRecord: MailedLink {
  let id: EmailChangeID
  let accountID: AccountID
  /// The new address.
  let email: EmailAddress
  let expiresAt: Instant
  let replacedAt: Instant?
  let usedAt: Instant?
  /// The address before, once the change has taken place.
  let formerEmail: EmailAddress?
  /// When it was cancelled or undone.
  let undoneAt: Instant?

  init(_ row: Row) {
    id = row["change_id"]
    accountID = row["account_id"]
    email = row["email"]
    expiresAt = row["expires_at"]
    replacedAt = row["replaced_at"]
    usedAt = row["used_at"]
    formerEmail = row["former_email"]
    undoneAt = row["undone_at"]
  }

  var binding: [UInt8] { Array("change e-mail".utf8) + [0] + id.bytes + accountID.bytes + Array(email.normalized.utf8) }

  /// What the rule judges.
  var opened: OpenedLink { OpenedLink(expiresAt: expiresAt, usedAt: usedAt, replacedAt: replacedAt) }
}

/// A link that changes an address, opened.
struct OpenedEmailChange: Sendable {
  let change: EmailChangeRecord
  let account: AccountRecord
}

extension Database {
  /// What the link of that token leads to.
  func open(_ token: EmailChangeToken?, _ keys: IdentityKeys, now: Instant) throws -> LinkOpening<OpenedEmailChange> {
    func refused(_ failure: EmailChangeFailure, _ account: AccountID?) -> LinkOpening<OpenedEmailChange> {
      .refused(LinkRefusal(.emailChangeRefused, failure, account))
    }
    guard let token, let change = try emailChange(token.claimedLink), token.isOf(change, key: keys.emailChanges),
      let account = try account(change.accountID)
    else { return refused(.linkInvalid, nil) }
    if let failure = try refusal(of: change, now: now) { return refused(failure, account.id) }
    return .works(OpenedEmailChange(change: change, account: account))
  }

  /// The change of that id.
  func emailChange(_ id: EmailChangeID) throws -> EmailChangeRecord? {
    try Row.fetchOne(cachedStatement(sql: "SELECT * FROM email_changes WHERE change_id = ?"), arguments: [id])
      .map(EmailChangeRecord.init)
  }

  /// Why the change does not take place; nil if it does.
  func refusal(of change: EmailChangeRecord?, now: Instant) throws -> EmailChangeFailure? {
    let isTaken = try change.map { try self.isTaken($0.email, now: now, for: $0.accountID) } ?? false
    return EmailChangeRule.refusal(
      change?.opened, isCancelled: change?.undoneAt != nil, isTaken: isTaken, now: now)
  }

  /// Whole seconds until the account may have a further link sent to the address, 0 if it may now.
  func emailChangeWaitSeconds(of account: AccountID, to email: EmailAddress, now: Instant) throws -> Int {
    func sentAt(_ column: String, _ value: any DatabaseValueConvertible, _ allowance: LinkAllowance) throws -> [Instant] {
      let sql = "SELECT created_at FROM email_changes WHERE \(column) = ? ORDER BY created_at DESC LIMIT ?"
      return try Instant.fetchAll(cachedStatement(sql: sql), arguments: [value, allowance.maxPerHour])
    }
    return EmailChangeRule.secondsUntilNext(
      toAccount: try sentAt("account_id", account, EmailChangeRule.perAccount),
      toAddress: try sentAt("email_normalized", email.normalized, EmailChangeRule.perAddress), now: now)
  }
}

extension Transaction {
  /// Makes a new link the only one that changes the account's address, and tells that its mail is to be sent.
  ///
  /// Nothing here depends on whether another account has the address: that is looked at when the mail is written, and again when
  /// the link is opened.
  func requestEmailChange(of account: AccountID, to email: EmailAddress) throws -> Instant {
    try replaceEmailChanges(of: account)
    let id = EmailChangeID()
    let expiresAt = now.adding(seconds: EmailChangeRule.lifetimeSeconds)
    try database.cachedStatement(
      sql: """
        INSERT INTO email_changes (change_id, account_id, email, email_normalized, created_at, expires_at)
        VALUES (?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [id, account, email, email.normalized, now, expiresAt])
    try publish(EmailChangeRequested(changeID: id, accountID: account))
    return expiresAt
  }

  /// Gives the account its new address, verified, and tells of it. Every link mailed to the former one works no longer.
  func completeEmailChange(_ change: EmailChangeRecord, of account: AccountRecord) throws {
    try database.cachedStatement(
      sql: "UPDATE email_changes SET used_at = ?, former_email = ?, former_normalized = ? WHERE change_id = ?"
    ).execute(arguments: [now, account.email, account.email.normalized, change.id])
    try give(account.id, change.email)
    try publish(EmailChanged(changeID: change.id, accountID: account.id))
  }

  /// Gives the account an address whose owner has just opened a link that was mailed there. All other links of the account end.
  func give(_ account: AccountID, _ email: EmailAddress) throws {
    try replaceEmailChanges(of: account)
    try replaceVerificationLinks(of: account)
    try replacePasswordRecoveries(of: account)
    try database.cachedStatement(
      sql: """
        UPDATE accounts SET email = ?, email_normalized = ?, verified_at = COALESCE(verified_at, ?), revision = revision + 1
        WHERE account_id = ?
        """
    ).execute(arguments: [email, email.normalized, now, account])
    _ = try publishAccount(account)
  }

  /// Lets the account's links that still wait change nothing any more.
  func replaceEmailChanges(of account: AccountID) throws {
    try database.cachedStatement(
      sql: "UPDATE email_changes SET replaced_at = ? WHERE account_id = ? AND replaced_at IS NULL AND used_at IS NULL"
    ).execute(arguments: [now, account])
  }
}
