import IdentityContract
import Operations
import Storage

/// Finds patterns in what has just happened, and raises incidents of them.
enum IncidentDetection {
  /// Looks whether failed attempts at passwords are an incident. The same is looked up whether there is such an account or not.
  ///
  /// - Parameter isHeld: whether the account must wait: the attempt was looked at no more than one that came too early, and counts like it.
  static func detectGuessing(_ subject: LoginSubject, isHeld: Bool, _ transaction: Transaction) throws {
    let window = FailureWindow(
      failuresAtAccount: try LoginFailureStore.accountFailures(subject, now: transaction.now, in: transaction.database).count,
      addressesAtAccount: try LoginFailureStore.addressCount(subject, now: transaction.now, in: transaction.database),
      loginsFromAddress: try LoginFailureStore.addressFailures(subject, now: transaction.now, in: transaction.database).count)
    let findings = IncidentRules.findings(window)
    if isHeld {
      try IncidentStore.raiseFurther(.accountGuessed, after: window.failuresAtAccount, on: .login(subject), transaction)
    } else {
      for finding in findings.account { try IncidentStore.raise(finding, on: .login(subject), transaction) }
    }
    guard let address = subject.addressText else { return }
    for finding in findings.address { try IncidentStore.raise(finding, on: .address(address), transaction) }
  }

  /// Refuses a password attempt that came too early and was not checked, and counts it.
  ///
  /// - Returns: how long it has to wait.
  static func refuseEarly(_ subject: LoginSubject, _ transaction: Transaction) throws -> Failure {
    try countEarlyAttempt(subject, transaction)
    return .locked(max(1, try LoginFailureStore.waitSeconds(subject, now: transaction.now, in: transaction.database)))
  }

  /// Counts such an attempt. It only raises the severity of the incident: it neither prolongs the wait nor is an event of its own.
  private static func countEarlyAttempt(_ subject: LoginSubject, _ transaction: Transaction) throws {
    let account = try LoginFailureStore.accountFailures(subject, now: transaction.now, in: transaction.database)
    if Lockout.remainingSeconds(account, now: transaction.now) > 0 {
      try IncidentStore.raiseFurther(.accountGuessed, after: account.count, on: .login(subject), transaction)
    }
    guard let text = subject.addressText else { return }
    let address = try LoginFailureStore.addressFailures(subject, now: transaction.now, in: transaction.database)
    if Lockout.remainingSeconds(address, now: transaction.now) > 0 {
      try IncidentStore.raiseFurther(.addressGuessing, after: address.count, on: .address(text), transaction)
    }
  }

  /// Raises an incident for reused refresh tokens: each reuse is one, and if there are more, everything is revoked.
  static func detectReuse(_ account: AccountID, _ caller: Caller, _ transaction: Transaction) throws {
    let count = try SecurityEventStore.count(
      .refreshTokenReused, of: account, since: transaction.now.adding(seconds: -IncidentRules.reuseWindowSeconds),
      in: transaction.database)
    guard let finding = IncidentRules.finding(.tokensReused, count) else { return }
    try IncidentStore.raise(finding, on: .account(account), transaction)
    guard finding.severity == .critical else { return }
    try Revocation.revokeEverything(of: account, .suspiciousActivity, transaction)
    try ExternalIdentityStore.unlinkDoubtful(of: account, caller, transaction)
  }

  /// Raises an incident for refused proofs of external providers, by the address they came from and by the provider.
  ///
  /// - Parameter provider: nil where it is unknown, as with a state that was never issued.
  static func detectForgeries(_ provider: ExternalProviderName?, _ caller: Caller, _ transaction: Transaction) throws {
    let since = transaction.now.adding(seconds: -IncidentRules.proofWindowSeconds)
    let database = transaction.database
    let window = ProofWindow(
      proofsFromAddress: try SecurityEventStore.refusedProofs(from: caller, since: since, in: database),
      addressesAtProvider: try provider.map {
        try SecurityEventStore.addresses(refusedAt: $0, since: since, in: database)
      } ?? 0)
    let findings = IncidentRules.findings(window)
    if let finding = findings.address, let address = SecurityEvent.address(caller) {
      try IncidentStore.raise(finding, on: .address(address), transaction)
    }
    if let finding = findings.provider, let provider { try IncidentStore.raise(finding, on: .provider(provider), transaction) }
  }

  /// Records that a mailed link was refused. A token that was never issued is a guess.
  ///
  /// Guesses are counted separately and delay nobody: they would otherwise block logins from a shared address, and 256 bits cannot be
  /// guessed, however many attempts the gateway's rates allow.
  static func refuseLink(_ refusal: LinkRefusal, from caller: Caller, _ transaction: Transaction) throws {
    try SecurityEventStore.record(
      SecurityEvent(refusal.kind, account: refusal.account, detail: refusal.failure.code), from: caller, transaction)
    guard refusal.isGuess, let address = SecurityEvent.address(caller) else { return }
    let count = try SecurityEventStore.guessedLinks(
      from: caller, since: transaction.now.adding(seconds: -IncidentRules.guessWindowSeconds), in: transaction.database)
    if let finding = IncidentRules.finding(.linksGuessed, count) {
      try IncidentStore.raise(finding, on: .address(address), transaction)
    }
  }
}
