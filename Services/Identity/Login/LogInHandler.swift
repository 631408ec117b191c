import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves logging in.
  mutating func serveLogIn(keys: IdentityKeys, hasher: PasswordHasher, watch: LoginWatch) {
    serve(LogIn.self) { input, call in
      let login = Login(input.login)
      let device = input.deviceToken.flatMap { DeviceToken($0) }
      let attempt = try await call.read { try $0.begin(login, device, call, key: keys.failures) }
      // No password is looked at, and none is hashed.
      guard !attempt.isEarly else { throw try await call.write { try $0.refuseEarly(attempt.subject) } }
      let password: Password
      do throws(FieldRule) {
        password = try Password(text: input.password)
      } catch {
        throw Failure.field("password", error)
      }
      let verdict = try await hasher.verify(password, against: attempt.hash)
      // A failed attempt is counted in the transaction, so the failure must be thrown after it.
      let begun = try await call.write { try $0.end(attempt, verdict, input, call, watch, key: keys.failures) }.get()
      return try await begun.signedIn(keys, watch.places)
    }
  }
}

/// An attempt to log in whose password is being checked.
private struct LoginAttempt: Sendable {
  let subject: LoginSubject
  let account: AccountID?
  /// By which the device is known to the account.
  let device: DeviceToken?
  /// Nil where there is none, or the account must wait: then the right one takes as long as a wrong one, and is as wrong.
  let hash: PasswordHash?
  /// Whether it has to wait, and is told so.
  let isEarly: Bool
}

extension Database {
  /// Looks the account up, and whether the attempt comes too early.
  fileprivate func begin(_ login: Login, _ device: DeviceToken?, _ call: Call, key: SecretKey) throws -> LoginAttempt {
    let account = try loginAccount(login)
    var subject = LoginSubject(login, account.id, call.caller, key: key)
    var known: DeviceToken?
    if let device, try account.knows(device, self, now: call.now), let id = account.id {
      subject = LoginSubject(device, of: id, call.caller, key: key)
      known = device
    }
    let isHeld = try isAccountLocked(subject, now: call.now)
    return LoginAttempt(
      subject: subject, account: account.id, device: known, hash: isHeld ? nil : account.passwordHash,
      isEarly: try loginWaitSeconds(subject, now: call.now) > 0)
  }
}

extension Transaction {
  /// Counts an attempt that came too early.
  ///
  /// - Returns: how long it has to wait.
  fileprivate func refuseEarly(_ subject: LoginSubject) throws -> Failure {
    try countEarlyAttempt(subject)
    return .locked(max(1, try database.loginWaitSeconds(subject, now: now)))
  }

  /// Begins a session if the password was right, counts a failure otherwise.
  ///
  /// The wait is looked at again: of many attempts checked at the same time, only as many may learn something as are free.
  fileprivate func end(
    _ attempt: LoginAttempt, _ verdict: PasswordHasher.Verdict, _ input: LogIn.Input, _ call: Call, _ watch: LoginWatch,
    key: SecretKey
  ) throws -> Result<GivenTokens, Failure> {
    guard try database.loginWaitSeconds(attempt.subject, now: now) == 0 else { return .failure(try refuseEarly(attempt.subject)) }
    // That the account must wait by its other login is nobody's to know: the right password is as wrong as any.
    let isHeld = try database.isAccountLocked(attempt.subject, now: now)
    // A password changed while it was checked is no longer right.
    guard !isHeld, verdict.isRight, let id = attempt.account, let account = try database.account(id),
      account.passwordHash == attempt.hash
    else {
      try addLoginFailure(attempt.subject, isHeld: isHeld)
      let isLockedNow = try database.isAccountLocked(attempt.subject, now: now) && !isHeld
      let isLocked = try database.loginWaitSeconds(attempt.subject, now: now) > 0 || isLockedNow
      try record(SecurityEvent(isLocked ? .loginLocked : .loginFailed, account: attempt.account), from: call.caller)
      return .failure(Failure(LogInFailure.wrongCredentials))
    }
    if let renewed = verdict.renewed { try renewPasswordHash(id, renewed) }
    let failures = try database.accountFailures(attempt.subject, now: now).count
    let begun = try logIn(
      account, device: input.device, failures: failures, isByPassword: true, isProvenDevice: attempt.device != nil, call.caller,
      watch)
    // Who was refused has not shown to be the owner, nor has who is in doubt.
    guard case .success(var given) = begun, !given.isInDoubt else { return begun }
    if attempt.device == nil { try clearLoginFailures(of: account, key: key) } else { try clearLoginFailures(attempt.subject) }
    given.deviceToken = try know(attempt.device, of: id, in: given.session.id)
    return .success(given)
  }
}

extension Failure {
  /// After too many attempts at a password.
  static func locked(_ seconds: Int) -> Failure {
    LogInFailure.locked.with(["seconds": .number(seconds)], retryAfterSeconds: seconds)
  }
}
