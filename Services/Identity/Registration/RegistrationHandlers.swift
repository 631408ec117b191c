import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Registration of accounts.
struct RegistrationHandlers: Sendable {
  let keys: IdentityKeys
  let hasher: PasswordHasher
  let watch: LoginWatch
  private let passwordRules = PasswordRules()

  init(_ keys: IdentityKeys, _ hasher: PasswordHasher, _ watch: LoginWatch) {
    self.keys = keys
    self.hasher = hasher
    self.watch = watch
  }

  func register(_ input: RegisterAccount.Input, _ key: IdempotencyKey?, _ call: OpenCall) async throws -> RegisteredAccount {
    let (account, tokens) = try await call.write(idempotency: key) {
      try await prepare(input, call)
    } repeated: { record in
      // The record is of the account alone: tokens in it would be kept.
      let account = try OwnAccount.decode(record)
      guard input.beginsSession == true else { return (account, GivenTokens?.none) }
      return (account, try await call.write { try Self.renewRegistered(account, call.caller, key: keys.refresh, $0) })
    } _: { prepared, transaction in
      let account = try Self.register(prepared.form, input, prepared.hash, call.caller, key: keys.usernames, transaction)
      let tokens = input.beginsSession == true ? try Self.logInRegistered(account, input, call.caller, watch, transaction) : nil
      return ((account.own, tokens), record: account.own.json)
    }
    return RegisteredAccount(account, signedIn: try await tokens?.signedIn(keys, watch.places))
  }

  /// Validates the form, and hashes its password.
  private func prepare(
    _ input: RegisterAccount.Input, _ call: OpenCall
  ) async throws -> (form: RegistrationForm, hash: PasswordHash) {
    let form: RegistrationForm
    switch RegistrationForm.validate(input, passwordRules: passwordRules, requestLanguage: call.language) {
    case .success(let sound): form = sound
    case .failure(let invalid):
      let problems = try await call.read { database in
        try Self.completeProblems(invalid.problems, of: input, now: call.now, key: keys.usernames, in: database)
      }
      throw Failure(RequestFailure.invalidFields, fields: problems)
    }
    return (form, try await hasher.hash(form.password))
  }

  /// Adds the account and its verification link, unless its e-mail address or username is taken. Both are checked in the transaction of the
  /// insert, so that of two concurrent registrations of a name one is refused.
  private static func register(
    _ form: RegistrationForm, _ input: RegisterAccount.Input, _ hash: PasswordHash, _ caller: Caller, key: SecretKey,
    _ transaction: Transaction
  ) throws -> AccountRecord {
    let problems = try completeProblems([], of: input, now: transaction.now, key: key, in: transaction.database)
    guard problems.isEmpty else { throw Failure(RequestFailure.invalidFields, fields: problems) }
    let account = try AccountStore.add(form, hash, transaction)
    _ = try VerificationLinkStore.send(to: account, .registered, transaction)
    try SecurityEventStore.record(SecurityEvent(.accountRegistered, account: account.id), from: caller, transaction)
    return account
  }

  /// Logs the account in that was just registered, as by its password.
  private static func logInRegistered(
    _ account: AccountRecord, _ input: RegisterAccount.Input, _ caller: Caller, _ watch: LoginWatch, _ transaction: Transaction
  ) throws -> GivenTokens {
    var given = try WatchedLogin.begin(account, device: input.device, failures: 0, isByPassword: true, caller, watch, transaction)
      .get()
    given.deviceToken = try DeviceTokenStore.remember(nil, of: account.id, in: given.session.id, transaction)
    return given
  }

  /// Gives the session of a registration new tokens, for a client that lost the answer.
  ///
  /// - Returns: nil where that is too long ago, the session has ended, or the password was changed: the person then logs in.
  private static func renewRegistered(
    _ registered: OwnAccount, _ caller: Caller, key: SecretKey, _ transaction: Transaction
  ) throws -> GivenTokens? {
    guard transaction.now < registered.createdAt.adding(seconds: RegisterAccount.repeatedSessionSeconds),
      let account = try AccountStore.find(registered.id, in: transaction.database),
      try PasswordStore.isFirst(of: account.id, in: transaction.database)
    else { return nil }
    let sessions = try SessionStore.listLive(
      of: account.id, before: nil, limit: -1, now: transaction.now, in: transaction.database)
    guard let session = sessions.first(where: { $0.createdAt == account.createdAt }) else { return nil }
    var given = try SessionStore.renewTokens(of: session.id, account, caller, key: key, transaction)
    try DeviceTokenStore.forget(of: session.id, transaction)
    given.deviceToken = try DeviceTokenStore.remember(nil, of: account.id, in: session.id, transaction)
    return given
  }

  /// Adds to a form's problems what only a look at the other accounts shows: what is taken, and which usernames are free.
  private static func completeProblems(
    _ known: [FieldProblem], of input: RegisterAccount.Input, now: Instant, key: SecretKey, in database: Database
  ) throws -> [FieldProblem] {
    var problems = known
    if let email = input.email.value, try EmailChangeStore.isTaken(email, now: now, in: database) {
      problems.append(FieldProblem(field: "email", FieldRule("email_taken")))
    }
    let others = [input.email.value.map { String($0.localPart) }, input.name?.description].compactMap { $0 }
    return inFormOrder(
      try FreeUsernames.complete(problems, of: input.username, owner: nil, others: others, now: now, key: key, in: database))
  }
}

private func inFormOrder(_ problems: [FieldProblem]) -> [FieldProblem] {
  let order = ["email", "username", "password", "passwordConfirmation", "name", "age", "nickname", "timeZone", "language"]
  return order.flatMap { field in problems.filter { $0.field == field } } + problems.filter { !order.contains($0.field) }
}
