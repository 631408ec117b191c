import GRDB
import IdentityContract
import Operations
import Storage

extension Transaction {
  /// Begins a session of an account that has proved to be itself, by its password or by a provider, unless the login is of high risk.
  ///
  /// Such a login ends everything that the account has open, once, and is refused: whoever has the password alone gets nowhere, and
  /// the owner logs in again where the account is known, confirms the login by mail, or recovers the password.
  ///
  /// Only logins are checked like this: a session that refreshes its tokens from elsewhere is not.
  ///
  /// - Parameters:
  ///   - failures: failed attempts at the account before it.
  ///   - isByPassword: whether it came by the password, and not by a provider.
  ///   - isProvenDevice: whether its device has shown its token.
  func logIn(
    _ account: AccountRecord, device: DeviceName?, failures: Int, isByPassword: Bool = false, isProvenDevice: Bool = false,
    _ caller: Caller, _ watch: LoginWatch
  ) throws -> Result<GivenTokens, Failure> {
    let origin = watch.origin(
      account.id, device: device?.description, userAgent: caller.keptUserAgent, address: caller.keptAddress)
    var facts = try database.loginFacts(of: account.id, origin, failures: failures, now: now)
    facts.isByPassword = isByPassword
    facts.isProvenDevice = isProvenDevice
    let assessment = LoginRule.assess(facts)
    if assessment.isLearnt { try learn(origin, of: account.id) }
    let detail = assessment.reasons.map(\.rawValue).joined(separator: " ")
    func begin(_ alert: LoginAlertID?) throws -> GivenTokens {
      let begun = try beginSession(of: account, device: device, under: alert, caller)
      try record(
        SecurityEvent(
          .loginSucceeded, account: account.id, session: begun.session.id, detail: isByPassword ? "password" : "provider"),
        from: caller)
      return begun
    }
    switch assessment.level {
    case nil:
      return .success(try begin(nil))
    case .notice:
      let alert = try raiseLoginAlert(.notice, assessment.reasons, of: account, origin, watch.places)
      let begun = try begin(alert)
      try record(SecurityEvent(.loginNoticed, account: account.id, session: begun.session.id, detail: detail), from: caller)
      return .success(begun)
    case .suspicious:
      let waiting = try database.waitingLoginAlert(of: account.id, .suspicious, origin, now: now)
      guard try waiting != nil || database.loginAlertsOfADay(account.id, now: now) < LoginAlertRule.maxPerDay else {
        try record(SecurityEvent(.loginSuspicious, account: account.id, detail: "too_many"), from: caller)
        return .failure(Failure(LogInFailure.unasked))
      }
      let alert = try waiting ?? raiseLoginAlert(.suspicious, assessment.reasons, of: account, origin, watch.places)
      let begun = try begin(alert)
      try record(SecurityEvent(.loginSuspicious, account: account.id, session: begun.session.id, detail: detail), from: caller)
      return .success(begun)
    case .high:
      let isAsked = try refuseLogin(account, origin, assessment.reasons, caller, watch)
      return .failure(Failure(isAsked ? LogInFailure.unconfirmed : .unasked))
    }
  }

  /// Ends everything, asks the owner and tells the administrators: once for each place and device, so that repeating the login keeps
  /// nobody out.
  ///
  /// - Returns: whether its owner has a mail about such a login.
  private func refuseLogin(
    _ account: AccountRecord, _ origin: LoginOrigin, _ reasons: [LoginRisk], _ caller: Caller, _ watch: LoginWatch
  ) throws -> Bool {
    let detail = reasons.map(\.rawValue).joined(separator: " ")
    try record(SecurityEvent(.loginRefused, account: account.id, detail: detail), from: caller)
    try raise(IncidentFinding(.riskyLogin, count: 1), on: .account(account.id))
    guard try database.waitingLoginAlert(of: account.id, .high, origin, now: now) == nil else { return true }
    guard try database.loginAlertsOfADay(account.id, now: now) < LoginAlertRule.maxPerDay else { return false }
    try revokeEverything(of: account.id, .suspiciousActivity)
    try unlinkDoubtful(of: account.id, caller)
    _ = try raiseLoginAlert(.high, reasons, of: account, origin, watch.places)
    return true
  }
}
