import Foundation
import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Whom an attempt at a password is counted against. Kept are keyed hashes: what people type as a login may be anything.
struct LoginSubject: Sendable {
  /// The account, or the login where there is no such account; a device or a session of the account, where that is counted by itself.
  let account: [UInt8]
  /// Where it came from; nil if that is not known, as for other services.
  let address: [UInt8]?

  /// The account itself, where there is one.
  let accountID: AccountID?
  /// The address as it came.
  let addressText: String?

  private let unknownAddress: [UInt8]

  private init(_ counted: [UInt8], _ account: AccountID?, isFromAddress: Bool, _ caller: Caller, key: SecretKey) {
    self.account = key.code(for: counted)
    address =
      isFromAddress ? caller.address.map { key.code(for: Array("address".utf8) + [0] + ClientAddress($0).bytes) } : nil
    unknownAddress = key.code(for: Array("no address".utf8))
    accountID = account
    addressText = caller.address.map { String($0.prefix(64)) }
  }

  /// Somebody who knows a login.
  init(_ login: Login, _ account: AccountID?, _ caller: Caller, key: SecretKey) {
    let counted = account.map { Array("account".utf8) + [0] + $0.bytes } ?? Array("login".utf8) + [0] + login.bytes
    self.init(counted, account, isFromAddress: true, caller, key: key)
  }

  /// A device that has logged in to the account before: nobody else's failures delay it, and its own delay nobody else.
  init(_ device: DeviceToken, of account: AccountID, _ caller: Caller, key: SecretKey) {
    let counted = Array("device".utf8) + [0] + account.bytes + Array(device.hash)
    self.init(counted, account, isFromAddress: false, caller, key: key)
  }

  /// A session of the account, whose password is asked for once more: likewise.
  init(_ session: SessionID, of account: AccountID, _ caller: Caller, key: SecretKey) {
    let counted = Array("session".utf8) + [0] + account.bytes + session.bytes
    self.init(counted, account, isFromAddress: false, caller, key: key)
  }

  fileprivate var addressKey: [UInt8] { address ?? unknownAddress }
}

extension Database {
  /// How long the next attempt must wait, 0 if it need not.
  func loginWaitSeconds(_ subject: LoginSubject, now: Instant) throws -> Int {
    try Lockout.remainingSeconds(
      account: accountFailures(subject, now: now), address: addressFailures(subject, now: now), now: now)
  }

  /// Failed attempts at the account, from everywhere but devices and sessions of its own.
  func accountFailures(_ subject: LoginSubject, now: Instant) throws -> FailureTally {
    try tally(
      "SELECT COALESCE(SUM(failures), 0), COALESCE(MAX(last_at), 0) FROM login_failures WHERE account_key = ? AND last_at > ?",
      subject.account, now)
  }

  /// Accounts that were tried in vain from the address.
  func addressFailures(_ subject: LoginSubject, now: Instant) throws -> FailureTally {
    guard let address = subject.address else { return .none }
    return try tally(
      "SELECT COUNT(*), COALESCE(MAX(last_at), 0) FROM login_failures WHERE address_key = ? AND last_at > ?", address, now)
  }

  /// Addresses from which the account was tried in vain.
  func addressesOfFailures(_ subject: LoginSubject, now: Instant) throws -> Int {
    try tally(
      "SELECT COUNT(*), COALESCE(MAX(last_at), 0) FROM login_failures WHERE account_key = ? AND last_at > ?", subject.account, now
    ).count
  }

  private func tally(_ sql: String, _ key: [UInt8], _ now: Instant) throws -> FailureTally {
    guard
      let row = try Row.fetchOne(
        cachedStatement(sql: sql), arguments: [Data(key), now.adding(seconds: -Lockout.memorySeconds)])
    else { return .none }
    return FailureTally(count: row[0], lastAt: row[1])
  }
}

extension Transaction {
  /// Counts a failed attempt, and looks what it is together with those before it.
  func addLoginFailure(_ subject: LoginSubject) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO login_failures (account_key, address_key, failures, last_at) VALUES (?, ?, 1, ?)
        ON CONFLICT (account_key, address_key) DO UPDATE SET
          failures = CASE WHEN last_at > ? THEN failures + 1 ELSE 1 END, last_at = excluded.last_at
        """
    ).execute(arguments: [
      Data(subject.account), Data(subject.addressKey), now, now.adding(seconds: -Lockout.memorySeconds),
    ])
    try detectGuessing(subject)
  }

  /// Forgets the account's failures, after a success.
  func clearLoginFailures(_ subject: LoginSubject) throws {
    try database.cachedStatement(sql: "DELETE FROM login_failures WHERE account_key = ?").execute(arguments: [
      Data(subject.account)
    ])
  }
}
