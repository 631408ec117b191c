import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// The secret of a link that changes an e-mail address.
typealias EmailChangeToken = LinkToken<EmailChangeRecord>

/// A stored change of an e-mail address, without the secret of its link.
struct EmailChangeRecord: EmailLink {
  let id: EmailChangeID
  let accountID: AccountID
  /// The new address.
  let email: EmailAddress
  let expiresAt: Instant
  let replacedAt: Instant?
  let usedAt: Instant?
  /// The address before, once the change has been made.
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

  /// What the rules look at.
  var opened: OpenedLink { OpenedLink(expiresAt: expiresAt, usedAt: usedAt, replacedAt: replacedAt) }
}

/// A link that changes an address, opened.
struct OpenedEmailChange: Sendable {
  let change: EmailChangeRecord
  let account: AccountRecord
}

/// The changes of e-mail addresses, and their mailed links.
enum EmailChangeStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "changes of e-mail addresses") { database in
      try database.execute(
        sql: """
          -- A change of an address, and its mailed link. As with verification links, the token is not stored.
          CREATE TABLE email_changes (
            change_id BLOB NOT NULL PRIMARY KEY CHECK (length(change_id) = 16),
            account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
            -- The new address.
            email TEXT NOT NULL,
            email_normalized TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            replaced_at INTEGER,
            used_at INTEGER,
            -- The address that the account had until then, for the notice.
            former_email TEXT,
            CHECK ((used_at IS NULL) = (former_email IS NULL))
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX email_changes_by_account ON email_changes (account_id, created_at);
          CREATE INDEX email_changes_by_email ON email_changes (email_normalized, created_at);
          CREATE INDEX email_changes_by_expiry ON email_changes (expires_at);
          """)
    }
  }

  static func undoingMigration(_ number: Int) -> Migration {
    Migration(number, "changes of addresses can be undone") { database in
      try database.execute(
        sql: """
          ALTER TABLE email_changes ADD COLUMN former_normalized TEXT;
          ALTER TABLE email_changes ADD COLUMN undone_at INTEGER;
          CREATE INDEX email_changes_by_former_email ON email_changes (former_normalized) WHERE former_normalized IS NOT NULL;
          """)
    }
  }

  /// Those that still wait, as events; see `SnapshotParts`.
  static func snapshot(_ database: Database, after key: String?, now: Instant) throws -> SnapshotParts.Page {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT change_id, account_id FROM email_changes
          WHERE expires_at > ? AND used_at IS NULL AND replaced_at IS NULL AND change_id > ? ORDER BY change_id LIMIT ?
          """),
      arguments: [now, try SnapshotParts.last(key), SnapshotParts.pageSize])
    let events = rows.map { row in EmailChangeRequested(changeID: row["change_id"], accountID: row["account_id"]) }
    return SnapshotParts.page(events, of: events, key: \.changeID)
  }

  /// What the link of that token leads to.
  static func open(
    _ token: EmailChangeToken?, _ keys: IdentityKeys, now: Instant, in database: Database
  ) throws -> LinkOpening<OpenedEmailChange> {
    func refused(_ failure: EmailChangeFailure, _ account: AccountID?) -> LinkOpening<OpenedEmailChange> {
      .refused(LinkRefusal(.emailChangeRefused, failure, account))
    }
    guard let token, let change = try find(token.claimedLink, in: database), token.isOf(change, key: keys.emailChanges),
      let account = try AccountStore.find(change.accountID, in: database)
    else { return refused(.linkInvalid, nil) }
    if let suspension = account.suspension(at: now) {
      return .refused(LinkRefusal(.emailChangeRefused, suspension, account.id))
    }
    if let failure = try refusal(of: change, now: now, in: database) { return refused(failure, account.id) }
    return .works(OpenedEmailChange(change: change, account: account))
  }

  /// The change of that id.
  static func find(_ id: EmailChangeID, in database: Database) throws -> EmailChangeRecord? {
    try Row.fetchOne(database.cachedStatement(sql: "SELECT * FROM email_changes WHERE change_id = ?"), arguments: [id])
      .map(EmailChangeRecord.init)
  }

  /// Why the change is not made; nil if it is.
  static func refusal(of change: EmailChangeRecord?, now: Instant, in database: Database) throws -> EmailChangeFailure? {
    let isTaken = try change.map { try EmailChangeStore.isTaken($0.email, now: now, for: $0.accountID, in: database) } ?? false
    return EmailChangeRules.refusal(
      change?.opened, isCancelled: change?.undoneAt != nil, isTaken: isTaken, now: now)
  }

  /// Whole seconds until the account may have a further link sent to the address, 0 if it may now.
  static func waitSeconds(of account: AccountID, to email: EmailAddress, now: Instant, in database: Database) throws -> Int {
    func sentAt(_ column: String, _ value: any DatabaseValueConvertible, _ allowance: LinkAllowance) throws -> [Instant] {
      let sql = "SELECT created_at FROM email_changes WHERE \(column) = ? ORDER BY created_at DESC LIMIT ?"
      return try Instant.fetchAll(database.cachedStatement(sql: sql), arguments: [value, allowance.maxPerHour])
    }
    return EmailChangeRules.secondsUntilNext(
      toAccount: try sentAt("account_id", account, EmailChangeRules.perAccount),
      toAddress: try sentAt("email_normalized", email.normalized, EmailChangeRules.perAddress), now: now)
  }

  /// Creates the only link that changes the account's address, and publishes that its mail is to be sent.
  ///
  /// Whether another account has the address makes no difference here: that is checked when the mail is written, and again when the link is
  /// opened.
  static func request(of account: AccountID, to email: EmailAddress, _ transaction: Transaction) throws -> Instant {
    try replaceAll(of: account, transaction)
    let id = EmailChangeID()
    let expiresAt = transaction.now.adding(seconds: EmailChangeRules.lifetimeSeconds)
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO email_changes (change_id, account_id, email, email_normalized, created_at, expires_at)
        VALUES (?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [id, account, email, email.normalized, transaction.now, expiresAt])
    try transaction.publish(EmailChangeRequested(changeID: id, accountID: account))
    return expiresAt
  }

  /// Gives the account its new address, verified, and publishes that. Every link mailed to the former one works no longer.
  static func complete(_ change: EmailChangeRecord, of account: AccountRecord, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE email_changes SET used_at = ?, former_email = ?, former_normalized = ? WHERE change_id = ?"
    ).execute(arguments: [transaction.now, account.email, account.email.normalized, change.id])
    try give(account.id, change.email, transaction)
    try transaction.publish(EmailChanged(changeID: change.id, accountID: account.id))
  }

  /// Gives the account an address that a link mailed there has just proved. All other links of the account end.
  static func give(_ account: AccountID, _ email: EmailAddress, _ transaction: Transaction) throws {
    try replaceAll(of: account, transaction)
    try VerificationLinkStore.replaceAll(of: account, transaction)
    try PasswordRecoveryStore.replaceAll(of: account, transaction)
    try transaction.database.cachedStatement(
      sql: """
        UPDATE accounts SET email = ?, email_normalized = ?, verified_at = COALESCE(verified_at, ?), revision = revision + 1
        WHERE account_id = ?
        """
    ).execute(arguments: [email, email.normalized, transaction.now, account])
    _ = try AccountStore.publish(account, transaction)
  }

  /// Ends the account's pending links.
  static func replaceAll(of account: AccountID, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE email_changes SET replaced_at = ? WHERE account_id = ? AND replaced_at IS NULL AND used_at IS NULL"
    ).execute(arguments: [transaction.now, account])
  }
}
