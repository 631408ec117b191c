import EarlierStores
import GRDB
import IdentityContract
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@testable import IdentityService

@Suite("How many sessions an account has (ID-3, ID-6, ID-7)")
struct SessionBoundTests {
  /// Further live sessions of Ana, the first of which was seen the longest ago; all of them earlier than now.
  private static func add(_ count: Int, to identity: RunningIdentity, _ account: AccountID) async throws -> [SessionID] {
    let sessions = (0..<count).map { _ in SessionID() }
    try await identity.store.write { transaction in
      let now = transaction.now
      for (number, session) in sessions.enumerated() {
        try transaction.database.execute(
          sql: """
            INSERT INTO sessions (session_id, account_id, created_at, expires_at, last_seen_at) VALUES (?, ?, ?, ?, ?)
            """,
          arguments: [
            session, account, now, now.adding(seconds: RefreshRules.lifetimeSeconds), now.adding(seconds: number - count),
          ])
      }
    }
    return sessions
  }

  /// A login in doubt, always from the same device and network: its owner is asked once.
  private static func logInDoubtfully(_ identity: RunningIdentity) async throws -> SignedIn {
    let caller = Caller(
      kind: .anonymous, address: "198.51.100.1",
      userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0")
    let doubtful = try await identity.ask(LogIn.self, .init(login: "ana", password: RunningIdentity.password), by: caller)
    try #require(try TokenTests.payload(of: doubtful.accessToken).dbt == true)
    identity.time.advance(seconds: 1)
    return doubtful
  }

  private static func ended(_ identity: RunningIdentity) async throws -> [SessionID] {
    let revoked = try await identity.published(SessionRevoked.self)
    #expect(revoked.allSatisfy { $0.reason == .replaced })
    return revoked.map(\.sessionID)
  }

  private static func liveCount(_ identity: RunningIdentity) async throws -> Int {
    try await identity.count("SELECT COUNT(*) FROM sessions WHERE revoked_at IS NULL")
  }

  @Test("The hundred and first session ends the one that was used the longest ago, at once, and leaves a record")
  func bound() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      var sessions: [SignedIn] = []
      for _ in 0..<SessionRules.maxLive {
        sessions.append(try await identity.logIn())
        identity.time.advance(seconds: 1)
      }
      #expect(try await identity.published(SessionRevoked.self).isEmpty)
      // The earliest login is in use.
      let first = try await identity.ask(RefreshSession.self, .init(refreshToken: sessions[0].refreshToken))
      let last = try await identity.logIn()
      #expect(
        try await identity.published(SessionRevoked.self) == [
          SessionRevoked(
            sessionID: sessions[1].session.id, accountID: last.account.id, reason: .replaced, at: identity.time.now)
        ])
      #expect(try await Self.liveCount(identity) == SessionRules.maxLive)
      #expect(try await identity.securityEvents() == ["sessionReplaced"])
      let dead = try await failure { try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(sessions[1])) }
      #expect(dead.code == "session_revoked")
      for session in [first, sessions[2], last] {
        _ = try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(session))
      }
    }
  }

  @Test("A device whose session was ended by further logins stays known, as after logging out")
  func device() async throws {
    try await RunningIdentity.run { identity in
      let account = try await identity.register().id
      let phone = try await identity.logIn()
      identity.time.advance(seconds: 3600)
      _ = try await Self.add(SessionRules.maxLive - 1, to: identity, account)
      _ = try await identity.logIn()
      #expect(try await Self.ended(identity) == [phone.session.id])
      #expect(try await identity.count("SELECT COUNT(*) FROM device_tokens") == 2)
    }
  }

  @Test("A device is forgotten when its login was not the owner's, also if further logins have ended its session")
  func disownedDevice() async throws {
    try await RunningIdentity.run { identity in
      let account = try await identity.register().id
      let own = try await identity.logIn()
      identity.time.advance(seconds: 3600)
      let strange = Caller(kind: .anonymous, address: "192.0.2.1", userAgent: "Strange/1")
      let noticed = try await identity.ask(LogIn.self, .init(login: "ana", password: RunningIdentity.password), by: strange)
      let alert = try #require(try await identity.published(LoginAlertRaised.self).last)
      #expect(alert.level == .notice && noticed.deviceToken != nil)
      identity.time.advance(seconds: 3600)
      _ = try await Self.add(SessionRules.maxLive - 2, to: identity, account)
      for _ in 0..<2 { _ = try await identity.logIn() }
      #expect(try await Self.ended(identity) == [own.session.id, noticed.session.id])
      let devices = "SELECT COUNT(*) FROM device_tokens"
      let count = try await identity.count(devices)
      let link = try await identity.askAsNotifications(GetLoginAlertSecret.self, .init(alertID: alert.alertID)).token
      let answer = try await identity.ask(AnswerLoginAlertByLink.self, .init(token: link, answer: .close))
      #expect(answer.closedCount == 0)
      #expect(try await identity.count(devices) == count - 1)
    }
  }

  @Test("Sessions in doubt end before the others")
  func doubtfulFirst() async throws {
    try await RunningIdentity.run(settings: PlaceDatabaseTests.settings) { identity in
      let account = try await identity.register().id
      let own = try await Self.add(SessionRules.maxLive - 2, to: identity, account)
      _ = try await identity.logIn()
      identity.time.advance(seconds: 3600)
      let doubtful = try await Self.logInDoubtfully(identity)
      _ = try await identity.logIn()
      #expect(try await Self.ended(identity) == [doubtful.session.id])
      _ = try await identity.logIn()
      #expect(try await Self.ended(identity) == [doubtful.session.id, own[0]])
    }
  }

  @Test("Where places are known, who knows the password alone ends no trusted session by logging in often (S 6, scenario 4)")
  func doubtful() async throws {
    try await RunningIdentity.run(settings: PlaceDatabaseTests.settings) { identity in
      let account = try await identity.register().id
      _ = try await Self.add(SessionRules.maxLive - 1, to: identity, account)
      let own = try await identity.logIn()
      identity.time.advance(seconds: 3600)
      var doubtful: [SessionID] = []
      for _ in 0..<200 { doubtful.append(try await Self.logInDoubtfully(identity).session.id) }
      #expect(try await Self.ended(identity) == Array(doubtful.dropLast(SessionRules.maxInDoubt)))
      #expect(try await Self.liveCount(identity) == SessionRules.maxLive + SessionRules.maxInDoubt)
      #expect(try await identity.published(LoginAlertRaised.self).count == 1)
      _ = try await identity.ask(RefreshSession.self, .init(refreshToken: own.refreshToken))
    }
  }

  @Test("However many sessions there are from before, only so many are in doubt")
  func doubtfulAmongMany() async throws {
    try await RunningIdentity.run(settings: PlaceDatabaseTests.settings) { identity in
      let account = try await identity.register().id
      _ = try await identity.logIn()
      identity.time.advance(seconds: 3600)
      _ = try await Self.add(SessionRules.maxCompared + 100, to: identity, account)
      for _ in 0..<(SessionRules.maxInDoubt + 5) { _ = try await Self.logInDoubtfully(identity) }
      let sql = "SELECT COUNT(*) FROM sessions JOIN login_alert_sessions USING (session_id) WHERE revoked_at IS NULL"
      #expect(try await identity.count(sql) == SessionRules.maxInDoubt)
    }
  }

  @Test("An account that had more sessions from before gets rid of them, ten with each login")
  func earlier() async throws {
    try await RunningIdentity.run { identity in
      let account = try await identity.register().id
      let own = try await Self.add(3 * SessionRules.maxLive, to: identity, account)
      for count in 1...2 {
        _ = try await identity.logIn()
        #expect(try await Self.ended(identity) == Array(own.prefix(SessionRules.maxEndedByLogin * count)))
      }
      for _ in 0..<25 { _ = try await identity.logIn() }
      #expect(try await Self.liveCount(identity) == SessionRules.maxLive)
    }
  }

  @Test("Live sessions of an earlier store beyond the bound are ended, those seen the longest ago, and published")
  func upgrade() async throws {
    let (ana, bea) = (AccountID(), AccountID())
    let now = Instant(milliseconds: 1_800_000_000_000)
    // Those in doubt were seen last; the account has a few more of either kind than it may.
    let (trusted, doubtful) = ((0..<250).map { _ in SessionID() }, (0..<13).map { _ in SessionID() })
    try await UpgradedStore.upgrading(.identity, RunningIdentity.migrations(), before: 53) { transaction in
      let database = transaction.database
      for (account, name) in [(ana, "ana"), (bea, "bea")] {
        try database.execute(
          sql: """
            INSERT INTO accounts (account_id, email, email_normalized, username, password_hash, time_zone, language, created_at)
            VALUES (?1, ?2, ?2, ?2, '$argon2id$', 'UTC', 'en', 0)
            """, arguments: [account, name])
      }
      let alert = LoginAlertID()
      try database.execute(
        sql: """
          INSERT INTO login_alerts (alert_id, account_id, level, reasons, device_key, network, created_at, expires_at)
          VALUES (?, ?, 'suspicious', '', zeroblob(32), '', 0, 0)
          """, arguments: [alert, ana])
      func add(_ session: SessionID, _ account: AccountID, _ second: Int) throws {
        try database.execute(
          sql: "INSERT INTO sessions (session_id, account_id, created_at, expires_at, last_seen_at) VALUES (?, ?, 0, ?, ?)",
          arguments: [session, account, now.adding(seconds: RefreshRules.lifetimeSeconds), now.adding(seconds: second)])
      }
      for (number, session) in trusted.enumerated() { try add(session, ana, number) }
      for (number, session) in doubtful.enumerated() {
        try add(session, ana, 1000 + number)
        try database.execute(
          sql: "INSERT INTO login_alert_sessions (alert_id, session_id) VALUES (?, ?)", arguments: [alert, session])
      }
      for second in 0..<SessionRules.maxLive { try add(SessionID(), bea, second) }
      // Of an account that is being erased.
      let gone = AccountID()
      for second in 0..<200 { try add(SessionID(), gone, second) }
    } check: { store in
      // A few at a time.
      #expect(try await store.write { try SessionStore.endSurplus(limit: 20, $0) })
      let ended = "SELECT COUNT(*) FROM sessions WHERE revoked_at IS NOT NULL"
      #expect(try await store.read { try Int.fetchOne($0, sql: ended) } == 20)
      try await SurplusSessionWorker(store: store).endAll()
      let published = try await store.log.events(after: 0, limit: 5000, bytes: 10_000_000)
        .filter { $0.name == SessionRevoked.spec.name }.map { try SessionRevoked.decode($0.body) }
      #expect(published.allSatisfy { $0.accountID == ana && $0.reason == .replaced })
      let revoked = Set(published.map(\.sessionID))
      #expect(revoked == Set(trusted.dropLast(SessionRules.maxLive) + doubtful.dropLast(SessionRules.maxInDoubt)))
      #expect(published.count == revoked.count)
      #expect(try await store.read { try Int.fetchOne($0, sql: ended) } == revoked.count)
      #expect(try await store.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM session_surpluses") } == 0)
    }
  }

  /// What it takes to end some of so many surplus sessions.
  private func steps(surplus count: Int) async throws -> Int {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let now = identity.time.now.milliseconds
      try await identity.store.write { transaction in
        try transaction.database.execute(
          sql: """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO sessions (session_id, account_id, created_at, expires_at)
            SELECT randomblob(16), (SELECT account_id FROM accounts), 0, \(now) + 2592000000 FROM n;
            INSERT INTO session_surpluses (account_id, is_in_doubt, seen_before) SELECT account_id, 0, 1 FROM accounts;
            """)
      }
      return try await identity.store.steps { transaction in
        let hasMore = try SessionStore.endSurplus(limit: 50, transaction)
        #expect(hasMore)
      }
    }
  }

  @Test("Each step that ends sessions from before takes as long, however many they are")
  func surplusEffort() async throws {
    let (few, many) = (try await steps(surplus: 200), try await steps(surplus: 20_000))
    #expect(many <= few + 20, "\(few), \(many)")
  }

  /// What it takes to find the few live sessions of an account of which so many have ended.
  private func steps(ended count: Int) async throws -> Int {
    try await RunningIdentity.run { identity in
      let account = try await identity.register().id
      let own = try await Self.add(3, to: identity, account)
      let now = identity.time.now
      try await identity.store.write { transaction in
        try transaction.database.execute(
          sql: """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO sessions (session_id, account_id, created_at, expires_at, revoked_at, revocation_reason)
            SELECT randomblob(16), (SELECT account_id FROM accounts), 0, \(now.milliseconds) + 2592000000, \(now.milliseconds),
              'replaced' FROM n
            """)
      }
      let find: @Sendable (Database) throws -> Int = {
        try SessionStore.others(than: own[0], of: account, now: now, in: $0).count
          + SessionStore.listLive(of: account, before: nil, limit: 100, now: now, in: $0).count
      }
      #expect(try await identity.store.read(find) == 5)
      return try await identity.store.effort { _ = try find($0) }.steps
    }
  }

  /// What it takes to look for sessions that a login ends, of so many from before.
  private func steps(live count: Int) async throws -> Int {
    try await RunningIdentity.run { identity in
      let account = try await identity.register().id
      let now = identity.time.now
      try await identity.store.write { transaction in
        try transaction.database.execute(
          sql: """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO sessions (session_id, account_id, created_at, expires_at)
            SELECT randomblob(16), (SELECT account_id FROM accounts), 0, \(now.milliseconds) + 2592000000 FROM n
            """)
      }
      let find: @Sendable (Database) throws -> Int = {
        try SessionStore.others(than: SessionID(), of: account, now: now, in: $0).count
      }
      #expect(try await identity.store.read(find) == SessionRules.maxCompared)
      return try await identity.store.effort { _ = try find($0) }.steps
    }
  }

  @Test("Logging in and listing sessions take as long, however many sessions have ended")
  func effort() async throws {
    let (few, many) = (try await steps(ended: 10), try await steps(ended: 20_000))
    #expect(many <= few + 5, "\(few), \(many)")
  }

  @Test("A login of an account with sessions from before takes as long, however many it has")
  func effortFromBefore() async throws {
    let (few, many) = (try await steps(live: 2000), try await steps(live: 20_000))
    #expect(many <= few + 5, "\(few), \(many)")
  }

  /// What it takes to do that about an alert that can no longer be answered, with three live sessions, where so many have ended.
  private func steps(
    endedUnderAlert count: Int,
    _ work: @escaping @Sendable (LoginAlertRecord, LoginWatch, Transaction) throws -> Void
  ) async throws -> Int {
    try await RunningIdentity.run(settings: PlaceDatabaseTests.settings) { identity in
      try await identity.register()
      _ = try await identity.logIn()
      identity.time.advance(seconds: 3600)
      for _ in 0..<3 { _ = try await Self.logInDoubtfully(identity) }
      let id = try #require(try await identity.published(LoginAlertRaised.self).last).alertID
      identity.time.advance(seconds: LoginAlertRules.lifetimeSeconds)
      let now = identity.time.now
      try await identity.store.write { transaction in
        try transaction.database.execute(
          sql: """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO sessions (session_id, account_id, created_at, expires_at, revoked_at, revocation_reason)
            SELECT randomblob(16), (SELECT account_id FROM accounts), \(now.milliseconds), \(now.milliseconds) + 2592000000,
              \(now.milliseconds), 'replaced' FROM n;
            INSERT INTO login_alert_sessions (alert_id, session_id)
            SELECT (SELECT alert_id FROM login_alerts), session_id FROM sessions WHERE revoked_at IS NOT NULL;
            """)
      }
      let watch = LoginWatch(PlaceDatabase(Settings(PlaceDatabaseTests.settings)), try await IdentityKeys(identity.home))
      return try await identity.store.steps { transaction in
        let alert = try #require(try LoginAlertStore.find(id, in: transaction.database))
        try work(alert, watch, transaction)
      }
    }
  }

  @Test(
    "An answer to an alert takes as long, however many sessions of the login have ended", arguments: LoginAlertAnswer.allCases)
  func answerEffort(answer: LoginAlertAnswer) async throws {
    func measured(_ count: Int) async throws -> Int {
      try await steps(endedUnderAlert: count) { alert, watch, transaction in
        let session = try LoginAlertStore.answering(SessionID(), alert, watch, in: transaction.database)
        #expect(!session.isOfAlert)
        let closed = try LoginAlertStore.answer(
          alert, answer, isOwners: true, watch, from: .service(.identity), transaction)
        #expect(closed == (answer == .close ? 3 : 0))
      }
    }
    let (few, many) = (try await measured(10), try await measured(20_000))
    #expect(many <= few + 5, "\(few), \(many)")
  }

  @Test("The live sessions of an unanswered alert are ended as quickly, however many sessions of it have ended")
  func unansweredEffort() async throws {
    func measured(_ count: Int) async throws -> Int {
      try await steps(endedUnderAlert: count) { _, _, transaction in
        let hasMore = try LoginAlertStore.closeUnansweredSessions(limit: 50, transaction)
        #expect(!hasMore)
      }
    }
    let (few, many) = (try await measured(10), try await measured(20_000))
    #expect(many <= few + 5, "\(few), \(many)")
  }

  /// What it takes to exchange a refresh token of a session that has had so many, none of which has expired.
  private func steps(tokens count: Int) async throws -> Int {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let signedIn = try await identity.logIn()
      let token = try #require(RefreshToken(signedIn.refreshToken))
      let (id, now) = (signedIn.session.id, identity.time.now)
      try await identity.store.write { transaction in
        try transaction.database.execute(
          sql: """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO refresh_tokens (token_hash, session_id, issued_at, expires_at, used_at)
            SELECT randomblob(32), ?, ?, ?, ? FROM n
            """, arguments: [id, now, now.adding(seconds: RefreshRules.lifetimeSeconds), now])
      }
      let key = try await IdentityKeys(identity.home).refresh
      return try await identity.store.steps { transaction in
        let session = try #require(try SessionStore.find(id, in: transaction.database))
        _ = try SessionStore.rotate(token, session, .person(), key: key, transaction)
      }
    }
  }

  @Test("An exchange of a refresh token takes as long, however many the session has had in its month")
  func exchange() async throws {
    let (few, many) = (try await steps(tokens: 10), try await steps(tokens: 4000))
    #expect(many <= few + 5, "\(few), \(many)")
  }
}
