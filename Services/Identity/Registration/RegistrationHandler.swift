import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the registration of accounts.
  mutating func serveRegistration(keys: IdentityKeys, hasher: PasswordHasher) {
    let registration = Registration(hasher: hasher, passwordRules: PasswordRules(), usernames: keys.usernames)
    serve(
      RegisterAccount.self, prepare: registration.prepare,
      write: { input, prepared, _, transaction in
        try transaction.register(prepared.form, input, prepared.hash, key: keys.usernames)
      })
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
    switch RegistrationForm.judge(input, passwordRules: passwordRules, requestLanguage: call.language) {
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
  /// Adds the account and its verification link, unless others have its e-mail address or username.
  fileprivate func register(
    _ form: RegistrationForm, _ input: RegisterAccount.Input, _ hash: PasswordHash, key: SecretKey
  ) throws -> OwnAccount {
    let problems = try database.completeProblems([], of: input, now: now, key: key)
    guard problems.isEmpty else { throw Failure(RequestFailure.invalidFields, fields: problems) }
    let account = try insertAccount(form, hash)
    _ = try sendVerificationLink(to: account, .registered)
    return account.own
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
