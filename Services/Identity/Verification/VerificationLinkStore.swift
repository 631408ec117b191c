import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// The secret of a verification link.
typealias VerificationToken = LinkToken<VerificationLinkRecord>

/// A verification link as it is kept: without its secret.
struct VerificationLinkRecord: EmailLink {
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

  /// What the rules look at.
  var opened: OpenedLink { OpenedLink(expiresAt: expiresAt, usedAt: usedAt, replacedAt: replacedAt) }
}

/// The links that verify e-mail addresses.
enum VerificationLinkStore {
  /// Among the first tables, see ``AccountStore/migration(_:)``.
  static let table = """
    -- A link's token is derived from its id by a key outside the store; neither it nor a hash of it is stored.
    CREATE TABLE verification_links (
      link_id BLOB NOT NULL PRIMARY KEY CHECK (length(link_id) = 16),
      account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
      email_normalized TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      replaced_at INTEGER,
      used_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX verification_links_by_expiry ON verification_links (expires_at);
    CREATE INDEX verification_links_by_account ON verification_links (account_id, created_at);
    """

  /// Those that still work, as events: a subscriber that comes late must not miss their mails. See `SnapshotParts`.
  static func snapshot(_ database: Database, after key: String?, now: Instant) throws -> SnapshotParts.Page {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT link_id, account_id FROM verification_links
          WHERE expires_at > ? AND used_at IS NULL AND replaced_at IS NULL AND link_id > ? ORDER BY link_id LIMIT ?
          """),
      arguments: [now, try SnapshotParts.last(key), SnapshotParts.pageSize])
    let events = rows.map { row in
      VerificationMailRequested(linkID: row["link_id"], accountID: row["account_id"], reason: .registered)
    }
    return SnapshotParts.page(events, of: events, key: \.linkID)
  }

  /// The link of that id.
  static func find(_ id: VerificationLinkID, in database: Database) throws -> VerificationLinkRecord? {
    try Row.fetchOne(database.cachedStatement(sql: "SELECT * FROM verification_links WHERE link_id = ?"), arguments: [id])
      .map(VerificationLinkRecord.init)
  }

  /// When the account's last links were sent, the newest first.
  static func sentAt(_ account: AccountID, limit: Int, in database: Database) throws -> [Instant] {
    try Instant.fetchAll(
      database.cachedStatement(
        sql: "SELECT created_at FROM verification_links WHERE account_id = ? ORDER BY created_at DESC LIMIT ?"),
      arguments: [account, limit])
  }

  /// Makes a new link the only one of the account that works, and publishes that its mail is to be sent.
  static func send(
    to account: AccountRecord, _ reason: VerificationMailRequested.Reason, _ transaction: Transaction
  ) throws -> VerificationLinkRecord {
    try replaceAll(of: account.id, transaction)
    let id = VerificationLinkID()
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO verification_links (link_id, account_id, email_normalized, created_at, expires_at) VALUES (?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      id, account.id, account.email.normalized, transaction.now,
      transaction.now.adding(seconds: VerificationRules.lifetimeSeconds),
    ])
    try transaction.publish(VerificationMailRequested(linkID: id, accountID: account.id, reason: reason))
    guard let link = try find(id, in: transaction.database) else { throw Failure(RequestFailure.notFound) }
    return link
  }

  /// Notes that the link did its work; no other of the account works after it.
  static func use(_ link: VerificationLinkRecord, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(sql: "UPDATE verification_links SET used_at = ? WHERE link_id = ?")
      .execute(arguments: [transaction.now, link.id])
    try replaceAll(of: link.accountID, transaction)
  }

  /// Notes that the account's link has nothing left to do, since its address was verified by another.
  static func useAll(of account: AccountID, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE verification_links SET used_at = ? WHERE account_id = ? AND replaced_at IS NULL AND used_at IS NULL"
    ).execute(arguments: [transaction.now, account])
  }

  /// Ends the account's unused links.
  static func replaceAll(of account: AccountID, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE verification_links SET replaced_at = ? WHERE account_id = ? AND replaced_at IS NULL AND used_at IS NULL"
    ).execute(arguments: [transaction.now, account])
  }
}

/// A verification link, opened.
struct OpenedVerification: Sendable {
  let link: VerificationLinkRecord
  let account: AccountRecord
  /// Whether it did its work before.
  let isDone: Bool
}

extension VerificationLinkStore {
  /// What the link of that token leads to.
  static func open(
    _ token: VerificationToken?, _ keys: IdentityKeys, now: Instant, in database: Database
  ) throws -> LinkOpening<OpenedVerification> {
    func refused(_ failure: VerificationFailure, _ account: AccountID?) -> LinkOpening<OpenedVerification> {
      .refused(LinkRefusal(.verificationLinkRefused, failure, account))
    }
    // A link to an address that the account no longer has verifies nothing.
    guard let token, let link = try find(token.claimedLink, in: database), token.isOf(link, key: keys.verification),
      let account = try AccountStore.find(link.accountID, in: database), account.email.normalized == link.emailNormalized
    else { return refused(.linkInvalid, nil) }
    switch VerificationRules.validate(link.opened, now: now) {
    case .refuse(let failure): return refused(failure, account.id)
    case .verify: return .works(OpenedVerification(link: link, account: account, isDone: false))
    case .alreadyDone: return .works(OpenedVerification(link: link, account: account, isDone: true))
    }
  }
}
