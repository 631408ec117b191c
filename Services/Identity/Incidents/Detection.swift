import GRDB
import IdentityContract
import Operations
import Storage

extension Transaction {
  /// Looks whether failed attempts at passwords are an incident. The same is looked up whether there is such an account or not.
  ///
  /// - Parameter isHeld: whether the account must wait: the attempt was looked at no more than one that came too early, and counts like it.
  func detectGuessing(_ subject: LoginSubject, isHeld: Bool) throws {
    let window = FailureWindow(
      failuresAtAccount: try database.accountFailures(subject, now: now).count,
      addressesAtAccount: try database.addressesOfFailures(subject, now: now),
      loginsFromAddress: try database.addressFailures(subject, now: now).count)
    let findings = IncidentRule.findings(window)
    if isHeld {
      try raiseFurther(.accountGuessed, after: window.failuresAtAccount, on: .login(subject))
    } else {
      for finding in findings.account { try raise(finding, on: .login(subject)) }
    }
    guard let address = subject.addressText else { return }
    for finding in findings.address { try raise(finding, on: .address(address)) }
  }

  /// Counts an attempt at a password that came too early, and so was not looked at: for the incident that lets it wait alone, which
  /// grows graver by their number. It makes the wait no longer, and no event of its own.
  func countEarlyAttempt(_ subject: LoginSubject) throws {
    let account = try database.accountFailures(subject, now: now)
    if Lockout.remainingSeconds(account, now: now) > 0 {
      try raiseFurther(.accountGuessed, after: account.count, on: .login(subject))
    }
    guard let text = subject.addressText else { return }
    let address = try database.addressFailures(subject, now: now)
    if Lockout.remainingSeconds(address, now: now) > 0 {
      try raiseFurther(.addressGuessing, after: address.count, on: .address(text))
    }
  }

  /// Looks whether reused refresh tokens are an incident: each is one, and where more of them come everything is revoked.
  func detectReuse(_ account: AccountID, _ caller: Caller) throws {
    let count = try Int.fetchOne(
      database.cachedStatement(
        sql: "SELECT COUNT(*) FROM security_events WHERE account_id = ? AND at > ? AND kind = ?"),
      arguments: [
        account, now.adding(seconds: -IncidentRule.reuseWindowSeconds), SecurityEvent.Kind.refreshTokenReused,
      ])
    guard let finding = IncidentRule.finding(.tokensReused, count ?? 0) else { return }
    try raise(finding, on: .account(account))
    guard finding.severity == .critical else { return }
    try revokeEverything(of: account, .suspiciousActivity)
    try unlinkDoubtful(of: account, caller)
  }

  /// Looks whether proofs of external providers that were refused are an incident: of the address they came from, and of the provider.
  ///
  /// - Parameter provider: nil where it is not known, as by a state that nobody was given.
  func detectForgeries(_ provider: ExternalProviderName?, _ caller: Caller) throws {
    let since = now.adding(seconds: -IncidentRule.proofWindowSeconds)
    let fromAddress = try Int.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT COUNT(*) FROM security_events
          WHERE subscriber = ? AND at > ? AND (kind = ? OR kind = ? AND detail NOT IN (?, ?))
          """),
      arguments: [
        SecurityEvent.subscriber(caller), since, SecurityEvent.Kind.externalProofRefused,
        SecurityEvent.Kind.externalStateRefused, ExternalLoginFailure.stateExpired.rawValue,
        ExternalLoginFailure.stateUsed.rawValue,
      ])
    let atProvider = try provider.flatMap { provider in
      try Int.fetchOne(
        database.cachedStatement(
          sql: """
            SELECT COUNT(DISTINCT subscriber) FROM security_events
            WHERE kind = 'externalProofRefused' AND at > ? AND instr(detail, ?) = 1
            """),
        arguments: [since, "\(provider) "])
    }
    let window = ProofWindow(proofsFromAddress: fromAddress ?? 0, addressesAtProvider: atProvider ?? 0)
    let findings = IncidentRule.findings(window)
    if let finding = findings.address, let address = SecurityEvent.address(caller) { try raise(finding, on: .address(address)) }
    if let finding = findings.provider, let provider { try raise(finding, on: .provider(provider)) }
  }

  /// Records that a mailed link was refused. One whose token nobody was sent is a guess.
  ///
  /// Guesses are counted by themselves and delay nobody: who shares the address could not log in for them, and 256 bits are not
  /// guessed, however many attempts the gateway's rates let through.
  func refuseLink(_ refusal: LinkRefusal, from caller: Caller) throws {
    try record(SecurityEvent(refusal.kind, account: refusal.account, detail: refusal.failure.code), from: caller)
    guard refusal.isGuess, let address = SecurityEvent.address(caller) else { return }
    let count = try Int.fetchOne(
      database.cachedStatement(
        sql: "SELECT COUNT(*) FROM security_events WHERE subscriber = ? AND at > ? AND detail IN (?, ?, ?, ?, ?)"),
      arguments: [
        SecurityEvent.subscriber(caller), now.adding(seconds: -IncidentRule.guessWindowSeconds),
        VerificationFailure.linkInvalid.rawValue,
        RecoveryFailure.linkInvalid.rawValue, EmailChangeFailure.linkInvalid.rawValue,
        EmailChangeUndoFailure.linkInvalid.rawValue,
        LoginAlertFailure.linkInvalid.rawValue,
      ])
    if let finding = IncidentRule.finding(.linksGuessed, count ?? 0) { try raise(finding, on: .address(address)) }
  }
}
