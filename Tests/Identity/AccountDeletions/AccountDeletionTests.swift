import Foundation
import GRDB
import IdentityContract
import InProcess
import Operations
import Storage
import Testing

@testable import IdentityService
@testable import ServiceKit

@Suite("Deleting the account (ID-12; H CU-7, B UC16)")
struct AccountDeletionTests {
  static let services: [ServiceName] = [.activity, .social, .rewards, .notifications]

  private func delete(
    _ identity: RunningIdentity, _ signedIn: SignedIn, _ password: String = RunningIdentity.password
  ) async throws -> DeleteAccount.Output {
    try await identity.ask(DeleteAccount.self, .init(password: FormField(text: password)), by: .signedIn(signedIn))
  }

  private func state(_ identity: RunningIdentity, _ token: String) async throws -> AccountDeletion {
    try await identity.ask(GetAccountDeletion.self, .init(token: token))
  }

  /// Confirms in the name of every service, identity's own included.
  private func confirm(_ identity: RunningIdentity, _ deletion: AccountDeletion) async throws {
    for service in Self.services + [.identity] {
      try await identity.store.write {
        try AccountDeletionStore.confirm(deletion.id, by: service, [ErasureCount(kind: .mails, count: 2)], $0)
      }
    }
  }

  @Test(
    "Deleting an account with the password ends every session and token, and hides the account (CU-7, steps 5 to 11; UC16)"
  )
  func success() async throws {
    try await RunningIdentity.run { identity in
      let ana = try await identity.register()
      try await identity.register("ben")
      let (own, other) = (try await identity.logIn(), try await identity.logIn())
      let script = try await identity.ask(
        CreatePersonalAccessToken.self,
        .init(name: PersonalAccessTokenName(text: "backup"), scopes: [.activityRead], expiresAt: nil), by: .signedIn(own))
      let output = try await delete(identity, own)
      #expect(output.deletion.state == .erasing && output.deletion.requestedAt == identity.time.now)
      let revoked = try await identity.published(SessionRevoked.self)
      #expect(Set(revoked.map(\.sessionID)) == [own.session.id, other.session.id])
      #expect(revoked.allSatisfy { $0.reason == .accountDeleted })
      #expect(try await identity.published(PersonalAccessTokenRevoked.self).map(\.tokenID) == [script.token.id])
      #expect(try await identity.published(AccountDeleted.self).map(\.accountID) == [ana.id])

      #expect(try await failure { try await identity.logIn() }.code == "wrong_credentials")
      #expect(try await failure { try await identity.logIn("ana@example.com") }.code == "wrong_credentials")
      for session in [own, other] {
        let refresh = RefreshSession.Input(refreshToken: session.refreshToken)
        #expect(try await failure { try await identity.ask(RefreshSession.self, refresh) }.code == "refresh_token_invalid")
        #expect(
          try await failure { try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(session)) }.code
            == "session_revoked")
      }
      #expect(
        try await failure { try await identity.askAsNotifications(LookUpAccount.self, .init(accountID: ana.id)) }.status == 404)
      #expect(
        try await failure { try await identity.askAsNotifications(GetAddressee.self, .init(accountID: ana.id)) }.status == 404)
      #expect(try await identity.logIn("ben").account.username.description == "ben")
    }
  }

  @Test(
    "Credenciales incorrectas: a wrong password deletes nothing, is recorded, and can be corrected (CU-7, 7a)")
  func wrongPassword() async throws {
    try await RunningIdentity.run { identity in
      let ana = try await identity.register()
      let own = try await identity.logIn()
      #expect(try await failure { try await delete(identity, own, "Otra-clave-9") }.code == "wrong_password")
      #expect(try await failure { try await delete(identity, own, "") }.fields.map(\.code) == ["required"])
      #expect(try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(own)) == ana)
      #expect(try await identity.published(AccountDeleted.self).isEmpty)
      #expect(try await identity.securityEvents() == ["accountDeletionRefused"])
      _ = try await delete(identity, own)
    }
  }

  @Test(
    "No desea eliminar la cuenta: a deletion without its form changes nothing (CU-7, 6a; UC16, abort)")
  func cancelled() async throws {
    try await RunningIdentity.run { identity in
      let ana = try await identity.register()
      let own = try await identity.logIn()
      #expect(try await failure { try await identity.ask(DeleteAccount.self, json: "{}", by: .signedIn(own)) }.status == 422)
      #expect(try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(own)) == ana)
    }
  }

  @Test("After five wrong passwords a deletion must wait, whatever the password; failed logins do not count")
  func throttled() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let own = try await identity.logIn()
      try await identity.guess(times: 5)
      for _ in 0..<5 {
        #expect(try await failure { try await delete(identity, own, "Otra-clave-9") }.code == "wrong_password")
      }
      let locked = try await failure { try await delete(identity, own) }
      #expect(locked.code == "login_locked" && locked.retryAfterSeconds == 30)
      identity.time.advance(seconds: 31)
      _ = try await delete(identity, own)
    }
  }

  @Test("Only the deletion's token gives access to its state")
  func token() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let output = try await delete(identity, try await identity.logIn())
      #expect(try await state(identity, output.token) == output.deletion)
      var forged = Array(output.token)
      forged[40] = forged[40] == "A" ? "B" : "A"
      for token in [String(forged), "x", output.deletion.id.description] {
        #expect(try await failure { try await state(identity, token) }.status == 404)
      }
      let restarted = try await identity.restarted()
      #expect(try await state(restarted, output.token).state == .erasing)
      await restarted.store.close()
    }
  }

  @Test(
    "Once all services have confirmed a deletion, in any order and repeatedly, one report with all counts is requested"
  )
  func confirmations() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let output = try await delete(identity, try await identity.logIn())
      let id = output.deletion.id
      let (early, last) = ([ServiceName.identity] + Self.services.dropLast(), Self.services[3])
      for service in early + early {
        try await identity.store.write {
          try AccountDeletionStore.confirm(id, by: service, [ErasureCount(kind: .events, count: 1)], $0)
        }
      }
      #expect(try await identity.published(AccountErased.self).isEmpty)
      _ = try await identity.askAsNotifications(
        ConfirmErasure.self, .init(deletionID: id, counts: [ErasureCount(kind: .mails, count: 3)]))
      _ = try await identity.askAsNotifications(ConfirmErasure.self, .init(deletionID: id, counts: []))
      #expect(try await identity.published(AccountErased.self).map(\.deletionID) == [id])
      let report = try await identity.askAsNotifications(GetDeletionReport.self, .init(deletionID: id))
      #expect(report.addressee.email.description == "ana@example.com" && report.deletion.state == .reporting)
      #expect(output.deletion.erasedAt == nil && report.deletion.erasedAt == identity.time.now)
      #expect(Set(report.deletion.services.map(\.service)) == Set(early + [last]))
      #expect(
        report.deletion.services.first { $0.service == last }?.counts == [ErasureCount(kind: .mails, count: 3)])
      #expect(
        try await failure { try await identity.askAsNotifications(ConfirmErasure.self, .init(deletionID: ID(), counts: [])) }
          .status == 404)
    }
  }

  @Test("After the report nothing of a deleted account's address remains, and the deletion ends once the file is clean")
  func finished() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let output = try await delete(identity, try await identity.logIn())
      let promised = identity.time.now.adding(seconds: 86_400)
      #expect(output.deletion.cleanBy == promised)
      identity.time.advance(seconds: 3600)
      try await confirm(identity, output.deletion)
      #expect(try await identity.count("SELECT count(*) FROM secrets") == 1)
      let report = try await identity.askAsNotifications(GetDeletionReport.self, .init(deletionID: output.deletion.id))
      #expect(report.deletion.cleanBy == promised, "however long the services took")
      let end = EndDeletionReport.Input(deletionID: output.deletion.id, isDelivered: true)
      _ = try await identity.askAsNotifications(EndDeletionReport.self, end)
      _ = try await identity.askAsNotifications(EndDeletionReport.self, end)
      #expect(try await identity.count("SELECT count(*) FROM secrets") == 0)
      #expect(
        try await failure {
          try await identity.askAsNotifications(GetDeletionReport.self, .init(deletionID: output.deletion.id))
        }.status == 404)
      #expect(try await state(identity, output.token).state == .reporting)
      try await identity.store.scrubEarlierPages()
      #expect(try await FinishedDeletions.finish(identity.store))
      let finished = try await state(identity, output.token)
      #expect(finished.state == .finished && finished.finishedAt == identity.time.now && finished.services.count == 5)
      #expect(finished.erasedAt == identity.time.now && finished.cleanBy == promised)
    }
  }

  @Test("A deleted account's address with damaged ciphertext is removed and recorded; the deletion ends without a report")
  func damagedAddress() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let output = try await delete(identity, try await identity.logIn())
      try await confirm(identity, output.deletion)
      try await identity.store.write { try $0.database.execute(sql: "UPDATE secrets SET sealed = x'0101000000010203'") }
      let read = GetDeletionReport.Input(deletionID: output.deletion.id)
      #expect(try await failure { try await identity.askAsNotifications(GetDeletionReport.self, read) }.status == 404)
      #expect(try await identity.securityEvents().contains("secretDamaged"))
      try await identity.store.scrubEarlierPages()
      #expect(try await FinishedDeletions.finish(identity.store))
      #expect(try await state(identity, output.token).state == .finished)
    }
  }

  @Test("A deleted account's username is reserved for 90 days; its address is free at once")
  func username() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      _ = try await delete(identity, try await identity.logIn())
      let taken = try await failure { try await identity.register() }
      #expect(taken.fields.map { "\($0.field) \($0.code)" } == ["username username_taken"])
      #expect(taken.fields.first?.parameters["suggestions"].map { "\($0)".contains("ana,") } == false)
      _ = try await identity.ask(RegisterAccount.self, RunningIdentity.form("eva", email: "ana@example.com"))
      identity.time.advance(seconds: 90 * 86_400 + 1)
      _ = try await identity.ask(RegisterAccount.self, RunningIdentity.form("ana", email: "other@example.com"))
    }
  }

  @Test(
    "The store's files contain nothing of a deleted account: address, names, passwords, networks, devices, events, replies"
  )
  func files() async throws {
    try await RunningIdentity.run { identity in
      for number in 0..<50 { try await identity.register("person\(number)") }
      let form = RegisterAccount.Input(
        email: FormField(text: "planted.mail@example.org"), username: FormField(text: "planted_user"),
        password: FormField(text: RunningIdentity.password), passwordConfirmation: FormField(text: RunningIdentity.password),
        name: FormField(text: "Planted Name"), nickname: FormField(text: "Planted Nick"))
      _ = try await identity.ask(RegisterAccount.self, form, key: "planted-key")
      let own = try await identity.logIn("planted_user", from: "198.51.100.77")
      try await identity.store.clean()
      #expect(try identity.holds("planted") && identity.holds("198.51.100.77"))
      let account = own.account.id
      _ = try await delete(identity, own)
      try await identity.store.clean()
      #expect(try !identity.holds("planted"))
      #expect(try !identity.holds("198.51.100.77"))
      #expect(try await identity.count("SELECT count(*) FROM idempotency_records") == 0)
      #expect(try await identity.count("SELECT count(*) FROM accounts") == 50)
      #expect(try await identity.store.read { try $0.isErased(account) })
    }
  }

  @Test("A subscriber without history learns of every deletion, and of the sessions that ended with it")
  func snapshot() async throws {
    try await RunningIdentity.run { identity in
      let ana = try await identity.register()
      let own = try await identity.logIn()
      let output = try await delete(identity, own)
      let snapshot = SnapshotParts(try await identity.features().flatMap(\.snapshot))
      func published() async throws -> [any Event] { try await identity.store.read { try snapshot.all($0) } }
      let events = try await published()
      #expect(events.compactMap { ($0 as? AccountDeleted)?.accountID } == [ana.id])
      #expect(events.compactMap { ($0 as? SessionRevoked)?.sessionID } == [own.session.id])
      #expect(!events.contains { $0 is AccountChanged || $0 is AccountErased })
      try await confirm(identity, output.deletion)
      #expect(try await published().contains { $0 is AccountErased })
    }
  }

  @Test("Sessions and tokens of a deleted account are removed in steps, each published once, and are invalid at once")
  func manySessions() async throws {
    let rows = 20
    try await RunningIdentity.run(settings: ["racha.erasure.rowsPerTransaction": "\(rows)"]) { identity in
      let account = try await identity.register().id
      let own = try await identity.logIn()
      let live = try await identity.addSessions(100, tokens: 6, of: account)
      let ended = try await identity.addSessions(50, tokens: 1, of: account, isRevoked: true)
      try await identity.store.write { transaction in
        let alert = LoginAlertID()
        try transaction.database.execute(
          sql: """
            INSERT INTO login_alerts (alert_id, account_id, level, reasons, device_key, network, created_at, expires_at)
            VALUES (?, ?, 'suspicious', '', zeroblob(32), '', 0, 0)
            """, arguments: [alert, account])
        try transaction.database.execute(
          sql: "INSERT INTO login_alert_sessions (alert_id, session_id) SELECT ?, session_id FROM sessions WHERE session_id <> ?",
          arguments: [alert, own.session.id])
      }
      _ = try await delete(identity, own)
      #expect(try await identity.count("SELECT count(*) FROM accounts") == 0)
      #expect(try await identity.count("SELECT count(*) FROM sessions") > 100, "others would wait for them")
      #expect(try await identity.count("SELECT count(*) FROM refresh_tokens") > 600)
      #expect(try await identity.count("SELECT count(*) FROM login_alert_sessions") > 100)
      let atOnce = try await identity.published(SessionRevoked.self).map(\.sessionID)
      #expect(atOnce.contains(own.session.id) && atOnce.count <= SessionStore.maxEndedAtOnce)
      let refresh = RefreshSession.Input(refreshToken: own.refreshToken)
      #expect(try await failure { try await identity.ask(RefreshSession.self, refresh) }.code == "refresh_token_invalid")
      #expect(
        try await failure { try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(own)) }.code == "session_revoked")

      // After a restart as well.
      let restarted = try await identity.restarted()
      // Who ends sessions that nobody answered for leaves these to the deletion.
      try await UnansweredLoginWorker(store: restarted.store).closeSessions()
      let features = try await restarted.features()
      let erasure = Erasure(
        features.reversed().flatMap(\.tables), keepingEvents: AccountDeletionFeature.eventsKept, rowsPerTransaction: rows)
      let position = Erasure.Position()
      while try await restarted.store.write({ transaction in
        let before = transaction.database.totalChangesCount
        let hasMore = try erasure.step(account, rows: rows, from: position, transaction)
        // Of each session that ends several rows are written.
        #expect(transaction.database.totalChangesCount - before <= 6 * rows)
        return hasMore
      }) {}
      for table in ["sessions", "refresh_tokens", "login_alert_sessions", "login_alerts"] {
        #expect(try await restarted.count("SELECT count(*) FROM \(table)") == 0)
      }
      let revoked = try await restarted.published(SessionRevoked.self).filter { $0.accountID == account }
      #expect(revoked.count == 101 && revoked.allSatisfy { $0.reason == .accountDeleted })
      #expect(Set(revoked.map(\.sessionID)) == Set(live + [own.session.id]))
      // Whoever subscribes now learns of those that ended lately, each once.
      let snapshot = SnapshotParts(features.flatMap(\.snapshot))
      let lately = try await restarted.store.read { database in
        try snapshot.all(database)
      }.compactMap { ($0 as? SessionRevoked)?.sessionID }
      #expect(lately.count == 151 && Set(lately) == Set(live + ended + [own.session.id]))
      let counts = try #require(try await restarted.store.read { try $0.erasure(of: account)?.erasureCounts() })
      // Devices that logged in, and what it withdraws itself, are neither sessions nor tokens.
      #expect(counts.first { $0.kind == .sessions }?.count == 151)
      #expect(counts.first { $0.kind == .accessTokens }?.count ?? 0 == 0)
      await restarted.store.close()
    }
  }

  @Test("Consents that were changed often, tokens that were revoked and alerts of logins are removed in steps")
  func manyRecords() async throws {
    let rows = 20
    try await RunningIdentity.run(settings: ["racha.erasure.rowsPerTransaction": "\(rows)"]) { identity in
      let account = try await identity.register().id
      let own = try await identity.logIn()
      try await identity.store.write { transaction in
        try transaction.database.execute(
          sql: """
            CREATE TEMP TABLE n AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) SELECT i FROM n;
            INSERT INTO consent_records (account_id, purpose, number, is_given, wording_version, at)
            SELECT (SELECT account_id FROM accounts), 'location', i, i % 2, 1, 0 FROM n;
            INSERT INTO personal_access_tokens (token_id, account_id, name, token_hash, scopes, created_at, revoked_at)
            SELECT randomblob(16), (SELECT account_id FROM accounts), 'token', randomblob(32), 'activity:read', 0, 1 FROM n;
            INSERT INTO login_alerts (alert_id, account_id, level, reasons, device_key, network, created_at, expires_at)
            SELECT randomblob(16), (SELECT account_id FROM accounts), 'notice', '', zeroblob(32), '', 0, 0 FROM n;
            DROP TABLE n;
            """)
      }
      _ = try await delete(identity, own)
      #expect(try await identity.count("SELECT count(*) FROM accounts") == 0)
      let tables = ["consent_records", "personal_access_tokens", "login_alerts"]
      for table in tables {
        #expect(try await identity.count("SELECT count(*) FROM \(table)") == 200, "others would wait for them")
      }
      let erasure = Erasure(
        try await identity.features().reversed().flatMap(\.tables), keepingEvents: AccountDeletionFeature.eventsKept,
        rowsPerTransaction: rows)
      let position = Erasure.Position()
      while try await identity.store.write({ try erasure.step(account, rows: rows, from: position, $0) }) {}
      for table in tables { #expect(try await identity.count("SELECT count(*) FROM \(table)") == 0) }
    }
  }

  @Test("Only one of several concurrent deletions of an account takes effect")
  func concurrent() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let own = try await identity.logIn()
      let outcomes = await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<10 {
          group.addTask {
            do {
              _ = try await delete(identity, own)
              return true
            } catch {
              return false
            }
          }
        }
        return await group.reduce(into: 0) { count, isDone in count += isDone ? 1 : 0 }
      }
      #expect(outcomes == 1)
      #expect(try await identity.published(AccountDeleted.self).count == 1)
    }
  }
}

extension SnapshotParts {
  /// All that it publishes.
  fileprivate func all(_ database: Database) throws -> [any Event] {
    var (events, key) = try page(database, after: nil)
    while let next = key {
      let page = try page(database, after: next)
      events += page.events
      key = page.nextKey
    }
    return events
  }
}

extension RunningIdentity {
  /// Sessions as they are after a while, each with so many refresh tokens.
  ///
  /// - Parameter isRevoked: whether they were ended just now.
  fileprivate func addSessions(
    _ count: Int, tokens: Int, of account: AccountID, isRevoked: Bool = false
  ) async throws -> [SessionID] {
    let sessions = (0..<count).map { _ in SessionID() }
    try await store.write { transaction in
      let (database, now) = (transaction.database, transaction.now)
      for (number, session) in sessions.enumerated() {
        try database.execute(
          sql: """
            INSERT INTO sessions (session_id, account_id, created_at, expires_at, last_seen_at, revoked_at, revocation_reason)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """,
          arguments: [
            session, account, now, now.adding(seconds: RefreshRules.lifetimeSeconds), now.adding(seconds: -60 * number),
            isRevoked ? now : nil, isRevoked ? "loggedOut" : nil,
          ])
        for token in 0..<tokens {
          try database.execute(
            sql: """
              INSERT INTO refresh_tokens (token_hash, session_id, issued_at, expires_at, used_at)
              VALUES (randomblob(32), ?, ?, ?, ?)
              """, arguments: [session, now, now.adding(seconds: 60), token == 0 ? nil : now])
        }
      }
    }
    return sessions
  }

  /// Whether a file under its stores holds the text.
  func holds(_ text: String) throws -> Bool {
    try FileManager.default.contentsOfDirectory(atPath: home.stores).contains { name in
      FileManager.default.contents(atPath: "\(home.stores)/\(name)")?.range(of: Data(text.utf8)) != nil
    }
  }
}
