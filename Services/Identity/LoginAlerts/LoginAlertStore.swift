import Foundation
import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// The secret of the links in a mail about a login.
typealias LoginAlertToken = LinkToken<LoginAlertRecord>

/// A stored alert, without the secret of its links.
struct LoginAlertRecord: EmailLink {
  let id: LoginAlertID
  let accountID: AccountID
  let level: LoginAlertLevel
  let reasons: [LoginRisk]
  let device: String?
  let userAgent: String?
  let address: String?
  let deviceKey: Data
  let network: String
  let createdAt: Instant
  let expiresAt: Instant
  let answer: LoginAlertAnswer?
  let answeredAt: Instant?

  init(_ row: Row) {
    id = row["alert_id"]
    accountID = row["account_id"]
    level = row["level"]
    reasons = (row["reasons"] as String).split(at: " ", omitsEmpty: true).compactMap { LoginRisk(rawValue: String($0)) }
    device = row["device"]
    userAgent = row["user_agent"]
    address = row["address"]
    deviceKey = row["device_key"]
    network = row["network"]
    createdAt = row["created_at"]
    expiresAt = row["expires_at"]
    answer = row["answer"]
    answeredAt = row["answered_at"]
  }

  var binding: [UInt8] { Array("answer for login".utf8) + [0] + id.bytes + accountID.bytes }

  /// What its owner sees.
  func own(_ language: Language, _ places: PlaceDatabase) -> LoginAlert {
    LoginAlert(
      id: id, level: level, reasons: reasons, device: SessionWords.device(device, userAgent, language),
      place: SessionWords.place(address, places, language), createdAt: createdAt, expiresAt: expiresAt, answer: answer,
      answeredAt: answeredAt)
  }
}

/// Alerts about unusual logins, and the sessions that began with these logins.
enum LoginAlertStore {
  /// The SQL condition for an alert that still has an effect, and is kept beyond its time: no login becomes trusted by the passing of time.
  ///
  /// An alert has an effect while it has no answer and a session of its login is left, which may not answer other alerts or is in doubt;
  /// while it is not confirmed and an identity linked under it is left; and while it is disowned and the password, which that login knew,
  /// has not been changed. Once an alert is deleted, the next such login is assessed anew. See ``removeDue(limit:_:)``.
  static let isNeeded = """
    answered_at IS NULL
      AND EXISTS (SELECT 1 FROM login_alert_sessions AS begun WHERE begun.alert_id = login_alerts.alert_id)
    OR answer IS NOT 'confirm'
      AND EXISTS (SELECT 1 FROM external_identities AS identity WHERE identity.alert_id = login_alerts.alert_id)
    OR answer IS 'close' AND created_at > COALESCE(
      (SELECT password_changed_at FROM accounts AS account WHERE account.account_id = login_alerts.account_id), 0)
    """

  /// The alerts that still wait for an answer, as events; see `SnapshotParts`.
  static func snapshot(
    _ database: Database, after key: String?, now: Instant, _ places: PlaceDatabase
  ) throws -> SnapshotParts.Page {
    let alerts = try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT * FROM login_alerts WHERE expires_at > ? AND answered_at IS NULL AND alert_id > ? ORDER BY alert_id LIMIT ?
          """),
      arguments: [now, try SnapshotParts.last(key), SnapshotParts.pageSize]
    ).map(LoginAlertRecord.init)
    let events = try alerts.compactMap { alert in
      try AccountStore.find(alert.accountID, in: database).map { alert.raised($0.language, places) }
    }
    return SnapshotParts.page(events, of: alerts, key: \.id)
  }

  /// The alert with that id.
  static func find(_ id: LoginAlertID, in database: Database) throws -> LoginAlertRecord? {
    try Row.fetchOne(database.cachedStatement(sql: "SELECT * FROM login_alerts WHERE alert_id = ?"), arguments: [id])
      .map(LoginAlertRecord.init)
  }

  /// The account's alerts, the newest first: ids grow with time.
  ///
  /// - Parameter session: only the alerts that the session began under; nil for all.
  static func list(
    of account: AccountID, over session: SessionID? = nil, before last: LoginAlertID?, limit: Int, in database: Database
  ) throws -> [LoginAlertRecord] {
    try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT * FROM login_alerts AS alert WHERE account_id = ?1 AND alert_id < ?2
            AND (?4 IS NULL OR EXISTS (
              SELECT 1 FROM login_alert_sessions AS begun WHERE begun.alert_id = alert.alert_id AND begun.session_id = ?4))
          ORDER BY alert_id DESC LIMIT ?3
          """),
      arguments: [account, last ?? .last, limit, session]
    ).map(LoginAlertRecord.init)
  }

  /// Whether somebody else may have had the account's password at that instant: since its last change a login was disowned, or was
  /// suspicious and has no answer. A login from a device and a network that are both known by now counts as confirmed by the owner.
  static func isOpen(of account: AccountID, at instant: Instant, in database: Database) throws -> Bool {
    try Bool.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT EXISTS (
            SELECT 1 FROM login_alerts INDEXED BY login_alerts_closed
            WHERE account_id = ?1 AND answer = 'close' AND created_at <= ?2
              AND created_at > COALESCE((SELECT password_changed_at FROM accounts WHERE account_id = ?1), 0)
          ) OR EXISTS (
            SELECT 1 FROM login_alerts AS alert INDEXED BY login_alerts_by_level
            WHERE account_id = ?1 AND level IN ('suspicious', 'high') AND answer IS NULL AND created_at <= ?2
              AND created_at > COALESCE((SELECT password_changed_at FROM accounts WHERE account_id = ?1), 0)
              AND NOT (
                EXISTS (SELECT 1 FROM known_devices AS known WHERE known.account_id = ?1 AND known.device_key = alert.device_key)
                AND EXISTS (SELECT 1 FROM known_places AS known WHERE known.account_id = ?1 AND known.network = alert.network)))
          """),
      arguments: [account, instant]) ?? false
  }

  /// The pending alert about such a login.
  ///
  /// There is one for each device and network, even where a known device changes networks: a device's name can be forged, and one answer
  /// for two networks would admit an intruder from the other one.
  static func findWaiting(
    of account: AccountID, _ level: LoginAlertLevel, _ origin: LoginOrigin, now: Instant, in database: Database
  ) throws -> LoginAlertID? {
    try LoginAlertID.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT alert_id FROM login_alerts INDEXED BY login_alerts_by_level
          WHERE account_id = ? AND level = ? AND device_key = ? AND network = ? AND answered_at IS NULL AND lapsed_at IS NULL
            AND expires_at > ?
          ORDER BY created_at DESC, alert_id DESC LIMIT 1
          """),
      arguments: [account, level, origin.deviceKey, origin.location.network, now])
  }

  /// The number of alerts with a question within the last day, since the last change of the password: an intruder who knew the former
  /// password must not use up the owner's alerts. Nor must one who knows the password use up those of the owner's logins by a provider:
  /// the two are counted apart.
  static func dailyCount(_ account: AccountID, isByPassword: Bool, now: Instant, in database: Database) throws -> Int {
    try Int.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT COUNT(*) FROM login_alerts INDEXED BY login_alerts_by_level
          WHERE account_id = ?1 AND level IN ('suspicious', 'high') AND is_by_password = ?3
            AND created_at > MAX(?2, COALESCE((SELECT password_changed_at FROM accounts WHERE account_id = ?1), 0))
          """),
      arguments: [account, now.adding(seconds: -86_400), isByPassword]) ?? 0
  }

  /// The number of notices, counted as the questions are: see ``dailyCount(_:isByPassword:now:in:)``. However often the password is changed,
  /// a fifth of all that the day had counts, so that their number is bounded.
  static func notices(of account: AccountID, isByPassword: Bool, now: Instant, in database: Database) throws -> Int {
    try Int.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT max(
            COUNT(*) FILTER (
              WHERE created_at > COALESCE((SELECT password_changed_at FROM accounts WHERE account_id = ?1), 0)),
            COUNT(*) / 5)
          FROM login_alerts INDEXED BY login_alerts_by_level
          WHERE account_id = ?1 AND level = 'notice' AND is_by_password = ?3 AND created_at > ?2
          """),
      arguments: [account, now.adding(seconds: -86_400), isByPassword]) ?? 0
  }

  /// Whether the session began with a login that has no answer.
  static func isInQuestion(_ session: SessionID, in database: Database) throws -> Bool {
    try Row.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT 1 FROM login_alert_sessions AS begun JOIN login_alerts AS alert ON alert.alert_id = begun.alert_id
          WHERE begun.session_id = ? AND alert.answered_at IS NULL LIMIT 1
          """),
      arguments: [session]) != nil
  }

  /// Whether the session is in doubt: it began with a suspicious login that has no answer. See ``DoubtRule``.
  static func isInDoubt(_ session: SessionID, in database: Database) throws -> Bool {
    try Row.fetchOne(database.cachedStatement(sql: doubt(of: "?") + " LIMIT 1"), arguments: [session]) != nil
  }

  /// The SQL query that has a row, with the alert, where the session, given as an SQL expression, is in doubt.
  static func doubt(of session: String) -> String {
    """
    SELECT begun.alert_id FROM login_alert_sessions AS begun JOIN login_alerts AS alert ON alert.alert_id = begun.alert_id
    WHERE begun.session_id = \(session) AND alert.answered_at IS NULL AND alert.level = 'suspicious'
    """
  }

  /// The newest alert of the session that its owner has not confirmed: about the login that the session began with, or about any login of
  /// the account with the same device name and user agent, since a device is no longer new at its second login.
  static func findUnconfirmed(of session: SessionID, in database: Database) throws -> LoginAlertID? {
    try LoginAlertID.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT alert.alert_id FROM sessions AS session JOIN login_alerts AS alert ON alert.account_id = session.account_id
          WHERE session.session_id = ?1 AND alert.answer IS NOT 'confirm' AND (
            (alert.device IS session.device AND alert.user_agent IS session.user_agent)
            OR EXISTS (
              SELECT 1 FROM login_alert_sessions AS begun
              WHERE begun.alert_id = alert.alert_id AND begun.session_id = session.session_id))
          ORDER BY alert.alert_id DESC LIMIT 1
          """),
      arguments: [session])
  }

  /// What is known about the session that answers the alert.
  static func answering(
    _ session: SessionID, _ alert: LoginAlertRecord, _ watch: LoginWatch, in database: Database
  ) throws -> AnsweringSession {
    AnsweringSession(
      isOfAlert: try isOf(alert.id, session, in: database),
      isInQuestion: try isInQuestion(session, in: database),
      isInDoubt: try isInDoubt(session, in: database),
      isUntrusted: try LoginHistoryStore.isUntrusted(session, watch, in: database))
  }

  /// Whether the session began with the login.
  private static func isOf(_ alert: LoginAlertID, _ session: SessionID, in database: Database) throws -> Bool {
    try Row.fetchOne(
      database.cachedStatement(sql: "SELECT 1 FROM login_alert_sessions WHERE alert_id = ? AND session_id = ?"),
      arguments: [alert, session]) != nil
  }

  /// The live sessions that began with the login. They are sought among those of the account: thousands may have ended that began with it.
  /// None are found of an account that is being deleted: the deletion ends them.
  private static func liveSessions(
    of alert: LoginAlertRecord, limit: Int = -1, now: Instant, in database: Database
  ) throws -> [SessionID] {
    try SessionID.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT session.session_id FROM sessions AS session INDEXED BY sessions_live
          CROSS JOIN login_alert_sessions AS begun ON begun.alert_id = ?1 AND begun.session_id = session.session_id
          WHERE session.account_id = ?2 AND session.revoked_at IS NULL AND session.expires_at > ?3
            AND EXISTS (SELECT 1 FROM accounts AS account WHERE account.account_id = ?2)
          LIMIT ?4
          """),
      arguments: [alert.id, alert.accountID, now, limit])
  }

  /// The account's live sessions in doubt that began since that login, from any device.
  private static func doubtfulSessions(since alert: LoginAlertRecord, now: Instant, in database: Database) throws -> [SessionID] {
    try SessionID.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT session_id FROM sessions AS session INDEXED BY sessions_live
          WHERE account_id = ? AND revoked_at IS NULL AND expires_at > ? AND created_at >= ?
            AND EXISTS (\(doubt(of: "session.session_id")))
          """),
      arguments: [alert.accountID, now, alert.createdAt])
  }

  /// Stores and publishes an alert about a login.
  ///
  /// - Parameter isByPassword: whether the login was by password and not by a provider.
  static func raise(
    _ level: LoginAlertLevel, _ reasons: [LoginRisk], of account: AccountRecord, _ origin: LoginOrigin, isByPassword: Bool,
    _ places: PlaceDatabase, _ transaction: Transaction
  ) throws -> LoginAlertID {
    let id = LoginAlertID()
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO login_alerts (alert_id, account_id, level, reasons, device, user_agent, address, device_key, network,
          created_at, expires_at, needed_at, is_by_password)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?11, ?12)
        """
    ).execute(arguments: [
      id, account.id, level, reasons.map(\.rawValue).joined(separator: " "), origin.device,
      origin.userAgent, origin.address, origin.deviceKey,
      origin.location.network, transaction.now, transaction.now.adding(seconds: LoginAlertRules.lifetimeSeconds(level)),
      isByPassword,
    ])
    if let alert = try find(id, in: transaction.database) { try transaction.publish(alert.raised(account.language, places)) }
    return id
  }

  /// Records that the session began with the login of that alert.
  static func put(_ session: SessionID, under alert: LoginAlertID, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(sql: "INSERT INTO login_alert_sessions (alert_id, session_id) VALUES (?, ?)")
      .execute(arguments: [alert, session])
  }

  /// Applies an answer.
  ///
  /// 'It was me' makes device and place known, and makes the sessions of the login get new tokens. 'Close it' ends these sessions and every
  /// session in doubt that began since, cancels pending changes of the e-mail address, withdraws the access created since, unlinks the
  /// identities linked since, and forgets the device and place if they were new, and the device's token also where its session has ended.
  ///
  /// - Parameter isOwners: whether the answer is the owner's; false if a session in doubt closes itself, which ends only the sessions of
  ///   its own login.
  /// - Returns: the number of closed sessions.
  static func answer(
    _ alert: LoginAlertRecord, _ answer: LoginAlertAnswer, isOwners: Bool, _ watch: LoginWatch, from caller: Caller,
    _ transaction: Transaction
  ) throws -> Int {
    try transaction.database.cachedStatement(sql: "UPDATE login_alerts SET answer = ?, answered_at = ? WHERE alert_id = ?")
      .execute(arguments: [answer, transaction.now, alert.id])
    let detail = alert.id.description
    switch answer {
    case .confirm:
      let origin = watch.origin(alert.accountID, device: alert.device, userAgent: alert.userAgent, address: alert.address)
      try LoginHistoryStore.learn(origin, of: alert.accountID, transaction)
      // The present tokens say that the session is in doubt.
      for session in try liveSessions(of: alert, now: transaction.now, in: transaction.database) {
        try SessionStore.invalidateTokens(session, of: alert.accountID, transaction)
      }
      try SecurityEventStore.record(
        SecurityEvent(.loginConfirmed, account: alert.accountID, detail: detail), from: caller, transaction)
      return 0
    case .close:
      var closed = try liveSessions(of: alert, now: transaction.now, in: transaction.database)
      try DeviceTokenStore.forget(under: alert, transaction)
      if isOwners {
        closed += try doubtfulSessions(since: alert, now: transaction.now, in: transaction.database)
        // Only what was new: the owner's own device and place stay known, even if the login came from there.
        try LoginHistoryStore.forget(
          deviceKey: alert.reasons.contains(.newDevice) ? alert.deviceKey : nil,
          network: alert.reasons.contains(.newPlace) ? alert.network : nil, of: alert.accountID, transaction)
        try EmailChangeStore.replaceAll(of: alert.accountID, transaction)
        try AccessWithdrawalStore.withdraw(to: alert.accountID, madeSince: alert.createdAt, transaction)
        for identity in try ExternalIdentityStore.list(of: alert.accountID, in: transaction.database)
        where identity.linkedAt >= alert.createdAt { try ExternalIdentityStore.unlink(identity, caller, transaction) }
      }
      let count = try closed.filter { try SessionStore.revoke($0, of: alert.accountID, .closedByOwner, transaction) }.count
      try SecurityEventStore.record(
        SecurityEvent(.loginDisowned, account: alert.accountID, detail: detail), from: caller, transaction)
      return count
    }
  }

  /// Ends sessions in doubt whose alert can no longer be answered: their owner could never confirm them, and an intruder does not become
  /// trusted by waiting. The next login asks the owner again.
  ///
  /// Each such alert is gone through once: no further session begins under it.
  ///
  /// - Parameter limit: how much it does: each session that it ends counts, and each alert that is done.
  /// - Returns: whether there may be more.
  static func closeUnansweredSessions(limit: Int, _ transaction: Transaction) throws -> Bool {
    let alerts = try Row.fetchAll(
      transaction.database.cachedStatement(
        sql: """
          SELECT * FROM login_alerts INDEXED BY login_alerts_unlapsed
          WHERE expires_at <= ? AND answered_at IS NULL AND level = 'suspicious' AND lapsed_at IS NULL
          ORDER BY expires_at LIMIT ?
          """),
      arguments: [transaction.now, limit]
    ).map(LoginAlertRecord.init)
    var left = limit
    for alert in alerts {
      let sessions = try liveSessions(of: alert, limit: left, now: transaction.now, in: transaction.database)
      for session in sessions {
        try SessionStore.revoke(session, of: alert.accountID, .loginUnanswered, transaction)
        try SecurityEventStore.record(
          SecurityEvent(.loginUnanswered, account: alert.accountID, session: session, detail: alert.id.description),
          from: .service(.identity), transaction)
      }
      left -= sessions.count
      // The alert may have more.
      guard left > 0 else { return true }
      try transaction.database.cachedStatement(sql: "UPDATE login_alerts SET lapsed_at = ? WHERE alert_id = ?")
        .execute(arguments: [transaction.now, alert.id])
      left -= 1
    }
    return left == 0
  }

  /// Removes alerts that have outlived their use. Those that are due and still have an effect are noted to have had one now, so that each
  /// is looked at again only after as long: nearly every account may have one.
  ///
  /// - Parameter limit: how many it looks at, of either kind.
  /// - Returns: whether there may be more.
  static func removeDue(limit: Int, _ transaction: Transaction) throws -> Bool {
    let due = try Row.fetchAll(
      transaction.database.cachedStatement(
        sql: """
          SELECT alert_id, (\(isNeeded)) AS is_needed FROM login_alerts INDEXED BY login_alerts_by_need
          WHERE needed_at < ? ORDER BY needed_at LIMIT ?
          """),
      arguments: [transaction.now.adding(seconds: -EmailLinkRules.keptSeconds), limit])
    for row in due {
      let id: LoginAlertID = row["alert_id"]
      let isKept: Bool = row["is_needed"]
      if isKept {
        try transaction.database.cachedStatement(sql: "UPDATE login_alerts SET needed_at = ? WHERE alert_id = ?")
          .execute(arguments: [transaction.now, id])
      } else {
        try transaction.database.cachedStatement(sql: "DELETE FROM login_alerts WHERE alert_id = ?").execute(arguments: [id])
      }
    }
    return due.count == limit
  }
}

extension LoginAlertRecord {
  /// The event that publishes the alert.
  func raised(_ language: Language, _ places: PlaceDatabase) -> LoginAlertRaised {
    let own = own(language, places)
    return LoginAlertRaised(
      alertID: id, accountID: accountID, level: level, device: LinkFree.text(own.device), place: own.place.name, at: createdAt)
  }
}

/// A link of a mail about a login, opened.
struct OpenedLoginAlert: Sendable {
  let alert: LoginAlertRecord
  let account: AccountRecord
}

extension LoginAlertStore {
  /// Opens the link with that token.
  static func open(
    _ token: LoginAlertToken?, _ keys: IdentityKeys, now: Instant, in database: Database
  ) throws -> LinkOpening<OpenedLoginAlert> {
    func refused(_ failure: LoginAlertFailure, _ account: AccountID?) -> LinkOpening<OpenedLoginAlert> {
      .refused(LinkRefusal(.loginAlertRefused, failure, account))
    }
    guard let token, let alert = try find(token.claimedLink, in: database), token.isOf(alert, key: keys.loginAlerts),
      let account = try AccountStore.find(alert.accountID, in: database)
    else { return refused(.linkInvalid, nil) }
    if let failure = alert.refusal(now: now) { return refused(failure, account.id) }
    return .works(OpenedLoginAlert(alert: alert, account: account))
  }
}

extension LoginAlertRecord {
  /// Why it takes no answer; nil if it does.
  func refusal(now: Instant) -> LoginAlertFailure? {
    LoginAlertRules.refusal(expiresAt: expiresAt, answeredAt: answeredAt, now: now)
  }
}
