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

  /// Counts an attempt at a password that came too early, and so was not looked at: for the incident that lets it wait alone, which
  /// grows graver by their number. It makes the wait no longer, and no event of its own.
  static func countEarlyAttempt(_ subject: LoginSubject, _ transaction: Transaction) throws {
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

  /// Looks whether reused refresh tokens are an incident: each is one, and where more of them come everything is revoked.
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

  /// Looks whether proofs of external providers that were refused are an incident: of the address they came from, and of the provider.
  ///
  /// - Parameter provider: nil where it is not known, as by a state that nobody was given.
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

  /// Records that a mailed link was refused. One whose token nobody was sent is a guess.
  ///
  /// Guesses are counted by themselves and delay nobody: who shares the address could not log in for them, and 256 bits are not
  /// guessed, however many attempts the gateway's rates let through.
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
