import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the recovery of forgotten passwords.
  mutating func serveRecovery(keys: IdentityKeys, hasher: PasswordHasher) {
    serve(
      RequestPasswordRecovery.self,
      write: { input, call, transaction in
        let problems = input.found.with(input.email.rule.map { [FieldProblem(field: "email", $0)] } ?? [])
        guard problems.isEmpty, let email = input.email.value else {
          throw Failure(RequestFailure.invalidFields, fields: problems)
        }
        try transaction.requestPasswordRecovery(email, call.caller, key: keys.recoverySubjects)
        return RequestPasswordRecovery.Output(email: email, linkLifetimeSeconds: RecoveryRule.lifetimeSeconds)
      })

    let rules = PasswordRules()
    serve(CompletePasswordRecovery.self) { input, call in
      let unreadable = input.found.with([])
      guard unreadable.isEmpty else {
        let problems = rules.problems(input.password, repetition: input.passwordRepetition, names: [])
        throw Failure(RequestFailure.invalidFields, fields: input.found.with(problems))
      }
      let token = RecoveryToken(input.token)
      // The form is judged only for who has a link that works, and does not use it up.
      let opening = try await call.read { try $0.open(token, keys, now: call.now) }
      var hash: PasswordHash?
      if case .works(let opened) = opening {
        let problems = rules.problems(input.password, repetition: input.passwordRepetition, names: opened.account.names)
        guard problems.isEmpty, let password = input.password.value else {
          throw Failure(RequestFailure.invalidFields, fields: problems)
        }
        hash = try await hasher.hash(password)
      }
      // A refusal is recorded in the transaction, so it must be thrown after it.
      return try await call.write { [hash] in try $0.recover(token, hash, keys, call) }.get()
    }

    serve(
      ReadRecoverySecret.self,
      read: { input, call, database in
        guard let link = try database.passwordRecovery(input.recoveryID),
          let account = try link.accountID.flatMap({ try database.account($0) }), link.isTo(account, keys),
          RecoveryRule.refusal(link.opened, now: call.now) == nil
        else { throw Failure(RequestFailure.notFound) }
        return ReadRecoverySecret.Output(
          token: RecoveryToken.text(link, key: keys.recovery), email: account.email, username: account.username,
          language: account.language, expiresAt: link.expiresAt)
      })
  }
}

/// A link to recover a password, opened.
struct OpenedRecovery: Sendable {
  let link: PasswordRecoveryRecord
  let account: AccountRecord
}

extension PasswordRecoveryRecord {
  /// Whether it was sent to the address that the account has now.
  fileprivate func isTo(_ account: AccountRecord, _ keys: IdentityKeys) -> Bool {
    RecoverySubject.emailKey(account.email, keys.recoverySubjects) == emailKey
  }
}

extension Database {
  /// What the link of that token leads to.
  func open(_ token: RecoveryToken?, _ keys: IdentityKeys, now: Instant) throws -> LinkOpening<OpenedRecovery> {
    func refused(_ failure: RecoveryFailure, _ account: AccountID?) -> LinkOpening<OpenedRecovery> {
      .refused(LinkRefusal(.passwordRecoveryRefused, failure, account))
    }
    guard let token, let link = try passwordRecovery(token.claimedLink), token.isOf(link, key: keys.recovery),
      let account = try link.accountID.flatMap({ try account($0) }), link.isTo(account, keys)
    else { return refused(.linkInvalid, nil) }
    if let failure = RecoveryRule.refusal(link.opened, now: now) { return refused(failure, account.id) }
    return .works(OpenedRecovery(link: link, account: account))
  }
}

extension Transaction {
  /// Gives the account of the link its new password and ends all its sessions, or records that the link was refused.
  ///
  /// The link is looked at again: of two who use it at the same time one is refused.
  ///
  /// - Parameter hash: of the new password; nil where the link was refused when it was looked at first.
  fileprivate func recover(
    _ token: RecoveryToken?, _ hash: PasswordHash?, _ keys: IdentityKeys, _ call: Call
  ) throws -> Result<CompletePasswordRecovery.Output, Failure> {
    let opening = try database.open(token, keys, now: now)
    if let refusal = opening.refusal {
      try refuseLink(refusal, from: call.caller)
      return .failure(refusal.failure)
    }
    guard case .works(let opened) = opening, let hash else { return .failure(Failure(RecoveryFailure.linkInvalid)) }
    let (link, account) = (opened.link, opened.account)
    try usePasswordRecovery(link)
    try changePassword(of: account.id, to: hash)
    // Whoever had the password may have made tokens to stay.
    try revokeEverything(of: account.id, .passwordRecovered)
    if ExternalLoginRule.endWithRecovery(hadPassword: account.hasPassword, wasVerified: account.verifiedAt != nil) {
      for identity in try database.externalIdentities(of: account.id) { try unlink(identity, call.caller) }
    }
    // Whoever opened the link has the mailbox, which is all that a verification shows.
    try verifyAccount(account.id)
    try useVerificationLinks(of: account.id)
    try clearLoginFailures(of: account, key: keys.failures)
    try record(SecurityEvent(.passwordRecovered, account: account.id), from: call.caller)
    return .success(CompletePasswordRecovery.Output(username: account.username))
  }
}
