import EarlierStores
import GRDB
import IdentityContract
import InProcess
import Logging
import Operations
import ServiceKit
import Storage
import Testing

@testable import IdentityService

@Suite("Logins that are never answered: time alone makes nothing trusted (ID-7; S 6, scenario 4)")
struct UnansweredLoginTests {
  private static let firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0"
  private static let opera = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/128.0 Safari/537.36 OPR/114.0"

  private static func run(_ body: (RunningIdentity, Housekeeping) async throws -> Void) async throws {
    try await RunningIdentity.run(settings: PlaceDatabaseTests.settings) { identity in
      try await identity.register()
      try await body(identity, try await identity.housekeeping())
    }
  }

  private static func logIn(_ identity: RunningIdentity, _ userAgent: String, from address: String) async throws -> SignedIn {
    let caller = Caller(kind: .anonymous, address: address, userAgent: userAgent)
    return try await identity.ask(LogIn.self, .init(login: "ana", password: RunningIdentity.password), by: caller)
  }

  /// Lets days go by in which the session's client goes on as any does.
  private static func days(
    _ count: Int, of session: SignedIn, _ identity: RunningIdentity, _ housekeeping: Housekeeping? = nil
  ) async throws -> SignedIn {
    var session = session
    for _ in 0..<count {
      identity.time.advance(seconds: 86_400)
      try await housekeeping?.sweep()
      session = try await identity.ask(RefreshSession.self, .init(refreshToken: session.refreshToken))
    }
    return session
  }

  @Test("A session in doubt stays in doubt for its whole life, beyond the time for which alerts are kept")
  func staysInDoubt() async throws {
    try await Self.run { identity, _ in
      var doubtful = try await DoubtTests.doubtful(identity)
      doubtful = try await Self.days(60, of: doubtful, identity)
      #expect(try TokenTests.payload(of: doubtful.accessToken).dbt == true)
      // Where closing it fails, forgetting its alert would free it.
      try await identity.store.write {
        try $0.database.execute(
          sql: "CREATE TRIGGER stuck BEFORE UPDATE OF revoked_at ON sessions BEGIN SELECT RAISE(ABORT, 'stuck'); END")
      }
      let housekeeping = try await identity.housekeeping()
      await #expect(throws: (any Error).self) { try await housekeeping.sweep() }
      doubtful = try await identity.ask(RefreshSession.self, .init(refreshToken: doubtful.refreshToken))
      #expect(try TokenTests.payload(of: doubtful.accessToken).dbt == true)
      let refused = try await failure { try await identity.ask(CloseOtherSessions.self, .init(), by: .signedIn(doubtful)) }
      #expect(refused.code == "login_alert_unanswered")
    }
  }

  @Test("A session in doubt is closed after a week without an answer; logging in again asks its owner again")
  func closed() async throws {
    try await Self.run { identity, housekeeping in
      let doubtful = try await DoubtTests.doubtful(identity)
      let week = LoginAlertRules.lifetimeSeconds / 86_400
      let last = try await Self.days(week - 1, of: doubtful, identity, housekeeping)
      #expect(try await identity.published(SessionRevoked.self).isEmpty)
      identity.time.advance(seconds: 86_400)
      try await housekeeping.sweep()
      let published = try await identity.published(SessionRevoked.self)
      #expect(published.map(\.sessionID) == [doubtful.session.id] && published.map(\.reason) == [.loginUnanswered])
      #expect(try await identity.securityEvents().last == "loginUnanswered")
      let refused = try await failure { try await identity.ask(RefreshSession.self, .init(refreshToken: last.refreshToken)) }
      #expect(refused.code == "refresh_token_invalid")
      // Only once, and nobody else's.
      try await housekeeping.sweep()
      #expect(try await identity.published(SessionRevoked.self).count == 1)
      _ = try await Self.logIn(identity, Self.firefox, from: "198.51.100.1")
      #expect(try await identity.published(LoginAlertRaised.self).map(\.level) == [.suspicious, .suspicious])
    }
  }

  @Test("Sessions that nobody answered for are ended a few at a time")
  func steps() async throws {
    try await Self.run { identity, _ in
      _ = try await DoubtTests.doubtful(identity)
      _ = try await Self.logIn(identity, Self.firefox, from: "198.51.100.1")
      identity.time.advance(seconds: LoginAlertRules.lifetimeSeconds)
      // Each session, then the alert itself.
      for count in [1, 2, 2] {
        #expect(try await identity.store.write { try LoginAlertStore.closeUnansweredSessions(limit: 1, $0) })
        #expect(try await identity.published(SessionRevoked.self).count == count)
      }
      #expect(try await !identity.store.write { try LoginAlertStore.closeUnansweredSessions(limit: 1, $0) })
    }
  }

  /// What it takes to look for unanswered alerts after so many of them.
  private static func effort(after count: Int) async throws -> Int {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let then = identity.time.now.adding(seconds: -1).milliseconds
      try await identity.store.write { transaction in
        try transaction.database.execute(
          sql: """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO login_alerts (alert_id, account_id, level, reasons, device_key, network, created_at, expires_at)
            SELECT randomblob(16), (SELECT account_id FROM accounts), 'suspicious', '', zeroblob(32), '', \(then), \(then) FROM n
            """)
      }
      try await UnansweredLoginWorker(store: identity.store).closeSessions()
      return try await identity.store.steps { transaction in
        let hasMore = try LoginAlertStore.closeUnansweredSessions(limit: 50, transaction)
        #expect(!hasMore)
      }
    }
  }

  @Test("Each unanswered alert is gone through once")
  func once() async throws {
    let (few, many) = (try await Self.effort(after: 10), try await Self.effort(after: 2000))
    #expect(many <= few + 2, "\(few), \(many)")
  }

  /// What it takes to look for alerts to remove, after so many were found to have an effect still.
  private static func effort(needed count: Int) async throws -> Int {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let then = identity.time.now.adding(seconds: -EmailLinkRules.keptSeconds - 60).milliseconds
      try await identity.store.write { transaction in
        try transaction.database.execute(
          sql: """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO login_alerts (alert_id, account_id, level, reasons, device_key, network, created_at, expires_at, answer,
              answered_at, needed_at)
            SELECT randomblob(16), (SELECT account_id FROM accounts), 'notice', '', zeroblob(32), '', \(then), \(then), 'close',
              \(then), \(then) FROM n
            """)
      }
      try await identity.housekeeping().sweep()
      #expect(try await identity.count("SELECT COUNT(*) FROM login_alerts") == count)
      return try await identity.store.steps { transaction in
        let hasMore = try LoginAlertStore.removeDue(limit: 50, transaction)
        #expect(!hasMore)
      }
    }
  }

  @Test("Alerts that still have an effect are not gone through with each look for those that have none")
  func needed() async throws {
    let (few, many) = (try await Self.effort(needed: 10), try await Self.effort(needed: 2000))
    #expect(many <= few + 2, "\(few), \(many)")
  }

  /// What it takes to look at some of the alerts that are due: so many of one kind, and as many of the other behind them.
  ///
  /// - Parameter first: the answer of those that have been due the longest. Disowned alerts have an effect still, confirmed ones have none.
  private static func effort(due count: Int, first: String) async throws -> Int {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let then = identity.time.now.adding(seconds: -EmailLinkRules.keptSeconds - 60).milliseconds
      let other = first == "close" ? "confirm" : "close"
      try await identity.store.write { transaction in
        try transaction.database.execute(
          sql: """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(2 * count))
            INSERT INTO login_alerts (alert_id, account_id, level, reasons, device_key, network, created_at, expires_at, answer,
              answered_at, needed_at)
            SELECT randomblob(16), (SELECT account_id FROM accounts), 'notice', '', zeroblob(32), '', \(then), \(then),
              iif(i <= \(count), '\(first)', '\(other)'), \(then), \(then) + i FROM n
            """)
      }
      let steps = try await identity.store.steps { transaction in
        let hasMore = try LoginAlertStore.removeDue(limit: 50, transaction)
        #expect(hasMore)
      }
      let due = try await identity.count("SELECT COUNT(*) FROM login_alerts WHERE needed_at <= \(then + Int64(2 * count))")
      #expect(due == 2 * count - 50)
      try await identity.housekeeping().sweep()
      #expect(try await identity.count("SELECT COUNT(*) FROM login_alerts WHERE answer = 'close'") == count)
      #expect(try await identity.count("SELECT COUNT(*) FROM login_alerts") == count)
      return steps
    }
  }

  @Test(
    "Each step through the alerts that are due takes as long, however many of either kind there are",
    arguments: ["close", "confirm"])
  func due(first: String) async throws {
    let (few, many) = (try await Self.effort(due: 50, first: first), try await Self.effort(due: 5000, first: first))
    #expect(many <= few + 2, "\(few), \(many)")
  }

  @Test("Unanswered alerts of an earlier store are gone through, and end their sessions")
  func upgrade() async throws {
    let (session, account) = (SessionID(), AccountID())
    try await UpgradedStore.upgrading(.identity, RunningIdentity.migrations(), before: 50) { transaction in
      let (database, now) = (transaction.database, transaction.now)
      try database.execute(
        sql: """
          INSERT INTO accounts (account_id, email, email_normalized, username, password_hash, time_zone, language, created_at)
          VALUES (?1, 'ana', 'ana', 'ana', '$argon2id$', 'UTC', 'en', 0)
          """, arguments: [account])
      try database.execute(
        sql: "INSERT INTO sessions (session_id, account_id, created_at, expires_at) VALUES (?, ?, 0, ?)",
        arguments: [session, account, now.adding(seconds: RefreshRules.lifetimeSeconds)])
      let alert = LoginAlertID()
      try database.execute(
        sql: """
          INSERT INTO login_alerts (alert_id, account_id, level, reasons, device_key, network, created_at, expires_at)
          VALUES (?, ?, 'suspicious', '', zeroblob(32), '', 0, 1)
          """, arguments: [alert, account])
      try database.execute(
        sql: "INSERT INTO login_alert_sessions (alert_id, session_id) VALUES (?, ?)", arguments: [alert, session])
    } check: { store in
      try await UnansweredLoginWorker(store: store).closeSessions()
      let sql = "SELECT revocation_reason FROM sessions"
      #expect(try await store.read { try String.fetchOne($0, sql: sql) } == "loginUnanswered")
      // It is in doubt until its row goes, which the row of the alert goes with.
      #expect(try await store.read { try LoginAlertStore.isInDoubt(session, in: $0) })
      try await store.write { try $0.database.execute(sql: "DELETE FROM sessions") }
      #expect(try await store.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM login_alert_sessions") } == 0)
    }
  }

  @Test(
    "A forgotten alert of a doubtful login makes nothing known: a new login asks its owner again"
  )
  func forgotten() async throws {
    try await Self.run { identity, housekeeping in
      let doubtful = try await DoubtTests.doubtful(identity)
      _ = try await identity.ask(LogOut.self, Empty(), by: .signedIn(doubtful))
      identity.time.advance(seconds: LoginAlertRules.lifetimeSeconds + EmailLinkRules.keptSeconds - 1)
      try await housekeeping.sweep()
      #expect(try await identity.count("SELECT COUNT(*) FROM login_alerts") == 1)
      identity.time.advance(seconds: 2)
      try await housekeeping.sweep()
      #expect(try await identity.count("SELECT COUNT(*) FROM login_alerts") == 0)
      let again = try await Self.logIn(identity, Self.firefox, from: "198.51.100.1")
      #expect(try TokenTests.payload(of: again.accessToken).dbt == true)
      #expect(try await identity.published(LoginAlertRaised.self).map(\.level) == [.suspicious, .suspicious])
    }
  }

  @Test("A login that was confirmed in time stays, and is trusted")
  func answered() async throws {
    try await Self.run { identity, housekeeping in
      let doubtful = try await DoubtTests.doubtful(identity)
      let alert = try #require(try await identity.published(LoginAlertRaised.self).last).alertID
      let link = try await identity.askAsNotifications(GetLoginAlertSecret.self, .init(alertID: alert)).token
      _ = try await identity.ask(AnswerLoginAlertByLink.self, .init(token: link, answer: .confirm))
      let last = try await Self.days(60, of: doubtful, identity, housekeeping)
      #expect(try TokenTests.payload(of: last.accessToken).dbt == nil)
      #expect(try await identity.published(SessionRevoked.self).isEmpty)
      #expect(try await identity.count("SELECT COUNT(*) FROM login_alerts") == 0)
    }
  }

  @Test("A session that only raised a notice can never answer for other logins while its own is unanswered")
  func noticed() async throws {
    try await Self.run { identity, housekeeping in
      _ = try await identity.logIn()
      identity.time.advance(seconds: 3600)
      var noticed = try await Self.logIn(identity, Self.firefox, from: "192.0.2.1")
      noticed = try await Self.days(60, of: noticed, identity, housekeeping)
      _ = try await Self.logIn(identity, Self.opera, from: "198.51.100.1")
      let published = try await identity.published(LoginAlertRaised.self)
      #expect(published.map(\.level) == [.notice, .suspicious])
      let alert = try #require(published.last).alertID
      let refused = try await failure {
        try await identity.ask(AnswerLoginAlert.self, .init(alertID: alert, answer: .confirm), by: .signedIn(noticed))
      }
      #expect(refused.code == "login_alert_own_session")
    }
  }

  @Test("An external identity linked in a session in doubt stays doubtful long after the session and its alert")
  func linked() async throws {
    try await Self.run { identity, housekeeping in
      let own = try await identity.logIn()
      identity.time.advance(seconds: 3600)
      let noticed = try await Self.logIn(identity, Self.firefox, from: "192.0.2.1")
      let proven = ProvenIdentity(
        provider: try ExternalProviderName(text: "corp"), issuer: "https://corp.example", subject: "thief", email: nil,
        isEmailVerified: false, name: nil, wishedUsername: "thief")
      try await identity.store.write { transaction in
        let alert = try LoginAlertStore.findUnconfirmed(of: noticed.session.id, in: transaction.database)
        _ = try ExternalIdentityStore.add(proven, of: noticed.account.id, under: alert, transaction)
      }
      _ = try await identity.ask(LogOut.self, .init(), by: .signedIn(noticed))
      let later = try await Self.days(60, of: own, identity, housekeeping)
      let (old, new) = (
        FormField<Password>(text: RunningIdentity.password), FormField<Password>(text: RunningIdentity.otherPassword)
      )
      _ = try await identity.ask(
        ChangePassword.self, .init(currentPassword: old, password: new, passwordConfirmation: new), by: .signedIn(later))
      #expect(try await identity.count("SELECT COUNT(*) FROM external_identities") == 0)
      // There is nothing left for which the alert is needed, which is looked at once a month.
      identity.time.advance(seconds: EmailLinkRules.keptSeconds)
      try await housekeeping.sweep()
      #expect(try await identity.count("SELECT COUNT(*) FROM login_alerts") == 0)
    }
  }
}
