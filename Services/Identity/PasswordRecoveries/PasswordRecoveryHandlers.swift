import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Recoveries of forgotten passwords: requested and completed; and what their mail needs.
struct PasswordRecoveryHandlers: Sendable {
  let keys: IdentityKeys
  let hasher: PasswordHasher
  private let rules = PasswordRules()

  init(_ keys: IdentityKeys, _ hasher: PasswordHasher) {
    self.keys = keys
    self.hasher = hasher
  }

  func request(
    _ input: RequestPasswordRecovery.Input, _ call: OpenCall, _ transaction: Transaction
  ) throws -> RequestPasswordRecovery.Output {
    let problems = input.found.with(input.email.rule.map { [FieldProblem(field: "email", $0)] } ?? [])
    guard problems.isEmpty, let email = input.email.value else {
      throw Failure(RequestFailure.invalidFields, fields: problems)
    }
    try PasswordRecoveryStore.request(email, call.caller, key: keys.recoverySubjects, transaction)
    return RequestPasswordRecovery.Output(email: email, linkLifetimeSeconds: PasswordRecoveryRules.lifetimeSeconds)
  }

  func complete(_ input: CompletePasswordRecovery.Input, _ call: OpenCall) async throws -> CompletePasswordRecovery.Output {
    let unreadable = input.found.with([])
    guard unreadable.isEmpty else {
      let problems = rules.problems(input.password, repetition: input.passwordConfirmation, names: [])
      throw Failure(RequestFailure.invalidFields, fields: input.found.with(problems))
    }
    let token = RecoveryToken(input.token)
    // The form is validated only for who has a link that works, and does not use it up.
    let opening = try await call.read { try PasswordRecoveryStore.open(token, keys, now: call.now, in: $0) }
    var hash: PasswordHash?
    if case .works(let opened) = opening {
      let problems = rules.problems(input.password, repetition: input.passwordConfirmation, names: opened.account.names)
      guard problems.isEmpty, let password = input.password.value else {
        throw Failure(RequestFailure.invalidFields, fields: problems)
      }
      hash = try await hasher.hash(password)
    }
    // A refusal is recorded in the transaction, so it must be thrown after it.
    return try await call.write { [hash] in try Self.recover(token, hash, keys, call, $0) }.get()
  }

  func getSecret(
    _ input: GetRecoverySecret.Input, _ call: OpenCall, _ database: Database
  ) throws -> GetRecoverySecret.Output {
    guard let link = try PasswordRecoveryStore.find(input.recoveryID, in: database),
      let account = try link.accountID.flatMap({ try AccountStore.find($0, in: database) }), link.isTo(account, keys),
      PasswordRecoveryRules.refusal(link.opened, now: call.now) == nil, !account.isSuspended(at: call.now)
    else { throw Failure(RequestFailure.notFound) }
    return GetRecoverySecret.Output(
      token: RecoveryToken.text(link, key: keys.recovery), email: account.email, username: account.username,
      language: account.language, expiresAt: link.expiresAt)
  }

  /// Gives the link's account its new password and ends all its sessions, or records that the link was refused.
  ///
  /// The link is checked again: of two concurrent uses, one is refused.
  ///
  /// - Parameter hash: of the new password; nil where the link was refused at the first check.
  private static func recover(
    _ token: RecoveryToken?, _ hash: PasswordHash?, _ keys: IdentityKeys, _ call: some Call, _ transaction: Transaction
  ) throws -> Result<CompletePasswordRecovery.Output, Failure> {
    let opening = try PasswordRecoveryStore.open(token, keys, now: transaction.now, in: transaction.database)
    if let refusal = opening.refusal {
      try IncidentDetection.refuseLink(refusal, from: call.caller, transaction)
      return .failure(refusal.failure)
    }
    guard case .works(let opened) = opening, let hash else { return .failure(Failure(RecoveryFailure.linkInvalid)) }
    let (link, account) = (opened.link, opened.account)
    try PasswordRecoveryStore.use(link, transaction)
    try PasswordStore.change(of: account.id, to: hash, transaction)
    // Whoever had the password may have made tokens to stay.
    try Revocation.revokeEverything(of: account.id, .passwordRecovered, transaction)
    if ExternalLoginRules.endWithRecovery(hadPassword: account.hasPassword, wasVerified: account.verifiedAt != nil) {
      for identity in try ExternalIdentityStore.list(of: account.id, in: transaction.database) {
        try ExternalIdentityStore.unlink(identity, call.caller, transaction)
      }
    }
    // Whoever opened the link has the e-mail account, which is all that a verification shows.
    try AccountStore.verify(account.id, transaction)
    try VerificationLinkStore.useAll(of: account.id, transaction)
    try LoginFailureStore.clear(of: account, key: keys.failures, transaction)
    try SecurityEventStore.record(SecurityEvent(.passwordRecovered, account: account.id), from: call.caller, transaction)
    return .success(CompletePasswordRecovery.Output(username: account.username))
  }
}
