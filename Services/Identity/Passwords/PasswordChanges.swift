import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves changing the password, and what the mail about it needs.
  mutating func servePasswordChanges(keys: IdentityKeys, hasher: PasswordHasher, places: PlaceDatabase) {
    let rules = PasswordRules()
    serveKeyed(ChangePassword.self) { input, key, call in
      let result: Result<GivenTokens, Failure> = try await call.write(idempotency: key) {
        let attempt = try await call.read { try $0.beginChange(input, rules, call, key: keys.failures) }
        let hash = try await attempt.current.isRight(hasher, call) ? try await hasher.hash(attempt.new) : nil
        return (attempt, hash)
      } repeated: { _ in
        // The record says no more than that it is done: tokens in it would be kept, and be those of before a refresh.
        .success(try await call.write { try $0.renewTokens(call, key: keys.refresh) })
      } _: { prepared, transaction in
        // A failed attempt is counted in the transaction, so the failure must be thrown after it.
        let (attempt, hash) = prepared
        let result = try transaction.endChange(
          attempt, hash, keepsTokens: input.keepsPersonalAccessTokens ?? false, call, key: keys.refresh)
        guard case .success = result else { return (result, record: nil) }
        return (result, record: [])
      }
      return try await result.get().signedIn(keys, places)
    }

    serve(
      ReadAddressee.self,
      read: { input, _, database in
        guard let account = try database.account(input.accountID) else { throw Failure(RequestFailure.notFound) }
        return ReadAddressee.Output(email: account.email, username: account.username, language: account.language)
      })
  }
}

/// An attempt to change a password, whose current one is being checked.
private struct ChangeAttempt: Sendable {
  let current: PasswordAttempt
  let new: Password
}

extension Database {
  /// Judges the form, and looks whether the attempt comes too early.
  fileprivate func beginChange(
    _ input: ChangePassword.Input, _ rules: PasswordRules, _ call: Call, key: SecretKey
  ) throws -> ChangeAttempt {
    let account = try call.liveAccount(self)
    guard account.hasPassword else { throw ChangePasswordFailure.noPassword }
    var problems = input.currentPassword.rule.map { [FieldProblem(field: "currentPassword", $0)] } ?? []
    problems += rules.problems(input.password, repetition: input.passwordRepetition, names: account.names)
    if let current = input.currentPassword.value, let new = input.password.value, current.normalized == new.normalized {
      problems.append(FieldProblem(field: "password", FieldRule("password_unchanged")))
    }
    problems = input.found.with(problems)
    guard problems.isEmpty, let current = input.currentPassword.value, let new = input.password.value else {
      throw Failure(RequestFailure.invalidFields, fields: problems)
    }
    return ChangeAttempt(current: try PasswordAttempt(current, of: account, call, self, key: key), new: new)
  }
}

extension Transaction {
  /// Changes the password and ends all other sessions if the current one was right, counts a failure otherwise.
  fileprivate func endChange(
    _ attempt: ChangeAttempt, _ hash: PasswordHash?, keepsTokens: Bool, _ call: Call, key: SecretKey
  ) throws -> Result<GivenTokens, Failure> {
    let account = try call.liveAccount(database)
    let session = try call.session
    let refusal = try attempt.current.end(isRight: hash != nil, orElse: .passwordChangeFailed, account, call, self)
    guard refusal == nil, let hash else { return .failure(refusal ?? Failure(ChangePasswordFailure.wrongPassword)) }
    try changePassword(of: account.id, to: hash)
    try revokeSessions(of: account.id, except: session, .passwordChanged)
    try forgetDevices(of: account.id, except: session)
    try unlinkDoubtful(of: account.id, except: session, call.caller)
    if !keepsTokens { try withdrawAccess(to: account.id) }
    try record(SecurityEvent(.passwordChanged, account: account.id, session: session), from: call.caller)
    return .success(try renewTokens(call, key: key))
  }

  /// Lets no password log in to the account until its owner chooses one by a mailed link: somebody else knows it.
  ///
  /// - Parameter nobodysPassword: what takes its place, which nobody knows.
  func endPassword(of account: AccountID, _ unusablePassword: PasswordHash) throws {
    try database.cachedStatement(
      sql: "UPDATE accounts SET password_hash = ?, has_password = 0, password_changed_at = ? WHERE account_id = ?"
    ).execute(arguments: [unusablePassword.text, now, account])
    try replacePasswordRecoveries(of: account)
  }

  /// Gives the account another password, and tells of it: links that would recover the older one work no longer, nor do those that
  /// whoever had it has sent to an address of their own.
  func changePassword(of account: AccountID, to hash: PasswordHash) throws {
    try database.cachedStatement(
      sql: "UPDATE accounts SET password_hash = ?, has_password = 1, password_changed_at = ? WHERE account_id = ?"
    ).execute(arguments: [hash.text, now, account])
    try replacePasswordRecoveries(of: account)
    try replaceEmailChanges(of: account)
    try publish(PasswordChanged(changeID: PasswordChangeID(), accountID: account))
  }
}
