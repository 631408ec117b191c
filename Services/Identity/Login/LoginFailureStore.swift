import Foundation
import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// The subject that a password attempt is counted against. Only keyed hashes are kept: the text typed as a login may be anything.
struct LoginSubject: Sendable {
  /// The account, or the login where it has no account; a device or a session of the account, where that is counted separately.
  let account: [UInt8]
  /// The login as typed, whether or not it has an account: the answer to an attempt depends on its count. Where a device or a session is
  /// counted separately, the same as the account. The count stays when the account changes its username or address, or is deleted.
  let login: [UInt8]
  /// Where it came from; nil if that is not known, as for other services.
  let address: [UInt8]?

  /// The account itself, where there is one.
  let accountID: AccountID?
  /// The address as it came.
  let addressText: String?

  /// Where it came from, as the account's rows have it.
  fileprivate let accountAddress: [UInt8]
  private let unknownAddress: [UInt8]

  private init(_ counted: [UInt8], _ account: AccountID?, typed: Login?, _ caller: Caller, key: SecretKey) {
    self.account = key.code(for: counted)
    login = typed.map { LoginSubject.key(of: $0, key) } ?? self.account
    let from = caller.address.map { [0] + ClientAddress($0).bytes } ?? []
    address = typed != nil && caller.address != nil ? key.code(for: Array("address".utf8) + from) : nil
    // Another than the login's, so that the address counts what was typed from it and no account.
    accountAddress = key.code(for: Array("address of an account's".utf8) + from)
    unknownAddress = key.code(for: Array("no address".utf8))
    accountID = account
    addressText = caller.keptAddress
  }

  /// Somebody who knows a login.
  init(_ login: Login, _ account: AccountID?, _ caller: Caller, key: SecretKey) {
    let counted = account.map { LoginSubject.counted($0) } ?? Array("login".utf8) + [0] + login.bytes
    self.init(counted, account, typed: login, caller, key: key)
  }

  /// A device that has logged in to the account before: its failures and those of others do not delay each other.
  init(_ device: DeviceToken, of account: AccountID, _ caller: Caller, key: SecretKey) {
    let counted = Array("device".utf8) + [0] + account.bytes + Array(device.hash)
    self.init(counted, account, typed: nil, caller, key: key)
  }

  /// A session of the account that is asked for the password again: counted separately, like a device.
  init(_ session: SessionID, of account: AccountID, _ caller: Caller, key: SecretKey) {
    let counted = Array("session".utf8) + [0] + account.bytes + session.bytes
    self.init(counted, account, typed: nil, caller, key: key)
  }

  /// The keys of the account and of each of its logins.
  fileprivate static func keys(of account: AccountRecord, _ key: SecretKey) -> [[UInt8]] {
    [key.code(for: counted(account.id))] + [.email(account.email), .username(account.username)].map { self.key(of: $0, key) }
  }

  private static func counted(_ account: AccountID) -> [UInt8] { Array("account".utf8) + [0] + account.bytes }

  private static func key(of login: Login, _ key: SecretKey) -> [UInt8] {
    key.code(for: Array("typed".utf8) + [0] + login.bytes)
  }

  fileprivate var addressKey: [UInt8] { address ?? unknownAddress }
}

/// The failed attempts at passwords, by keyed hashes of whom they count against.
enum LoginFailureStore {
  /// Among the first tables, see ``AccountStore/migration(_:)``.
  static let table = """
    -- Both keys are keyed hashes: a typed login may be anything, even a password.
    CREATE TABLE login_failures (
      account_key BLOB NOT NULL CHECK (length(account_key) = 32),
      address_key BLOB NOT NULL CHECK (length(address_key) = 32),
      failures INTEGER NOT NULL CHECK (failures > 0),
      last_at INTEGER NOT NULL,
      PRIMARY KEY (account_key, address_key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX login_failures_by_address ON login_failures (address_key, last_at);
    CREATE INDEX login_failures_by_time ON login_failures (last_at);
    """

  /// The seconds until the next attempt, 0 for none, as far as they may be revealed: by the typed login and by the address, neither of
  /// which reveals anything about the account.
  static func waitSeconds(_ subject: LoginSubject, now: Instant, in database: Database) throws -> Int {
    try Lockout.remainingSeconds(
      login: failures(subject.login, now: now, in: database), address: addressFailures(subject, now: now, in: database), now: now)
  }

  /// Whether the account must wait, whichever of its logins is used. It is not revealed beyond ``waitSeconds(_:now:in:)``.
  static func isAccountLocked(_ subject: LoginSubject, now: Instant, in database: Database) throws -> Bool {
    try Lockout.remainingSeconds(accountFailures(subject, now: now, in: database), now: now) > 0
  }

  /// Failed attempts at the account by all of its logins, except those of its own devices and sessions.
  static func accountFailures(_ subject: LoginSubject, now: Instant, in database: Database) throws -> FailureTally {
    try failures(subject.account, now: now, in: database)
  }

  private static func failures(_ key: [UInt8], now: Instant, in database: Database) throws -> FailureTally {
    try tally(
      "SELECT COALESCE(SUM(failures), 0), COALESCE(MAX(last_at), 0) FROM login_failures WHERE account_key = ? AND last_at > ?",
      key, now, in: database)
  }

  /// Logins that were tried in vain from the address.
  static func addressFailures(_ subject: LoginSubject, now: Instant, in database: Database) throws -> FailureTally {
    guard let address = subject.address else { return .none }
    return try tally(
      "SELECT COUNT(*), COALESCE(MAX(last_at), 0) FROM login_failures WHERE address_key = ? AND last_at > ?", address, now,
      in: database)
  }

  /// Addresses from which the account was tried in vain.
  static func addressCount(_ subject: LoginSubject, now: Instant, in database: Database) throws -> Int {
    try tally(
      "SELECT COUNT(*), COALESCE(MAX(last_at), 0) FROM login_failures WHERE account_key = ? AND last_at > ?", subject.account,
      now, in: database
    ).count
  }

  private static func tally(_ sql: String, _ key: [UInt8], _ now: Instant, in database: Database) throws -> FailureTally {
    guard
      let row = try Row.fetchOne(
        database.cachedStatement(sql: sql), arguments: [Data(key), now.adding(seconds: -Lockout.memorySeconds)])
    else { return .none }
    return FailureTally(count: row[0], lastAt: row[1])
  }

  /// Counts a failed attempt, and looks what it is together with those before it.
  ///
  /// - Parameter isHeld: whether the account must wait although what was typed need not. Then it counts for what was typed and for the
  ///   incident, and makes the account's wait no longer.
  static func add(_ subject: LoginSubject, isHeld: Bool = false, _ transaction: Transaction) throws {
    try addFailure(subject.login, from: subject.addressKey, transaction)
    if !isHeld, subject.login != subject.account { try addFailure(subject.account, from: subject.accountAddress, transaction) }
    try IncidentDetection.detectGuessing(subject, isHeld: isHeld, transaction)
  }

  private static func addFailure(_ key: [UInt8], from address: [UInt8], _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO login_failures (account_key, address_key, failures, last_at) VALUES (?, ?, 1, ?)
        ON CONFLICT (account_key, address_key) DO UPDATE SET
          failures = CASE WHEN last_at > ? THEN failures + 1 ELSE 1 END, last_at = excluded.last_at
        """
    ).execute(arguments: [Data(key), Data(address), transaction.now, transaction.now.adding(seconds: -Lockout.memorySeconds)])
  }

  /// Forgets the failures of a device or a session, after its success.
  static func clear(_ subject: LoginSubject, _ transaction: Transaction) throws {
    try clearFailures(subject.account, transaction)
  }

  /// Forgets the failures of the account and of both of its logins, after a success.
  static func clear(of account: AccountRecord, key: SecretKey, _ transaction: Transaction) throws {
    for counted in LoginSubject.keys(of: account, key) { try clearFailures(counted, transaction) }
  }

  private static func clearFailures(_ key: [UInt8], _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(sql: "DELETE FROM login_failures WHERE account_key = ?")
      .execute(arguments: [Data(key)])
  }
}
