import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the editing of profiles.
  mutating func serveProfiles(keys: IdentityKeys) {
    serve(
      EditProfile.self,
      write: { input, call, transaction in
        let account = try call.liveAccount(transaction.database)
        let form = try transaction.database.validate(input, of: account, now: call.now, key: keys.usernames)
        guard form != ProfileForm(account) else { return account.own }
        try transaction.edit(account.id, form)
        if form.username != account.username {
          try transaction.endReservation(of: form.username, key: keys.usernames)
          try transaction.reserve(account.username, ofRenamed: account.id, key: keys.usernames)
          try transaction.record(
            SecurityEvent(.usernameChanged, account: account.id, session: try call.session), from: call.caller)
        }
        return try transaction.publishAccount(account.id).own
      })
  }
}

extension ProfileForm {
  /// The profile that an account has.
  init(_ account: AccountRecord) {
    self.init(username: account.username, nickname: account.nickname, name: account.name, age: account.age)
  }
}

extension Database {
  /// The form, if everything is right with it.
  ///
  /// - Throws: `invalid_fields` with everything that is not, and with free usernames near the wished one if that cannot be had.
  fileprivate func validate(
    _ input: EditProfile.Input, of account: AccountRecord, now: Instant, key: SecretKey
  ) throws -> ProfileForm {
    var (form, problems): (ProfileForm?, [FieldProblem]) = (nil, [])
    switch ProfileForm.validate(input, present: account.username) {
    case .success(let sound): form = sound
    case .failure(let invalid): problems = invalid.problems
    }
    let others = [String(account.email.localPart), (input.name?.value ?? account.name)?.description].compactMap { $0 }
    problems = try completeUsernameProblem(
      problems, of: input.username, owner: account.id, others: others, now: now, key: key)
    guard problems.isEmpty, let form else { throw Failure(RequestFailure.invalidFields, fields: problems) }
    return form
  }
}

extension Transaction {
  fileprivate func edit(_ account: AccountID, _ form: ProfileForm) throws {
    try database.cachedStatement(
      sql: "UPDATE accounts SET username = ?, nickname = ?, name = ?, age = ?, revision = revision + 1 WHERE account_id = ?"
    ).execute(arguments: [form.username, form.nickname, form.name, form.age, account])
  }
}
