import GRDB
import IdentityContract
import Operations
import Storage

/// Verified logins, compared with the account's earlier ones (ID-7).
enum WatchedLogin {
  /// Begins a session for an account whose password or provider was verified, unless the login has a high risk.
  ///
  /// A login of high risk ends all access to the account, once, and is refused: the password alone is not enough, and the owner logs in
  /// again from a known device and place, confirms the login by mail, or recovers the password.
  ///
  /// Only logins are assessed: a session that refreshes its tokens from elsewhere is not.
  ///
  /// A suspended account gets no session, however usual the login: its owner is mailed the link to the reason.
  ///
  /// - Parameters:
  ///   - failures: failed attempts at the account before this login.
  ///   - isByPassword: whether the login was by password and not by a provider.
  ///   - isProvenDevice: whether the device has sent its token.
  static func begin(
    _ account: AccountRecord, device: DeviceName?, failures: Int, isByPassword: Bool = false, isProvenDevice: Bool = false,
    _ caller: Caller, _ watch: LoginWatch, _ transaction: Transaction
  ) throws -> Result<GivenTokens, Failure> {
    if let suspension = account.suspension(at: transaction.now) {
      try SecurityEventStore.record(SecurityEvent(.loginWhileSuspended, account: account.id), from: caller, transaction)
      try SuspensionLinkStore.request(of: account.id, transaction)
      return .failure(suspension)
    }
    let origin = watch.origin(
      account.id, device: device?.description, userAgent: caller.keptUserAgent, address: caller.keptAddress)
    var facts = try LoginHistoryStore.facts(
      of: account.id, origin, failures: failures, isByPassword: isByPassword, now: transaction.now, in: transaction.database)
    facts.isProvenDevice = isProvenDevice
    let assessment = LoginRules.assess(facts)
    if assessment.isLearnt { try LoginHistoryStore.learn(origin, of: account.id, transaction) }
    let detail = assessment.reasons.map(\.rawValue).joined(separator: " ")
    func begin(_ alert: LoginAlertID?) throws -> GivenTokens {
      let begun = try SessionStore.begin(of: account, device: device, under: alert, caller, transaction)
      try SecurityEventStore.record(
        SecurityEvent(
          .loginSucceeded, account: account.id, session: begun.session.id, detail: isByPassword ? "password" : "provider"),
        from: caller, transaction)
      return begun
    }
    switch assessment.level {
    case nil:
      return .success(try begin(nil))
    case .notice:
      let alert = try LoginAlertStore.raise(
        .notice, assessment.reasons, of: account, origin, isByPassword: isByPassword, watch.places, transaction)
      let begun = try begin(alert)
      try SecurityEventStore.record(
        SecurityEvent(.loginNoticed, account: account.id, session: begun.session.id, detail: detail), from: caller, transaction)
      return .success(begun)
    case .suspicious:
      guard let alert = try ask(account, origin, assessment.reasons, isByPassword: isByPassword, caller, watch, transaction)
      else {
        return .failure(Failure(LogInFailure.unasked))
      }
      let begun = try begin(alert)
      try SecurityEventStore.record(
        SecurityEvent(.loginSuspicious, account: account.id, session: begun.session.id, detail: detail), from: caller, transaction
      )
      return .success(begun)
    case .high:
      let isAsked = try refuse(account, origin, assessment.reasons, isByPassword: isByPassword, caller, watch, transaction)
      return .failure(Failure(isAsked ? LogInFailure.unconfirmed : .unasked))
    }
  }

  /// The alert that asks the owner about a suspicious login: the pending one, or a new one.
  ///
  /// - Returns: nil where the owner has been asked too often that day, which is recorded.
  private static func ask(
    _ account: AccountRecord, _ origin: LoginOrigin, _ reasons: [LoginRisk], isByPassword: Bool, _ caller: Caller,
    _ watch: LoginWatch, _ transaction: Transaction
  ) throws -> LoginAlertID? {
    let (database, now) = (transaction.database, transaction.now)
    if let waiting = try LoginAlertStore.findWaiting(of: account.id, .suspicious, origin, now: now, in: database) {
      return waiting
    }
    let asked = try LoginAlertStore.dailyCount(account.id, isByPassword: isByPassword, now: now, in: database)
    guard asked < LoginAlertRules.maxPerDay else {
      try SecurityEventStore.record(
        SecurityEvent(.loginSuspicious, account: account.id, detail: "too_many"), from: caller, transaction)
      return nil
    }
    return try LoginAlertStore.raise(
      .suspicious, reasons, of: account, origin, isByPassword: isByPassword, watch.places, transaction)
  }

  /// Ends all access, asks the owner and notifies the administrators: once for each place and device, so that repeating the login cannot
  /// lock the owner out.
  ///
  /// - Returns: whether the owner has a mail about such a login.
  private static func refuse(
    _ account: AccountRecord, _ origin: LoginOrigin, _ reasons: [LoginRisk], isByPassword: Bool, _ caller: Caller,
    _ watch: LoginWatch, _ transaction: Transaction
  ) throws -> Bool {
    let (database, now) = (transaction.database, transaction.now)
    let detail = reasons.map(\.rawValue).joined(separator: " ")
    try SecurityEventStore.record(SecurityEvent(.loginRefused, account: account.id, detail: detail), from: caller, transaction)
    try IncidentStore.raise(IncidentFinding(.riskyLogin, count: 1), on: .account(account.id), transaction)
    guard try LoginAlertStore.findWaiting(of: account.id, .high, origin, now: now, in: database) == nil else { return true }
    let asked = try LoginAlertStore.dailyCount(account.id, isByPassword: isByPassword, now: now, in: database)
    guard asked < LoginAlertRules.maxPerDay else { return false }
    try Revocation.revokeEverything(of: account.id, .suspiciousActivity, transaction)
    try ExternalIdentityStore.unlinkDoubtful(of: account.id, caller, transaction)
    _ = try LoginAlertStore.raise(.high, reasons, of: account, origin, isByPassword: isByPassword, watch.places, transaction)
    return true
  }
}
