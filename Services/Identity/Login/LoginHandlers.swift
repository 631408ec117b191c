import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Logging in by a password.
struct LoginHandlers: Sendable {
  let keys: IdentityKeys
  let hasher: PasswordHasher
  let watch: LoginWatch

  func logIn(_ input: LogIn.Input, _ call: OpenCall) async throws -> LogIn.Output {
    let login = Login(input.login)
    let device = input.deviceToken.flatMap { DeviceToken($0) }
    let attempt = try await call.read { try Self.begin(login, device, call, key: keys.failures, in: $0) }
    // No password is looked at, and none is hashed.
    guard !attempt.isEarly else { throw try await call.write { try IncidentDetection.refuseEarly(attempt.subject, $0) } }
    let password: Password
    do throws(FieldRule) {
      password = try Password(text: input.password)
    } catch {
      throw Failure.field("password", error)
    }
    let verdict = try await hasher.verify(password, against: attempt.hash)
    // A failed attempt is counted in the transaction, so the failure must be thrown after it.
    let begun = try await call.write { try Self.end(attempt, verdict, input, call, watch, key: keys.failures, $0) }.get()
    return try await begun.signedIn(keys, watch.places)
  }
}

/// An attempt to log in whose password is being checked.
private struct LoginAttempt: Sendable {
  let subject: LoginSubject
  let account: AccountID?
  /// By which the device is known to the account.
  let device: DeviceToken?
  /// Nil where there is no account or the account must wait: the right password then takes as long as a wrong one, and fails like it.
  let hash: PasswordHash?
  /// Whether it has to wait, and is answered so.
  let isEarly: Bool
}

extension LoginHandlers {
  /// Looks the account up, and whether the attempt comes too early.
  private static func begin(
    _ login: Login, _ device: DeviceToken?, _ call: OpenCall, key: SecretKey, in database: Database
  ) throws -> LoginAttempt {
    let account = try LoginAccountStore.find(login, in: database)
    var subject = LoginSubject(login, account.id, call.caller, key: key)
    var known: DeviceToken?
    if let device, try account.knows(device, database, now: call.now), let id = account.id {
      subject = LoginSubject(device, of: id, call.caller, key: key)
      known = device
    }
    let isHeld = try LoginFailureStore.isAccountLocked(subject, now: call.now, in: database)
    return LoginAttempt(
      subject: subject, account: account.id, device: known, hash: isHeld ? nil : account.passwordHash,
      isEarly: try LoginFailureStore.waitSeconds(subject, now: call.now, in: database) > 0)
  }

  /// Begins a session if the password was right, counts a failure otherwise.
  ///
  /// The wait is looked at again: of many attempts checked at the same time, only as many may learn something as are free.
  private static func end(
    _ attempt: LoginAttempt, _ verdict: PasswordHasher.Verdict, _ input: LogIn.Input, _ call: OpenCall, _ watch: LoginWatch,
    key: SecretKey, _ transaction: Transaction
  ) throws -> Result<GivenTokens, Failure> {
    guard try LoginFailureStore.waitSeconds(attempt.subject, now: transaction.now, in: transaction.database) == 0 else {
      return .failure(try IncidentDetection.refuseEarly(attempt.subject, transaction))
    }
    // That the account must wait by its other login is nobody's to know: the right password is as wrong as any.
    let isHeld = try LoginFailureStore.isAccountLocked(attempt.subject, now: transaction.now, in: transaction.database)
    // A password changed while it was checked is no longer right.
    guard !isHeld, verdict.isRight, let id = attempt.account, let account = try AccountStore.find(id, in: transaction.database),
      account.passwordHash == attempt.hash
    else {
      try LoginFailureStore.add(attempt.subject, isHeld: isHeld, transaction)
      let isLockedNow =
        try LoginFailureStore.isAccountLocked(attempt.subject, now: transaction.now, in: transaction.database) && !isHeld
      let isLocked =
        try LoginFailureStore.waitSeconds(attempt.subject, now: transaction.now, in: transaction.database) > 0 || isLockedNow
      try SecurityEventStore.record(
        SecurityEvent(isLocked ? .loginLocked : .loginFailed, account: attempt.account), from: call.caller, transaction)
      return .failure(Failure(LogInFailure.wrongCredentials))
    }
    if let renewed = verdict.renewed { try AccountStore.renewPasswordHash(id, renewed, transaction) }
    let failures = try LoginFailureStore.accountFailures(attempt.subject, now: transaction.now, in: transaction.database).count
    let begun = try WatchedLogin.begin(
      account, device: input.device, failures: failures, isByPassword: true, isProvenDevice: attempt.device != nil, call.caller,
      watch, transaction)
    // A refused login, or one in doubt, does not prove the owner.
    guard case .success(var given) = begun, !given.isInDoubt else { return begun }
    if attempt.device == nil {
      try LoginFailureStore.clear(of: account, key: key, transaction)
    } else {
      try LoginFailureStore.clear(attempt.subject, transaction)
    }
    given.deviceToken = try DeviceTokenStore.remember(attempt.device, of: id, in: given.session.id, transaction)
    return .success(given)
  }
}

extension Failure {
  /// After too many attempts at a password.
  static func locked(_ seconds: Int) -> Failure {
    LogInFailure.locked.with(["seconds": .number(seconds)], retryAfterSeconds: seconds)
  }
}
