import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Passwords: changed; and what the mail about it needs.
struct PasswordHandlers: Sendable {
  let keys: IdentityKeys
  let hasher: PasswordHasher
  let places: PlaceDatabase
  private let rules = PasswordRules()

  init(_ keys: IdentityKeys, _ hasher: PasswordHasher, _ places: PlaceDatabase) {
    self.keys = keys
    self.hasher = hasher
    self.places = places
  }

  func change(_ input: ChangePassword.Input, _ key: IdempotencyKey?, _ call: AccountCall) async throws -> ChangePassword.Output {
    let result: Result<GivenTokens, Failure> = try await call.write(idempotency: key) {
      let attempt = try await call.read { try Self.begin(input, rules, call, key: keys.failures, in: $0) }
      let hash = try await attempt.current.isRight(hasher, call) ? try await hasher.hash(attempt.new) : nil
      return (attempt, hash)
    } repeated: { _ in
      // The idempotency record only says that the change was made: tokens in it would be stored, and would be older than a refresh.
      .success(try await call.write { try SessionStore.renewTokens(call, key: keys.refresh, $0) })
    } _: { prepared, transaction in
      // A failed attempt is counted in the transaction, so the failure must be thrown after it.
      let (attempt, hash) = prepared
      let result = try Self.end(
        attempt, hash, keepsTokens: input.keepsPersonalAccessTokens ?? false, call, key: keys.refresh, transaction)
      guard case .success = result else { return (result, record: nil) }
      return (result, record: [])
    }
    return try await result.get().signedIn(keys, places)
  }

  static func getAddressee(
    _ input: GetAddressee.Input, _ call: OpenCall, _ database: Database
  ) throws -> GetAddressee.Output {
    guard let account = try AccountStore.find(input.accountID, in: database) else { throw Failure(RequestFailure.notFound) }
    return GetAddressee.Output(email: account.email, username: account.username, language: account.language)
  }
}

/// An attempt to change a password, whose current one is being checked.
private struct ChangeAttempt: Sendable {
  let current: PasswordAttempt
  let new: Password
}

extension PasswordHandlers {
  /// Validates the form, and looks whether the attempt comes too early.
  private static func begin(
    _ input: ChangePassword.Input, _ rules: PasswordRules, _ call: AccountCall, key: SecretKey, in database: Database
  ) throws -> ChangeAttempt {
    let account = try call.liveAccount(database)
    guard account.hasPassword else { throw ChangePasswordFailure.noPassword }
    var problems = input.currentPassword.rule.map { [FieldProblem(field: "currentPassword", $0)] } ?? []
    problems += rules.problems(input.password, repetition: input.passwordConfirmation, names: account.names)
    if let current = input.currentPassword.value, let new = input.password.value, current.normalized == new.normalized {
      problems.append(FieldProblem(field: "password", FieldRule("password_unchanged")))
    }
    problems = input.found.with(problems)
    guard problems.isEmpty, let current = input.currentPassword.value, let new = input.password.value else {
      throw Failure(RequestFailure.invalidFields, fields: problems)
    }
    return ChangeAttempt(current: try PasswordAttempt(current, of: account, call, database, key: key), new: new)
  }

  /// Changes the password and ends all other sessions if the current one was right, counts a failure otherwise.
  private static func end(
    _ attempt: ChangeAttempt, _ hash: PasswordHash?, keepsTokens: Bool, _ call: AccountCall, key: SecretKey,
    _ transaction: Transaction
  ) throws -> Result<GivenTokens, Failure> {
    let account = try call.liveAccount(transaction.database)
    let session = try call.session
    let refusal = try attempt.current.end(isRight: hash != nil, orElse: .passwordChangeFailed, account, call, transaction)
    guard refusal == nil, let hash else { return .failure(refusal ?? Failure(ChangePasswordFailure.wrongPassword)) }
    try PasswordStore.change(of: account.id, to: hash, transaction)
    try SessionStore.revokeAll(of: account.id, except: session, .passwordChanged, transaction)
    try DeviceTokenStore.forgetAll(of: account.id, except: session, transaction)
    try ExternalIdentityStore.unlinkDoubtful(of: account.id, except: session, call.caller, transaction)
    if !keepsTokens { try AccessWithdrawalStore.withdraw(to: account.id, transaction) }
    try SecurityEventStore.record(
      SecurityEvent(.passwordChanged, account: account.id, session: session), from: call.caller, transaction)
    return .success(try SessionStore.renewTokens(call, key: key, transaction))
  }
}
