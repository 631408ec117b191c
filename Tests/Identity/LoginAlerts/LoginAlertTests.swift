import Foundation
import GRDB
import IdentityContract
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@testable import IdentityService

@Suite("Unusual logins (ID-7; S 4, scenario 3; S 6, scenario 4)")
struct LoginAlertTests {
  private static let (madrid, barcelona, tokyo) = ("192.0.2.1", "198.51.100.1", "203.0.113.1")
  private static let strange = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0"

  /// Runs identity with places and Ana, who has logged in at Madrid.
  private static func run(_ body: (RunningIdentity, _ usual: SignedIn) async throws -> Void) async throws {
    try await RunningIdentity.run(settings: PlaceDatabaseTests.settings) { identity in
      try await identity.register()
      let usual = try await identity.logIn(from: madrid)
      identity.time.advance(seconds: 3600)
      try await body(identity, usual)
    }
  }

  /// A login from a device that the account never had.
  private static func strangeLogin(
    _ identity: RunningIdentity, from address: String, password: String = RunningIdentity.password
  ) async throws -> SignedIn {
    let caller = Caller(kind: .anonymous, address: address, userAgent: strange)
    return try await identity.ask(LogIn.self, .init(login: "ana", password: password), by: caller)
  }

  private static func token(_ identity: RunningIdentity) async throws -> String {
    let alert = try #require(try await identity.published(LoginAlertRaised.self).last).alertID
    return try await identity.askAsNotifications(GetLoginAlertSecret.self, .init(alertID: alert)).token
  }

  private static func isDead(_ identity: RunningIdentity, _ signedIn: SignedIn) async throws -> Bool {
    try await identity.count(
      "SELECT COUNT(*) FROM sessions WHERE session_id = x'\(hex(signedIn.session.id))' AND revoked_at IS NOT NULL") == 1
  }

  private static func hex(_ id: SessionID) -> String { id.bytes.map { String(format: "%02x", $0) }.joined() }

  @Test("The first login of a new account, and later ones like it, raise no alert")
  func usual() async throws {
    try await Self.run { identity, _ in
      _ = try await identity.logIn(from: Self.madrid)
      #expect(try await identity.published(LoginAlertRaised.self).isEmpty)
      #expect(try await identity.securityEvents().isEmpty)
    }
  }

  @Test("A new device at home is reported to its owner once, and known from then on")
  func notice() async throws {
    try await Self.run { identity, usual in
      let new = try await Self.strangeLogin(identity, from: Self.madrid)
      let published = try #require(try await identity.published(LoginAlertRaised.self).last)
      #expect(published.level == .notice && published.accountID == usual.account.id)
      #expect(published.device == "Firefox on Linux" && published.place == "Madrid, Spain")
      _ = try await Self.strangeLogin(identity, from: Self.madrid)
      #expect(try await identity.published(LoginAlertRaised.self).count == 1)
      #expect(try await identity.securityEvents() == ["loginNoticed"])
      #expect(try await !Self.isDead(identity, new))
      // Closed, the device is unknown again; the place is still the owner's.
      _ = try await identity.ask(AnswerLoginAlertByLink.self, .init(token: try await Self.token(identity), answer: .close))
      #expect(try await Self.isDead(identity, new))
      _ = try await identity.logIn(from: Self.madrid)
      #expect(try await identity.published(LoginAlertRaised.self).count == 1)
      // Whoever has the password had it then, too: now their owner is asked.
      _ = try await Self.strangeLogin(identity, from: Self.madrid)
      #expect(try await identity.published(LoginAlertRaised.self).map(\.level) == [.notice, .suspicious])
    }
  }

  @Test(
    "Without places, a device on another network is known only by its own token, not by its name or another's token",
    arguments: [true, false])
  func provenDevice(showsToken: Bool) async throws {
    try await RunningIdentity.run { identity in
      func logIn(_ name: String, from address: String, _ token: String?) async throws -> SignedIn {
        let input = LogIn.Input(
          login: name, password: RunningIdentity.password, device: try DeviceName(text: "Ana's phone"), deviceToken: token)
        return try await identity.ask(LogIn.self, input, by: .person(from: address))
      }
      var tokens: [String?] = []
      for name in ["ana", "ben"] {
        try await identity.register(name)
        tokens.append(try await logIn(name, from: Self.madrid, nil).deviceToken)
      }
      #expect(tokens.allSatisfy { $0 != nil })
      identity.time.advance(seconds: 3600)
      _ = try await logIn("ana", from: Self.barcelona, tokens[0])
      #expect(try await identity.published(LoginAlertRaised.self).isEmpty)
      _ = try await logIn("ana", from: Self.tokyo, showsToken ? tokens[1] : nil)
      #expect(try await identity.published(LoginAlertRaised.self).map(\.level) == [.notice])
    }
  }

  @Test("A session with an open alert can use the app, but not the account's protection, until its owner answers")
  func restricted() async throws {
    try await Self.run { identity, usual in
      let there = try await Self.strangeLogin(identity, from: Self.barcelona)
      let caller = Caller.signedIn(there)
      _ = try await identity.ask(GetOwnAccount.self, .init(), by: caller)
      let password = FormField<Password>(text: RunningIdentity.password)
      let new = FormField<Password>(text: "Mar-9-bravo")
      let attempts: [@Sendable () async throws -> Void] = [
        {
          _ = try await identity.ask(
            ChangePassword.self, .init(currentPassword: password, password: new, passwordConfirmation: new), by: caller)
        },
        {
          _ = try await identity.ask(
            RequestEmailChange.self, .init(email: .init(text: "thief@example.com"), currentPassword: password), by: caller)
        },
        { _ = try await identity.ask(DeleteAccount.self, .init(password: password), by: caller) },
        { _ = try await identity.ask(CloseOtherSessions.self, .init(), by: caller) },
        { _ = try await identity.ask(CloseSession.self, .init(sessionID: usual.session.id), by: caller) },
        {
          _ = try await identity.ask(
            CreatePersonalAccessToken.self, .init(name: try PersonalAccessTokenName(text: "stay"), scopes: [.activityRead]),
            by: caller)
        },
      ]
      for attempt in attempts { #expect(try await failure { try await attempt() }.code == "login_alert_unanswered") }
      _ = try await identity.ask(AnswerLoginAlertByLink.self, .init(token: try await Self.token(identity), answer: .confirm))
      _ = try await identity.ask(CloseOtherSessions.self, .init(), by: caller)
    }
  }

  @Test(
    "A login from an unusual place is reported to its owner, who can close it by the mailed link (S 6, scenario 4)"
  )
  func close() async throws {
    try await Self.run { identity, usual in
      let stranger = try await Self.strangeLogin(identity, from: Self.barcelona)
      // Nobody knows who made it.
      _ = try await identity.ask(
        CreatePersonalAccessToken.self, .init(name: .init(text: "stay"), scopes: [.activityRead]), by: .signedIn(usual))
      let again = try await Self.strangeLogin(identity, from: Self.barcelona)
      // One mail, however often whoever it is logs in.
      #expect(try await identity.published(LoginAlertRaised.self).map(\.level) == [.suspicious])
      let token = try await Self.token(identity)
      let answer = try await identity.ask(AnswerLoginAlertByLink.self, .init(token: token, answer: .close))
      #expect(answer.closedCount == 2 && answer.isPasswordChangeAdvised && answer.answer == .close)
      #expect(try await Self.isDead(identity, stranger))
      #expect(try await Self.isDead(identity, again))
      #expect(try await !Self.isDead(identity, usual))
      #expect(try await identity.published(SessionRevoked.self).allSatisfy { $0.reason == .closedByOwner })
      #expect(try await identity.published(PersonalAccessTokenRevoked.self).count == 1)
      let raised = try #require(try await identity.published(LoginAlertRaised.self).first)
      #expect(try await identity.published(AccessWithdrawn.self).map(\.since) == [raised.at])
      #expect(try await identity.securityEvents().suffix(1) == ["loginDisowned"])
      // What was closed is still unknown.
      _ = try await Self.strangeLogin(identity, from: Self.barcelona)
      #expect(try await identity.published(LoginAlertRaised.self).count == 2)
    }
  }

  @Test("'It was me' keeps the session, and makes device and place known (S 6, scenario 4)")
  func confirm() async throws {
    try await Self.run { identity, _ in
      let mine = try await Self.strangeLogin(identity, from: Self.barcelona)
      let answer = try await identity.ask(
        AnswerLoginAlertByLink.self, .init(token: try await Self.token(identity), answer: .confirm))
      #expect(answer.closedCount == 0 && !answer.isPasswordChangeAdvised)
      #expect(try await !Self.isDead(identity, mine))
      _ = try await Self.strangeLogin(identity, from: Self.barcelona)
      #expect(try await identity.published(LoginAlertRaised.self).count == 1)
    }
  }

  @Test("The links of a login alert work once, for a week, and for it only; refused ones are recorded")
  func links() async throws {
    try await Self.run { identity, _ in
      _ = try await Self.strangeLogin(identity, from: Self.barcelona)
      let token = try await Self.token(identity)
      func refusal(_ token: String) async throws -> String {
        try await failure { try await identity.ask(AnswerLoginAlertByLink.self, .init(token: token, answer: .close)) }.code
      }
      let other = token.hasSuffix("A") ? "B" : "A"
      for damaged in [String(token.dropLast()) + other, "AAAA", String(repeating: "A", count: 64)] {
        #expect(try await refusal(damaged) == "login_alert_link_invalid")
      }
      #expect(try await identity.securityEvents().filter { $0 == "loginAlertRefused" }.count == 3)
      _ = try await identity.ask(AnswerLoginAlertByLink.self, .init(token: token, answer: .confirm))
      #expect(try await refusal(token) == "login_alert_answered")
      let gone = try await failure { try await Self.token(identity) }
      #expect(gone.code == "not_found")

      _ = try await identity.logIn(from: Self.tokyo)
      let late = try await Self.token(identity)
      identity.time.advance(seconds: 7 * 86_400)
      #expect(try await refusal(late) == "login_alert_expired")
    }
  }

  @Test("No token for another purpose answers a login alert, and the store contains none")
  func purposes() async throws {
    try await Self.run { identity, _ in
      _ = try await Self.strangeLogin(identity, from: Self.barcelona)
      let token = try await Self.token(identity)
      let refused = try await failure { try await identity.ask(VerifyAccount.self, .init(token: token)) }
      #expect(refused.code == "verification_link_invalid")
      let mailed = try await identity.mailedToken()
      #expect(
        try await failure { try await identity.ask(AnswerLoginAlertByLink.self, .init(token: mailed, answer: .confirm)) }.code
          == "login_alert_link_invalid")
      let stores = try FileManager.default.contentsOfDirectory(atPath: identity.home.stores)
      for file in stores {
        let bytes = try #require(FileManager.default.contents(atPath: "\(identity.home.stores)/\(file)"))
        #expect(bytes.range(of: Data(token.utf8)) == nil)
      }
    }
  }

  @Test("A login alert can be answered in the app, but not in the session that it is about")
  func app() async throws {
    try await Self.run { identity, usual in
      let stranger = try await Self.strangeLogin(identity, from: Self.barcelona)
      let second = try await Self.strangeLogin(identity, from: Self.barcelona)
      let listed = try await identity.ask(ListLoginAlerts.self, .init(), by: .signedIn(usual)).items
      let alert = try #require(listed.first)
      #expect(listed.count == 1 && alert.reasons == [.newDevice, .newPlace] && alert.place.city == "Barcelona")
      func answer(_ answer: LoginAlertAnswer, by signedIn: SignedIn) async throws -> AnswerLoginAlert.Output {
        try await identity.ask(AnswerLoginAlert.self, .init(alertID: alert.id, answer: answer), by: .signedIn(signedIn))
      }
      for session in [stranger, second] {
        #expect(try await failure { try await answer(.confirm, by: session) }.code == "login_alert_own_session")
      }
      #expect(try await answer(.close, by: usual).closedCount == 2)
      #expect(try await failure { try await answer(.confirm, by: usual) }.code == "login_alert_answered")
      try await identity.register("bea")
      let bea = try await identity.logIn("bea")
      #expect(try await failure { try await answer(.close, by: bea) }.code == "not_found")
    }
  }

  @Test(
    "A high-risk login revokes everything, requires a new login, and is refused even with the right password (S 4, scenario 3)"
  )
  func high() async throws {
    try await Self.run { identity, usual in
      let script = try await identity.ask(
        CreatePersonalAccessToken.self, .init(name: .init(text: "script"), scopes: [.activityRead]), by: .signedIn(usual))
      let refused = try await failure { try await Self.strangeLogin(identity, from: Self.tokyo) }
      #expect(refused.code == "login_unconfirmed" && refused.status == 403)
      #expect(try await identity.published(SessionRevoked.self).map(\.reason) == [.suspiciousActivity])
      #expect(try await identity.published(PersonalAccessTokenRevoked.self).map(\.tokenID) == [script.token.id])
      #expect(try await identity.published(AccessWithdrawn.self).map(\.since) == [nil])
      #expect(try await Self.isDead(identity, usual))
      #expect(
        try await failure { try await identity.ask(RefreshSession.self, .init(refreshToken: usual.refreshToken)) }.code
          == "refresh_token_invalid")
      let published = try #require(try await identity.published(LoginAlertRaised.self).last)
      #expect(published.level == .high && published.place == "Tokyo, Japan")
      #expect(try await identity.securityEvents().contains("loginRefused"))
      #expect(
        try await identity.count("SELECT COUNT(*) FROM incidents WHERE pattern = 'riskyLogin' AND severity = 'critical'") == 1)

      // The owner gets in where the account is known; whoever has the password keeps nobody out by trying on.
      let owner = try await identity.logIn(from: Self.madrid)
      for _ in 0..<3 {
        #expect(try await failure { try await Self.strangeLogin(identity, from: Self.tokyo) }.code == "login_unconfirmed")
      }
      #expect(try await !Self.isDead(identity, owner))
      #expect(try await identity.published(LoginAlertRaised.self).count == 1)
    }
  }

  @Test("An owner whose login was refused confirms it by mail and can log in")
  func confirmed() async throws {
    try await Self.run { identity, _ in
      _ = try await failure { try await Self.strangeLogin(identity, from: Self.tokyo) }
      _ = try await identity.ask(AnswerLoginAlertByLink.self, .init(token: try await Self.token(identity), answer: .confirm))
      _ = try await Self.strangeLogin(identity, from: Self.tokyo)
    }
  }

  @Test("Recovery works while logins are refused, and the owner can then log in from anywhere")
  func recovered() async throws {
    try await Self.run { identity, _ in
      _ = try await failure { try await Self.strangeLogin(identity, from: Self.tokyo) }
      try await identity.askToRecover(from: Self.tokyo)
      try await identity.recover(try await identity.recoveryToken())
      _ = try await Self.strangeLogin(identity, from: Self.tokyo, password: RunningIdentity.otherPassword)
      #expect(try await identity.published(LoginAlertRaised.self).map(\.level) == [.high, .suspicious])
    }
  }

  @Test("A late subscriber learns of open login alerts")
  func snapshot() async throws {
    try await Self.run { identity, _ in
      _ = try await Self.strangeLogin(identity, from: Self.barcelona)
      let published = try await identity.published(LoginAlertRaised.self)
      var (key, events): (String?, [LoginAlertRaised]) = (nil, [])
      repeat {
        let page = try await identity.store.log.snapshot(after: key)
        events += try page.events.filter { $0.name == LoginAlertRaised.spec.name }.map { try LoginAlertRaised.decode($0.body) }
        key = page.nextKey
      } while key != nil
      #expect(events == published)
    }
  }

  @Test("Known devices and places are limited, and the latest are kept")
  func bounds() async throws {
    try await Self.run { identity, _ in
      for number in 0..<40 {
        identity.time.advance(seconds: 7200)
        let caller = Caller(
          kind: .anonymous, address: Self.madrid, userAgent: "App\(UnicodeScalar(UInt8(65 + number % 26)))\(number)/1")
        _ = try await identity.ask(LogIn.self, .init(login: "ana", password: RunningIdentity.password), by: caller)
      }
      #expect(try await identity.count("SELECT COUNT(*) FROM known_devices") == LoginHistoryStore.maxKnown)
      #expect(try await identity.count("SELECT COUNT(*) FROM known_places") == 1)
    }
  }

  @Test("However often somebody logs in from further devices, an account has only so many alerts of a day; none is lost")
  func flood() async throws {
    try await Self.run { identity, _ in
      var codes: [String] = []
      for number in 0..<40 {
        let caller = Caller(kind: .anonymous, address: Self.madrid, userAgent: "Test/1")
        let device = try DeviceName(text: "dev\(number)")
        do {
          let begun = try await identity.ask(
            LogIn.self, .init(login: "ana", password: RunningIdentity.password, device: device), by: caller)
          codes.append(try TokenTests.payload(of: begun.accessToken).dbt == true ? "in doubt" : "in")
        } catch let failure as Failure { codes.append(failure.code) }
      }
      let (notices, questions) = (LoginAlertRules.maxNoticesPerDay, LoginAlertRules.maxPerDay)
      #expect(
        codes == Array(repeating: "in", count: notices) + Array(repeating: "in doubt", count: questions)
          + Array(repeating: "login_unasked", count: 40 - notices - questions))
      #expect(
        try await identity.published(LoginAlertRaised.self).map(\.level)
          == Array(repeating: .notice, count: notices) + Array(repeating: .suspicious, count: questions))
      #expect(try await identity.count("SELECT COUNT(*) FROM login_alerts WHERE answered_at IS NULL") == notices + questions)
      // Where the account is known, its owner gets in.
      #expect(try TokenTests.payload(of: try await identity.logIn(from: Self.madrid).accessToken).dbt == nil)
      // The first of them can be answered still, and ends all that began since.
      let first = try #require(try await identity.published(LoginAlertRaised.self).first).alertID
      let link = try await identity.askAsNotifications(GetLoginAlertSecret.self, .init(alertID: first)).token
      let answer = try await identity.ask(AnswerLoginAlertByLink.self, .init(token: link, answer: .close))
      #expect(answer.closedCount == 1 + questions)
    }
  }

  @Test("Logins by the password use up neither the alerts of those by a provider, which have as many, nor a new password's")
  func budgets() async throws {
    try await Self.run { identity, usual in
      let caller = Caller(kind: .anonymous, address: Self.madrid, userAgent: "Test/1")
      func logIn(_ device: String, _ password: String = RunningIdentity.password) async throws -> SignedIn {
        try await identity.ask(
          LogIn.self, .init(login: "ana", password: password, device: try DeviceName(text: device)), by: caller)
      }
      let watch = LoginWatch(PlaceDatabase(Settings(PlaceDatabaseTests.settings)), try await IdentityKeys(identity.home))
      func logInByProvider(_ device: String) async throws -> String {
        let begun = try await identity.store.write { transaction in
          guard let account = try AccountStore.find(usual.account.id, in: transaction.database) else {
            throw Failure(RequestFailure.notFound)
          }
          return try WatchedLogin.begin(account, device: try DeviceName(text: device), failures: 0, caller, watch, transaction)
        }
        switch begun {
        case .success(let given): return given.isInDoubt ? "in doubt" : "in"
        case .failure(let failure): return failure.code
        }
      }
      let (notices, questions) = (LoginAlertRules.maxNoticesPerDay, LoginAlertRules.maxPerDay)
      for number in 0..<notices + questions { _ = try await logIn("dev\(number)") }
      #expect(try await failure { try await logIn("further") }.code == "login_unasked")
      var codes: [String] = []
      for number in 0...notices + questions { codes.append(try await logInByProvider("own\(number)")) }
      #expect(
        codes == Array(repeating: "in", count: notices) + Array(repeating: "in doubt", count: questions) + ["login_unasked"])
      #expect(try await identity.count("SELECT COUNT(*) FROM login_alerts") == 2 * (notices + questions))

      // As after any notices of a former password.
      try await identity.askToRecover()
      try await identity.recover(try await identity.recoveryToken())
      identity.time.advance(seconds: 60)
      #expect(try TokenTests.payload(of: try await logIn("new", RunningIdentity.otherPassword).accessToken).dbt == nil)
      #expect(try await identity.published(LoginAlertRaised.self).last?.level == .notice)
      #expect(try await logInByProvider("newer") == "in")

      // But not after any number of them.
      let (account, former) = (usual.account.id, identity.time.now.adding(seconds: -3600).milliseconds)
      try await identity.store.write { transaction in
        try transaction.database.execute(
          sql: """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(5 * notices))
            INSERT INTO login_alerts (alert_id, account_id, level, reasons, device_key, network, created_at, expires_at, needed_at)
            SELECT randomblob(16), ?1, 'notice', '', zeroblob(32), '', ?2, ?2 + 604800000, ?2 + 604800000 FROM n
            """, arguments: [account, former])
      }
      #expect(try TokenTests.payload(of: try await logIn("newest", RunningIdentity.otherPassword).accessToken).dbt != nil)
    }
  }

  /// What it takes to assess a login of an account that had so many notices before.
  private func steps(notices count: Int) async throws -> Int {
    try await RunningIdentity.run { identity in
      let account = try await identity.register().id
      _ = try await identity.logIn()
      let now = identity.time.now
      let then = now.adding(seconds: -2 * 86_400).milliseconds
      try await identity.store.write { transaction in
        try transaction.database.execute(
          sql: """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO login_alerts (alert_id, account_id, level, reasons, device_key, network, created_at, expires_at, needed_at)
            SELECT randomblob(16), (SELECT account_id FROM accounts), 'notice', '', zeroblob(32), '', \(then),
              \(then) + 604800000, \(then) + 604800000 FROM n
            """)
      }
      let watch = LoginWatch(PlaceDatabase(Settings([:])), try await IdentityKeys(identity.home))
      let origin = watch.origin(account, device: "dev", userAgent: "Other/1", address: Self.madrid)
      return try await identity.store.effort { database in
        _ = try LoginHistoryStore.facts(of: account, origin, failures: 0, isByPassword: true, now: now, in: database)
        _ = try LoginAlertStore.findWaiting(of: account, .suspicious, origin, now: now, in: database)
        _ = try LoginAlertStore.dailyCount(account, isByPassword: true, now: now, in: database)
      }.steps
    }
  }

  @Test("A login is assessed as quickly, however many notices its account has had before")
  func effort() async throws {
    let (few, many) = (try await steps(notices: 10), try await steps(notices: 5000))
    #expect(many <= few + 5, "\(few), \(many)")
  }
}
