import Foundation
import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Logging in by external providers.
struct ExternalLoginHandlers: Sendable {
  let logins: ExternalLogins
  let keys: IdentityKeys
  /// The hash that accounts without a password have.
  let unusablePassword: PasswordHash
  let watch: LoginWatch

  func listProviders(_ input: Empty, _ call: OpenCall) -> ListExternalProviders.Output {
    ListExternalProviders.Output(providers: logins.settings.providers.map(\.shown))
  }

  func begin(_ input: BeginExternalLogin.Input, _ call: OpenCall) async throws -> ExternalLoginStart {
    try await logins.begin(input, owner: nil, call)
  }

  func complete(_ input: CompleteExternalLogin.Input, _ call: OpenCall) async throws -> CompleteExternalLogin.Output {
    let proven = try await logins.end(input, owner: nil, call)
    // A refusal is recorded in the transaction, so it must be thrown after it.
    let (given, isNew) = try await call.write { transaction in
      try Self.logIn(proven, input, unusablePassword, logins, keys, watch, call, transaction)
    }.get()
    return CompleteExternalLogin.Output(isNewAccount: isNew, signedIn: try await given.signedIn(keys, watch.places))
  }

  func getReturn(
    _ input: GetExternalLoginReturn.Input, _ call: OpenCall
  ) async throws -> GetExternalLoginReturn.Output {
    GetExternalLoginReturn.Output(redirectURI: try await logins.redirectURI(input.state, call))
  }

  /// Begins a session of the account that the person is linked to, or of a new one.
  ///
  /// Everything is looked at here, in the one transaction: of two first logins of a person, one makes the account and the other finds it.
  private static func logIn(
    _ proven: ProvenIdentity, _ input: CompleteExternalLogin.Input, _ unusablePassword: PasswordHash, _ logins: ExternalLogins,
    _ keys: IdentityKeys, _ watch: LoginWatch, _ call: OpenCall, _ transaction: Transaction
  ) throws -> Result<(GivenTokens, isNew: Bool), Failure> {
    let identity = try ExternalIdentityStore.find(proven, in: transaction.database)
    let isTaken =
      try proven.email.map { try EmailChangeStore.isTaken($0, now: transaction.now, in: transaction.database) } ?? false
    switch ExternalLoginRules.logIn(
      linked: identity?.accountID, email: proven.email, isEmailVerified: proven.isEmailVerified, isTaken: isTaken)
    {
    case .refuse(let failure):
      try SecurityEventStore.record(
        SecurityEvent(.externalLoginFailed, account: nil, detail: "\(proven.provider) \(failure.rawValue)"), from: call.caller,
        transaction)
      try ProviderGrantStore.giveBack(proven.grant, transaction)
      return .failure(failure.with(["provider": logins.title(proven.provider)]))
    case .begin(let id):
      guard let identity, let account = try AccountStore.find(id, in: transaction.database) else {
        throw Failure(RequestFailure.notFound)
      }
      try ExternalIdentityStore.noteUse(of: identity, transaction)
      try ProviderGrantStore.keep(proven.grant, of: identity, transaction)
      let subject = LoginSubject(.email(account.email), account.id, call.caller, key: keys.failures)
      let failures = try LoginFailureStore.accountFailures(subject, now: transaction.now, in: transaction.database).count
      return try WatchedLogin.begin(account, device: input.device, failures: failures, call.caller, watch, transaction).map {
        ($0, false)
      }
    case .create(let isVerified):
      let account = try addAccount(of: proven, isVerified: isVerified, input, unusablePassword, keys, call, transaction)
      let identity = try ExternalIdentityStore.add(proven, of: account.id, transaction)
      try ExternalIdentityStore.noteUse(of: identity, transaction)
      try ProviderGrantStore.keep(proven.grant, of: identity, transaction)
      try SecurityEventStore.record(
        SecurityEvent(.externalAccountCreated, account: account.id, detail: proven.provider.description), from: call.caller,
        transaction)
      return try WatchedLogin.begin(account, device: input.device, failures: 0, call.caller, watch, transaction).map {
        ($0, true)
      }
    }
  }

  /// Adds an account without a password for the person.
  private static func addAccount(
    of proven: ProvenIdentity, isVerified: Bool, _ input: CompleteExternalLogin.Input, _ unusablePassword: PasswordHash,
    _ keys: IdentityKeys, _ call: OpenCall, _ transaction: Transaction
  ) throws -> AccountRecord {
    guard let email = proven.email else { throw Failure(RequestFailure.internalError) }
    let username = try freeUsername(for: proven, email, now: transaction.now, key: keys.usernames, in: transaction.database)
    let form = RegistrationForm(
      email: email, username: username, password: .placeholder, name: proven.name, age: nil, nickname: nil,
      timeZone: input.timeZone?.name ?? .utc, language: input.language ?? call.language,
      consents: input.consents ?? ConsentChoices())
    let id = try AccountStore.add(form, unusablePassword, transaction).id
    try PasswordStore.noteNone(of: id, transaction)
    if isVerified { try AccountStore.verify(id, transaction) }
    guard let account = try AccountStore.find(id, in: transaction.database) else { throw Failure(RequestFailure.notFound) }
    // What the provider does not vouch for is verified as any address is.
    if !isVerified { _ = try VerificationLinkStore.send(to: account, .registered, transaction) }
    return account
  }

  /// A free username like the person's name, or like the address where there is no name. The owner may choose another later.
  private static func freeUsername(
    for proven: ProvenIdentity, _ email: EmailAddress, now: Instant, key: SecretKey, in database: Database
  ) throws -> Username {
    let candidates = UsernameSuggestions.candidates(near: proven.wishedUsername, others: [String(email.localPart)])
    if let free = try candidates.first(where: { try !ReservedUsernameStore.isTaken($0, now: now, key: key, in: database) }) {
      return free
    }
    // Those near a popular name run out; numbers of twelve digits do not.
    return try Username(text: "user\(UInt64.random(in: 100_000_000_000...999_999_999_999))")
  }
}
