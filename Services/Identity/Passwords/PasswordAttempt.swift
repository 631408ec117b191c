import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// An attempt to prove by the current password that the caller is the owner and not just a person with the device.
///
/// Attempts count for the session alone, by the rule for logins: failures elsewhere do not delay the owner, and a stolen session allows no
/// more guesses than its own. Attempts that come too early count for the incident.
struct PasswordAttempt: Sendable {
  private let password: Password
  private let hash: PasswordHash
  private let subject: LoginSubject
  /// Whether it has to wait.
  private let isEarly: Bool

  init(_ password: Password, of account: AccountRecord, _ call: AccountCall, _ database: Database, key: SecretKey) throws {
    subject = LoginSubject(try call.session, of: account.id, call.caller, key: key)
    isEarly = try LoginFailureStore.waitSeconds(subject, now: call.now, in: database) > 0
    self.password = password
    hash = account.passwordHash
  }

  /// Looks at the password.
  ///
  /// - Throws: `login_locked` if it comes too early: then no password is looked at, and none is hashed.
  func isRight(_ hasher: PasswordHasher, _ call: AccountCall) async throws -> Bool {
    guard !isEarly else { throw try await call.write { try IncidentDetection.refuseEarly(subject, $0) } }
    return try await hasher.verify(password, against: hash).isRight
  }

  /// Ends the attempt in the transaction of the change: clears the session's failures, or counts one.
  ///
  /// The wait is checked again: of many concurrent attempts, only the allowed number learns a result.
  ///
  /// - Parameters:
  ///   - isRight: the result of the hasher.
  ///   - failed: the event that records a failure.
  /// - Returns: why the change is refused. Throw it only after the transaction, which must be committed.
  func end(
    isRight: Bool, orElse failed: SecurityEvent.Kind, _ account: AccountRecord, _ call: AccountCall, _ transaction: Transaction
  ) throws -> Failure? {
    guard try LoginFailureStore.waitSeconds(subject, now: transaction.now, in: transaction.database) == 0 else {
      return try IncidentDetection.refuseEarly(subject, transaction)
    }
    // A password changed while it was checked is no longer right.
    guard isRight, account.passwordHash == hash else {
      try LoginFailureStore.add(subject, transaction)
      let isLocked = try LoginFailureStore.waitSeconds(subject, now: transaction.now, in: transaction.database) > 0
      let event = SecurityEvent(isLocked ? .loginLocked : failed, account: account.id, session: try call.session)
      try SecurityEventStore.record(event, from: call.caller, transaction)
      return Failure(ChangePasswordFailure.wrongPassword)
    }
    try LoginFailureStore.clear(subject, transaction)
    return nil
  }
}
