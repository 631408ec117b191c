import Foundation
import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves logging in by external providers.
  ///
  /// - Parameter nobodysPassword: the hash that accounts without a password have.
  mutating func serveExternalLogins(
    _ logins: ExternalLogins, keys: IdentityKeys, unusablePassword: PasswordHash, watch: LoginWatch
  ) {
    let providers = ListExternalProviders.Output(providers: logins.settings.providers.map(\.shown))
    serve(ListExternalProviders.self) { _, _ in providers }

    serve(BeginExternalLogin.self) { input, call in try await logins.begin(input, owner: nil, call) }

    serve(CompleteExternalLogin.self) { input, call in
      let proven = try await logins.end(input, owner: nil, call)
      // A refusal is recorded in the transaction, so it must be thrown after it.
      let (given, isNew) = try await call.write { transaction in
        try transaction.logIn(proven, input, unusablePassword, logins, keys, watch, call)
      }.get()
      return CompleteExternalLogin.Output(isNewAccount: isNew, signedIn: try await given.signedIn(keys, watch.places))
    }

    serve(ReadExternalLoginReturn.self) { input, call in
      ReadExternalLoginReturn.Output(redirectURI: try await logins.redirectURI(input.state, call))
    }
  }
}

extension Transaction {
  /// Begins a session of the account that the person is linked to, or of a new one.
  ///
  /// Everything is looked at here, in the one transaction: of two first logins of a person, one makes the account and the other finds it.
  fileprivate func logIn(
    _ proven: ProvenIdentity, _ input: CompleteExternalLogin.Input, _ unusablePassword: PasswordHash, _ logins: ExternalLogins,
    _ keys: IdentityKeys, _ watch: LoginWatch, _ call: Call
  ) throws -> Result<(GivenTokens, isNew: Bool), Failure> {
    let identity = try database.externalIdentity(proven)
    let isTaken = try proven.email.map { try database.isTaken($0, now: now) } ?? false
    switch ExternalLoginRule.logIn(
      linked: identity?.accountID, email: proven.email, isEmailVerified: proven.isEmailVerified, isTaken: isTaken)
    {
    case .refuse(let failure):
      try record(
        SecurityEvent(.externalLoginFailed, account: nil, detail: "\(proven.provider) \(failure.rawValue)"), from: call.caller)
      try giveBack(proven.grant)
      return .failure(failure.with(["provider": logins.title(proven.provider)]))
    case .begin(let id):
      guard let identity, let account = try database.account(id) else { throw Failure(RequestFailure.notFound) }
      try noteUse(of: identity)
      try keepGrant(proven.grant, of: identity)
      let subject = LoginSubject(.email(account.email), account.id, call.caller, key: keys.failures)
      let failures = try database.accountFailures(subject, now: now).count
      return try logIn(account, device: input.device, failures: failures, call.caller, watch).map { ($0, false) }
    case .create(let isVerified):
      let account = try insertAccount(of: proven, isVerified: isVerified, input, unusablePassword, keys, call)
      let identity = try insertExternalIdentity(proven, of: account.id)
      try noteUse(of: identity)
      try keepGrant(proven.grant, of: identity)
      try record(
        SecurityEvent(.externalAccountCreated, account: account.id, detail: proven.provider.description), from: call.caller)
      return try logIn(account, device: input.device, failures: 0, call.caller, watch).map { ($0, true) }
    }
  }

  /// Adds an account without a password for the person.
  private func insertAccount(
    of proven: ProvenIdentity, isVerified: Bool, _ input: CompleteExternalLogin.Input, _ unusablePassword: PasswordHash,
    _ keys: IdentityKeys, _ call: Call
  ) throws -> AccountRecord {
    guard let email = proven.email else { throw Failure(RequestFailure.internalError) }
    let username = try database.freeUsername(for: proven, email, now: now, key: keys.usernames)
    let form = RegistrationForm(
      email: email, username: username, password: .placeholder, name: proven.name, age: nil, nickname: nil,
      timeZone: input.timeZone?.name ?? .utc, language: input.language ?? call.language,
      consents: input.consents ?? ConsentChoices())
    let id = try insertAccount(form, unusablePassword).id
    try database.cachedStatement(sql: "UPDATE accounts SET has_password = 0 WHERE account_id = ?").execute(arguments: [id])
    if isVerified { try verifyAccount(id) }
    guard let account = try database.account(id) else { throw Failure(RequestFailure.notFound) }
    // What the provider does not vouch for is verified as any address is.
    if !isVerified { _ = try sendVerificationLink(to: account, .registered) }
    return account
  }
}

extension Database {
  /// A username like the person's name, or like the address where there is none: the first of the suggestions that is free. Its owner may
  /// choose another later.
  fileprivate func freeUsername(
    for proven: ProvenIdentity, _ email: EmailAddress, now: Instant, key: SecretKey
  ) throws -> Username {
    let candidates = UsernameSuggestions.candidates(near: proven.wishedUsername, others: [String(email.localPart)])
    if let free = try candidates.first(where: { try !isTaken($0, now: now, key: key) }) { return free }
    // Those near a popular name run out; numbers of twelve digits do not.
    return try Username(text: "user\(UInt64.random(in: 100_000_000_000...999_999_999_999))")
  }
}
