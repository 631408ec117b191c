import GRDB
import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Profiles, edited and read.
struct ProfileHandlers: Sendable {
  let keys: IdentityKeys

  func update(_ input: UpdateProfile.Input, _ call: AccountCall, _ transaction: Transaction) throws -> OwnAccount {
    let account = try call.liveAccount(transaction.database)
    let form = try Self.validate(input, of: account, now: call.now, key: keys.usernames, in: transaction.database)
    guard form != ProfileForm(account) else { return account.own }
    try ProfileStore.edit(account.id, form, transaction)
    if form.username != account.username {
      try ReservedUsernameStore.release(of: form.username, key: keys.usernames, transaction)
      try ReservedUsernameStore.reserve(account.username, ofRenamed: account.id, key: keys.usernames, transaction)
      try SecurityEventStore.record(
        SecurityEvent(.usernameChanged, account: account.id, session: try call.session), from: call.caller, transaction)
    }
    return try AccountStore.publish(account.id, transaction).own
  }

  static func get(_ input: GetProfile.Input, _ call: AccountCall, _ database: Database) throws -> Profile {
    let viewer = try call.liveAccount(database)
    return try profile(AccountStore.find(input.accountID, in: database), for: viewer, now: call.now, in: database)
  }

  static func getByUsername(_ input: GetProfileByUsername.Input, _ call: AccountCall, _ database: Database) throws -> Profile {
    let viewer = try call.liveAccount(database)
    return try profile(AccountStore.find(input.username, in: database), for: viewer, now: call.now, in: database)
  }

  private static func profile(
    _ account: AccountRecord?, for viewer: AccountRecord, now: Instant, in database: Database
  ) throws -> Profile {
    guard let account else { throw Failure(RequestFailure.notFound) }
    let known = try RelationStore.find(of: viewer.id, to: account.id, in: database)
    switch ProfileRules.view(known, isSuspended: account.isSuspended(at: now)) {
    case .nothing: throw Failure(RequestFailure.notFound)
    case .names: return account.names(known.relation)
    case .whole: return account.profile(known.relation, isOwn: account.id == viewer.id)
    }
  }
}

extension AccountRecord {
  /// What somebody sees of it who has blocked it.
  fileprivate func names(_ relation: Relation) -> Profile {
    Profile(accountID: id, username: username, nickname: nickname, createdAt: createdAt, relation: relation)
  }

  /// What somebody sees of it with that between the two.
  fileprivate func profile(_ relation: Relation, isOwn: Bool) -> Profile {
    Profile(
      accountID: id, username: username, nickname: nickname,
      name: ProfileRules.shows(nameVisibility, to: relation, isOwn: isOwn) ? name : nil,
      age: ProfileRules.shows(ageVisibility, to: relation, isOwn: isOwn) ? age : nil,
      photoURL: photoURL, createdAt: createdAt, relation: relation)
  }
}

extension ProfileForm {
  /// The profile that an account has.
  init(_ account: AccountRecord) {
    self.init(username: account.username, nickname: account.nickname, name: account.name, age: account.age)
  }
}

extension ProfileHandlers {
  /// The profile after the change, if everything is right with it.
  ///
  /// - Throws: `invalid_fields` with everything that is not, and with free usernames near the wished one if that cannot be had.
  private static func validate(
    _ input: UpdateProfile.Input, of account: AccountRecord, now: Instant, key: SecretKey, in database: Database
  ) throws -> ProfileForm {
    var (form, problems): (ProfileForm?, [FieldProblem]) = (nil, [])
    switch ProfileForm.validate(input, of: ProfileForm(account)) {
    case .success(let sound): form = sound
    case .failure(let invalid): problems = invalid.problems
    }
    if let username = input.username.value {
      let others = [String(account.email.localPart), (input.name.value?.value ?? account.name)?.description].compactMap { $0 }
      problems = try FreeUsernames.complete(
        problems, of: username, owner: account.id, others: others, now: now, key: key, in: database)
    }
    guard problems.isEmpty, let form else { throw Failure(RequestFailure.invalidFields, fields: problems) }
    return form
  }
}
