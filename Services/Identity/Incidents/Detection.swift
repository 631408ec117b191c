import GRDB
import IdentityContract
import Operations
import Storage

extension Transaction {
  /// Looks whether failed attempts at passwords are an incident. The same is looked up whether there is such an account or not.
  func detectGuessing(_ subject: LoginSubject) throws {
    let window = FailureWindow(
      failuresAtAccount: try database.accountFailures(subject, now: now).count,
      addressesAtAccount: try database.addressesOfFailures(subject, now: now),
      accountsFromAddress: try database.addressFailures(subject, now: now).count)
    let findings = IncidentRule.findings(window)
    for finding in findings.account { try raise(finding, on: .login(subject)) }
    guard let address = subject.addressText else { return }
    for finding in findings.address { try raise(finding, on: .address(address)) }
  }

  /// Looks whether reused refresh tokens are an incident: each is one, and where more of them come everything is revoked.
  func detectReuse(_ account: AccountID) throws {
    let count = try Int.fetchOne(
      database.cachedStatement(
        sql: "SELECT COUNT(*) FROM security_events WHERE account_id = ? AND at > ? AND kind = ?"),
      arguments: [
        account, now.adding(seconds: -IncidentRule.reuseWindowSeconds), SecurityEvent.Kind.refreshTokenReused,
      ])
    guard let finding = IncidentRule.finding(.tokensReused, count ?? 0) else { return }
    try raise(finding, on: .account(account))
    if finding.severity == .critical { try revokeEverything(of: account, .suspiciousActivity) }
  }

  /// Records that a mailed link was refused. One whose token nobody was sent is a guess: it slows its address down, see ``Lockout``.
  func refuseLink(
    _ kind: SecurityEvent.Kind, _ failure: some FailureCode, account: AccountID?, isGuess: Bool, _ keys: IdentityKeys,
    from caller: Caller
  ) throws {
    try record(SecurityEvent(kind, account: account, detail: failure.rawValue), from: caller)
    guard isGuess, let address = caller.address.map({ String($0.prefix(64)) }) else { return }
    try countLoginFailure(LoginSubject(guessFrom: caller, key: keys.failures))
    let count = try Int.fetchOne(
      database.cachedStatement(
        sql: "SELECT COUNT(*) FROM security_events WHERE address = ? AND at > ? AND detail IN (?, ?, ?, ?, ?)"),
      arguments: [
        address, now.adding(seconds: -IncidentRule.guessWindowSeconds), VerificationFailure.linkInvalid.rawValue,
        RecoveryFailure.linkInvalid.rawValue, EmailChangeFailure.linkInvalid.rawValue,
        EmailChangeUndoFailure.linkInvalid.rawValue,
        LoginAlertFailure.linkInvalid.rawValue,
      ])
    if let finding = IncidentRule.finding(.linksGuessed, count ?? 0) { try raise(finding, on: .address(address)) }
  }
}
