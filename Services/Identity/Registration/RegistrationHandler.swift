import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the registration of accounts.
  mutating func serveRegistration(keys: IdentityKeys, hasher: PasswordHasher, watch: LoginWatch) {
    let registration = Registration(hasher: hasher, passwordRules: PasswordRules(), usernames: keys.usernames)
    serveKeyed(RegisterAccount.self) { input, key, call in
      let (account, tokens) = try await call.write(idempotency: key) {
        try await registration.prepare(input, call)
      } repeated: { record in
        // The record is of the account alone: tokens in it would be kept.
        let account = try OwnAccount.decode(record)
        guard input.beginsSession == true else { return (account, GivenTokens?.none) }
        return (account, try await call.write { try $0.renewRegistered(account, call.caller, key: keys.refresh) })
      } _: { prepared, transaction in
        let account = try transaction.register(prepared.form, input, prepared.hash, call.caller, key: keys.usernames)
        let tokens = input.beginsSession == true ? try transaction.logInRegistered(account, input, call.caller, watch) : nil
        return ((account.own, tokens), record: account.own.json)
      }
      return RegisteredAccount(account, signedIn: try await tokens?.signedIn(keys, watch.places))
    }
  }
}

/// Registers accounts.
private struct Registration: Sendable {
  let hasher: PasswordHasher
  let passwordRules: PasswordRules
  /// The key of usernames that nobody can have for a while.
  let usernames: SecretKey

  /// Judges the form, and hashes its password.
  func prepare(_ input: RegisterAccount.Input, _ call: Call) async throws -> (form: RegistrationForm, hash: PasswordHash) {
    let form: RegistrationForm
    switch RegistrationForm.validate(input, passwordRules: passwordRules, requestLanguage: call.language) {
    case .success(let sound): form = sound
    case .failure(let invalid):
      let problems = try await call.read { [usernames] in
        try $0.completeProblems(invalid.problems, of: input, now: call.now, key: usernames)
      }
      throw Failure(RequestFailure.invalidFields, fields: problems)
    }
    return (form, try await hasher.hash(form.password))
  }
}

extension Transaction {
  /// Adds the account and its verification link, unless others have its e-mail address or username. That is looked up in the transaction
  /// that inserts, so that of two who want the same name one gets it and the other is refused.
  fileprivate func register(
    _ form: RegistrationForm, _ input: RegisterAccount.Input, _ hash: PasswordHash, _ caller: Caller, key: SecretKey
  ) throws -> AccountRecord {
    let problems = try database.completeProblems([], of: input, now: now, key: key)
    guard problems.isEmpty else { throw Failure(RequestFailure.invalidFields, fields: problems) }
    let account = try insertAccount(form, hash)
    _ = try sendVerificationLink(to: account, .registered)
    try record(SecurityEvent(.accountRegistered, account: account.id), from: caller)
    return account
  }

  /// Logs the account in that was just registered, as by its password.
  fileprivate func logInRegistered(
    _ account: AccountRecord, _ input: RegisterAccount.Input, _ caller: Caller, _ watch: LoginWatch
  ) throws -> GivenTokens {
    var given = try logIn(account, device: input.device, failures: 0, isByPassword: true, caller, watch).get()
    given.deviceToken = try know(nil, of: account.id, in: given.session.id)
    return given
  }

  /// Gives the session with which an account was registered other tokens, for whoever lacks the answer.
  ///
  /// - Returns: nil where that is too long ago, the session is over, or the password is another by now: who registered logs in.
  fileprivate func renewRegistered(_ registered: OwnAccount, _ caller: Caller, key: SecretKey) throws -> GivenTokens? {
    guard now < registered.createdAt.adding(seconds: RegisterAccount.repeatedSessionSeconds),
      let account = try database.account(registered.id), try database.hasFirstPassword(account.id)
    else { return nil }
    let sessions = try database.liveSessions(of: account.id, before: nil, limit: -1, now: now)
    guard let session = sessions.first(where: { $0.createdAt == account.createdAt }) else { return nil }
    var given = try renewTokens(of: session.id, account, caller, key: key)
    try forgetDevice(of: session.id)
    given.deviceToken = try know(nil, of: account.id, in: session.id)
    return given
  }
}

extension Database {
  /// Whether the password is still the one with which the account was registered.
  fileprivate func hasFirstPassword(_ account: AccountID) throws -> Bool {
    try first("SELECT password_changed_at IS NULL FROM accounts WHERE account_id = ?", .id(account)) { $0.truth(0) } ?? false
  }
}

extension Database {
  /// Adds to a form's problems what only a look at the other accounts shows: what is taken, and which usernames are free.
  fileprivate func completeProblems(
    _ known: [FieldProblem], of input: RegisterAccount.Input, now: Instant, key: SecretKey
  ) throws -> [FieldProblem] {
    var problems = known
    if let email = input.email.value, try isTaken(email, now: now) {
      problems.append(FieldProblem(field: "email", FieldRule("email_taken")))
    }
    let others = [input.email.value.map { String($0.localPart) }, input.name?.description].compactMap { $0 }
    return inFormOrder(
      try completeUsernameProblem(problems, of: input.username, owner: nil, others: others, now: now, key: key))
  }
}

private func inFormOrder(_ problems: [FieldProblem]) -> [FieldProblem] {
  let order = ["email", "username", "password", "passwordRepetition", "name", "age", "nickname", "timeZone", "language"]
  return order.flatMap { field in problems.filter { $0.field == field } } + problems.filter { !order.contains($0.field) }
}
