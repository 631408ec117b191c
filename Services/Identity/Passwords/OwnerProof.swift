import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// The proof that the caller is the owner and not just a person with the device: the current password or, for an account without one, a
/// session that has just begun with a login at its provider.
enum OwnerProof: Sendable {
  case password(PasswordAttempt)
  case freshLogin

  /// - Parameter password: nil where none was given that could be the account's.
  /// - Throws: `fresh_login_required`.
  init?(_ password: Password?, of account: AccountRecord, _ call: AccountCall, _ database: Database, key: SecretKey) throws {
    guard account.hasPassword else {
      try FreshLogin.expect(of: account, call, database, now: call.now)
      self = .freshLogin
      return
    }
    guard let password else { return nil }
    self = .password(try PasswordAttempt(password, of: account, call, database, key: key))
  }

  /// The rule that the password field breaks; nil where it breaks none, or the account has no password.
  static func rule(_ field: FormField<Password>?, of account: AccountRecord) -> FieldRule? {
    account.hasPassword ? (field ?? .missing).rule : nil
  }

  /// Looks at the password, if it is one.
  ///
  /// - Throws: `login_locked` if it comes too early.
  func isRight(_ hasher: PasswordHasher, _ call: AccountCall) async throws -> Bool {
    switch self {
    case .password(let attempt): try await attempt.isRight(hasher, call)
    case .freshLogin: true
    }
  }

  /// Ends the attempt in the transaction of the change, as ``PasswordAttempt/end(isRight:orElse:_:_:_:)``.
  ///
  /// - Returns: why the change is refused. Throw it only after the transaction, which must be committed.
  func end(
    isRight: Bool, orElse failed: SecurityEvent.Kind, _ account: AccountRecord, _ call: AccountCall, _ transaction: Transaction
  ) throws -> Failure? {
    switch self {
    case .password(let attempt): return try attempt.end(isRight: isRight, orElse: failed, account, call, transaction)
    case .freshLogin:
      // The account may have been given a password meanwhile, and then that is asked for.
      guard !account.hasPassword else { return Failure(ChangePasswordFailure.wrongPassword) }
      return nil
    }
  }
}

extension FreshLogin {
  /// - Throws: `fresh_login_required` where the session began too long ago.
  fileprivate static func expect(of account: AccountRecord, _ call: AccountCall, _ database: Database, now: Instant) throws {
    guard let session = try SessionStore.find(try call.session, in: database), session.accountID == account.id,
      now < session.createdAt.adding(seconds: seconds)
    else { throw FreshLoginFailure.required }
  }
}
