import Foundation
import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// The secret of a link that recovers a password.
typealias RecoveryToken = LinkToken<PasswordRecoveryRecord>

/// A stored request to recover a password, without the secret of its link and without the typed address.
struct PasswordRecoveryRecord: EmailLink {
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

  /// What the rules look at.
  var opened: OpenedLink { OpenedLink(expiresAt: expiresAt, usedAt: usedAt, replacedAt: replacedAt) }
}

/// The subject that a request to recover a password is counted against. Only keyed hashes are kept: the address may have no account.
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

/// Requests to recover a password, and their mailed links.
enum PasswordRecoveryStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "password recoveries") { database in
      try database.execute(
        sql: """
          -- A request to recover a password, and its mailed link. As with verification links, the token is not stored.
          CREATE TABLE password_recoveries (
            recovery_id BLOB NOT NULL PRIMARY KEY CHECK (length(recovery_id) = 16),
            -- Keyed hashes of the e-mail address that was typed and of where the request came from.
            email_key BLOB NOT NULL CHECK (length(email_key) = 32),
            address_key BLOB CHECK (length(address_key) = 32),
            -- Nobody's where no account has the address; the row is made all the same, so that it takes as long.
            account_id BLOB REFERENCES accounts (account_id) ON DELETE CASCADE,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            replaced_at INTEGER,
            used_at INTEGER
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX password_recoveries_by_email ON password_recoveries (email_key, created_at);
          CREATE INDEX password_recoveries_by_address ON password_recoveries (address_key, created_at);
          CREATE INDEX password_recoveries_by_account ON password_recoveries (account_id);
          CREATE INDEX password_recoveries_by_expiry ON password_recoveries (expires_at);
          """)
    }
  }

  /// Those that still wait, as events; see `SnapshotParts`.
  static func snapshot(_ database: Database, after key: String?, now: Instant) throws -> SnapshotParts.Page {
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT recovery_id, account_id FROM password_recoveries
          WHERE expires_at > ? AND used_at IS NULL AND replaced_at IS NULL AND account_id IS NOT NULL AND recovery_id > ?
          ORDER BY recovery_id LIMIT ?
          """),
      arguments: [now, try SnapshotParts.last(key), SnapshotParts.pageSize])
    let events = rows.map { row in PasswordRecoveryRequested(recoveryID: row["recovery_id"], accountID: row["account_id"]) }
    return SnapshotParts.page(events, of: events, key: \.recoveryID)
  }

  /// The request of that id.
  static func find(_ id: PasswordRecoveryID, in database: Database) throws -> PasswordRecoveryRecord? {
    try Row.fetchOne(database.cachedStatement(sql: "SELECT * FROM password_recoveries WHERE recovery_id = ?"), arguments: [id])
      .map(PasswordRecoveryRecord.init)
  }

  /// Whether the subject may have a further link.
  private static func isFree(_ subject: RecoverySubject, now: Instant, in database: Database) throws -> Bool {
    let since = now.adding(seconds: -PasswordRecoveryRules.lifetimeSeconds)
    func count(_ column: String, _ key: Data?) throws -> Int {
      let sql = "SELECT COUNT(*) FROM password_recoveries WHERE \(column) = ? AND created_at > ?"
      return try Int.fetchOne(database.cachedStatement(sql: sql), arguments: [key, since]) ?? 0
    }
    return PasswordRecoveryRules.isFree(
      toEmail: try count("email_key", subject.email), fromAddress: try count("address_key", subject.address))
  }

  /// The account of the address. Only the index is read, so that it takes as long without an account.
  private static func accountID(_ email: EmailAddress, in database: Database) throws -> AccountID? {
    try AccountID.fetchOne(
      database.cachedStatement(sql: "SELECT account_id FROM accounts WHERE email_normalized = ?"), arguments: [email.normalized])
  }

  /// Creates the only link that works for the address, and publishes that its mail is to be sent, unless there were too many.
  ///
  /// The same rows are written whether or not an account has the address. Where there were too many, the answer is the same.
  static func request(_ email: EmailAddress, _ caller: Caller, key: SecretKey, _ transaction: Transaction) throws {
    let subject = RecoverySubject(email, caller, key: key)
    let account = try accountID(email, in: transaction.database)
    let isFree = try isFree(subject, now: transaction.now, in: transaction.database)
    let detail = isFree ? nil : "too_many"
    try SecurityEventStore.record(
      SecurityEvent(.passwordRecoveryRequested, account: account, detail: detail), from: caller, transaction)
    guard isFree else { return }
    try transaction.database.cachedStatement(
      sql: """
        UPDATE password_recoveries SET replaced_at = ? WHERE email_key = ? AND replaced_at IS NULL AND used_at IS NULL
        """
    ).execute(arguments: [transaction.now, subject.email])
    let id = PasswordRecoveryID()
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO password_recoveries (recovery_id, email_key, address_key, account_id, created_at, expires_at)
        VALUES (?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      id, subject.email, subject.address, account, transaction.now,
      transaction.now.adding(seconds: PasswordRecoveryRules.lifetimeSeconds),
    ])
    try transaction.publish(PasswordRecoveryRequested(recoveryID: id, accountID: account))
    // Of a suspended account no password is recovered: instead its owner is mailed the link about that.
    try SuspensionLinkStore.request(of: account, transaction)
  }

  /// Notes that the link did its work.
  static func use(_ link: PasswordRecoveryRecord, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(sql: "UPDATE password_recoveries SET used_at = ? WHERE recovery_id = ?")
      .execute(arguments: [transaction.now, link.id])
  }

  /// Ends the account's unused links.
  static func replaceAll(of account: AccountID, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE password_recoveries SET replaced_at = ? WHERE account_id = ? AND replaced_at IS NULL AND used_at IS NULL"
    ).execute(arguments: [transaction.now, account])
  }
}

/// A link to recover a password, opened.
struct OpenedRecovery: Sendable {
  let link: PasswordRecoveryRecord
  let account: AccountRecord
}

extension PasswordRecoveryRecord {
  /// Whether it was sent to the address that the account has now.
  func isTo(_ account: AccountRecord, _ keys: IdentityKeys) -> Bool {
    RecoverySubject.emailKey(account.email, keys.recoverySubjects) == emailKey
  }
}

extension PasswordRecoveryStore {
  /// What the link of that token leads to.
  static func open(
    _ token: RecoveryToken?, _ keys: IdentityKeys, now: Instant, in database: Database
  ) throws -> LinkOpening<OpenedRecovery> {
    func refused(_ failure: RecoveryFailure, _ account: AccountID?) -> LinkOpening<OpenedRecovery> {
      .refused(LinkRefusal(.passwordRecoveryRefused, failure, account))
    }
    guard let token, let link = try find(token.claimedLink, in: database), token.isOf(link, key: keys.recovery),
      let account = try link.accountID.flatMap({ try AccountStore.find($0, in: database) }), link.isTo(account, keys)
    else { return refused(.linkInvalid, nil) }
    // A new password would let nobody in; the owner has another mail.
    if let suspension = account.suspension(at: now) {
      return .refused(LinkRefusal(.passwordRecoveryRefused, suspension, account.id))
    }
    if let failure = PasswordRecoveryRules.refusal(link.opened, now: now) { return refused(failure, account.id) }
    return .works(OpenedRecovery(link: link, account: account))
  }
}
