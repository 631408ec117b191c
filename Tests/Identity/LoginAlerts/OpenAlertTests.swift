import IdentityContract
import InProcess
import Logging
import Operations
import ServiceKit
import Storage
import Testing

@testable import IdentityService

@Suite("Logging in again while an alert is open, with the password alone (ID-7)")
struct OpenAlertTests {
  private static let (home, there, elsewhere) = ("192.0.2.1", "198.51.100.7", "203.0.113.7")

  /// Runs identity without places, and Ana, who administers and whose phone is known; her first session is the one that is handed on.
  private static func run(_ body: (RunningIdentity, _ owner: SignedIn) async throws -> Void) async throws {
    try await RunningIdentity.run { identity in
      let owner = try await identity.administrator("ana", from: home)
      _ = try await identity.logIn()
      identity.time.advance(seconds: 3600)
      try await body(identity, owner)
    }
  }

  /// Somebody who knows the password, and says of the device what they like.
  private static func logIn(
    _ identity: RunningIdentity, _ password: String = RunningIdentity.password, device: String? = nil, agent: String = "evil/9",
    from address: String
  ) async throws -> SignedIn {
    let caller = Caller(kind: .anonymous, address: address, userAgent: agent)
    let device = try device.map { try DeviceName(text: $0) }
    return try await identity.ask(LogIn.self, .init(login: "ana", password: password, device: device), by: caller)
  }

  /// The password after guessing: a login that is in doubt by itself.
  private static func guess(_ identity: RunningIdentity, from address: String = there) async throws -> SignedIn {
    for _ in 0..<3 { _ = try await failure { try await logIn(identity, "Wrong-1-wrong", from: address) } }
    return try await logIn(identity, from: address)
  }

  private static func isInDoubt(_ signedIn: SignedIn) throws -> Bool {
    try TokenTests.payload(of: signedIn.accessToken).dbt == true
  }

  private static func isOver(_ identity: RunningIdentity, _ signedIn: SignedIn) async throws -> Bool {
    try await identity.published(SessionRevoked.self).map(\.sessionID).contains(signedIn.session.id)
  }

  private static func alerts(_ identity: RunningIdentity) async throws -> [LoginAlertRaised] {
    try await identity.published(LoginAlertRaised.self)
  }

  private static func answer(
    _ identity: RunningIdentity, _ answer: LoginAlertAnswer, _ alert: LoginAlertID, by signedIn: SignedIn
  ) async throws -> AnswerLoginAlert.Output {
    try await identity.ask(AnswerLoginAlert.self, .init(alertID: alert, answer: answer), by: .signedIn(signedIn))
  }

  private static func answer(_ identity: RunningIdentity, byLink answer: LoginAlertAnswer, _ alert: LoginAlertID) async throws {
    let token = try await identity.askAsNotifications(GetLoginAlertSecret.self, .init(alertID: alert)).token
    _ = try await identity.ask(AnswerLoginAlertByLink.self, .init(token: token, answer: answer))
  }

  @Test(
    "Repeating an unanswered login is as doubtful, makes nothing known, clears no failures, and asks the owner once"
  )
  func again() async throws {
    try await Self.run { identity, _ in
      #expect(try Self.isInDoubt(try await Self.guess(identity)))
      let tokens = try await identity.count("SELECT COUNT(*) FROM device_tokens")
      for _ in 0..<3 {
        let again = try await Self.logIn(identity, from: Self.there)
        #expect(try Self.isInDoubt(again) && again.deviceToken == nil)
        let answer = try await identity.askAsNotifications(CheckSessions.self, .init(sessionIDs: [again.session.id]))
        #expect(answer.states == [.inDoubt])
        #expect(try !TokenTests.payload(of: again.accessToken).adm)
      }
      #expect(try await Self.alerts(identity).map(\.level) == [.suspicious])
      #expect(try await identity.count("SELECT COUNT(*) FROM known_devices") == 1)
      #expect(try await identity.count("SELECT COUNT(*) FROM known_places") == 1)
      #expect(try await identity.count("SELECT COUNT(*) FROM device_tokens") == tokens)
      #expect(try await identity.count("SELECT SUM(failures) FROM login_failures") == 6)
    }
  }

  @Test("The owner's own login meanwhile is trusted and clears failures, without helping an intruder")
  func meanwhile() async throws {
    try await Self.run { identity, _ in
      _ = try await Self.guess(identity)
      let owner = try await identity.logIn()
      #expect(try !Self.isInDoubt(owner) && owner.deviceToken != nil)
      #expect(try TokenTests.payload(of: owner.accessToken).adm)
      #expect(try await identity.count("SELECT COUNT(*) FROM login_failures") == 0)
      #expect(try Self.isInDoubt(try await Self.logIn(identity, from: Self.there)))
      #expect(try Self.isInDoubt(try await Self.logIn(identity, from: Self.elsewhere)))
      #expect(try Self.isInDoubt(try await Self.logIn(identity, agent: "Other/1", from: Self.home)))
    }
  }

  @Test(
    "Imitating the owner's device from another network does not help an intruder: the owner is asked about it, too"
  )
  func imitated() async throws {
    try await Self.run { identity, owner in
      _ = try await Self.guess(identity)
      let imitation = try await Self.logIn(identity, device: "Ana's phone", agent: "Test/1", from: Self.elsewhere)
      #expect(try Self.isInDoubt(imitation))
      #expect(try await Self.alerts(identity).map(\.level) == [.suspicious, .suspicious])
      let asked = try #require(try await Self.alerts(identity).last).alertID
      let listed = try await identity.ask(ListLoginAlerts.self, .init(), by: .signedIn(owner)).items
      #expect(listed.first { $0.id == asked }?.reasons == [.newPlace, .failuresBefore, .earlierAlert])
      // Had it been her phone, she would say so, and it would be known there, too.
      try await Self.answer(identity, byLink: .confirm, asked)
      #expect(try !Self.isInDoubt(try await Self.logIn(identity, device: "Ana's phone", agent: "Test/1", from: Self.elsewhere)))
      #expect(try Self.isInDoubt(try await Self.logIn(identity, from: Self.there)))
    }
  }

  @Test("'Close it' ends every later session in doubt; new ones are in doubt until the password is changed")
  func close() async throws {
    try await Self.run { identity, owner in
      let first = try await Self.guess(identity)
      identity.time.advance(seconds: 60)
      let second = try await Self.logIn(identity, from: Self.elsewhere)
      let alerts = try await Self.alerts(identity)
      #expect(alerts.count == 2)
      #expect(try await Self.answer(identity, .close, alerts[0].alertID, by: owner).closedCount == 2)
      #expect(try await Self.isOver(identity, first))
      #expect(try await Self.isOver(identity, second))
      #expect(try await !Self.isOver(identity, owner))
      _ = try await identity.logIn()
      for address in [Self.there, Self.elsewhere] { #expect(try Self.isInDoubt(try await Self.logIn(identity, from: address))) }
      let (old, new) = (
        FormField<Password>(text: RunningIdentity.password), FormField<Password>(text: RunningIdentity.otherPassword)
      )
      identity.time.advance(seconds: 60)
      _ = try await identity.ask(
        ChangePassword.self, .init(currentPassword: old, password: new, passwordConfirmation: new), by: .signedIn(owner))
      // As any new device is.
      #expect(try !Self.isInDoubt(try await Self.logIn(identity, RunningIdentity.otherPassword, from: Self.there)))
      #expect(try await Self.alerts(identity).last?.level == .notice)
    }
  }

  @Test("A disowned login is remembered until the password is changed, however long that takes")
  func remembered() async throws {
    try await Self.run { identity, owner in
      _ = try await Self.guess(identity)
      try await Self.answer(identity, byLink: .close, try #require(try await Self.alerts(identity).first).alertID)
      let housekeeping = try await identity.housekeeping()
      identity.time.advance(seconds: 100 * 86_400)
      try await housekeeping.sweep()
      #expect(try Self.isInDoubt(try await Self.logIn(identity, from: Self.there)))
      try await identity.askToRecover()
      try await identity.recover(try await identity.recoveryToken())
      identity.time.advance(seconds: 100 * 86_400)
      try await housekeeping.sweep()
      #expect(try await identity.count("SELECT COUNT(*) FROM login_alerts") == 0)
    }
  }

  @Test("A login without the password from an unknown origin, after an unanswered one, cannot confirm a login")
  func answers() async throws {
    try await Self.run { identity, owner in
      _ = try await Self.guess(identity)
      let alert = try #require(try await Self.alerts(identity).first).alertID
      identity.time.advance(seconds: 60)
      func begin(_ address: String) async throws -> SignedIn {
        let origin = Caller(kind: .anonymous, address: address, userAgent: "Test/1")
        let begun = try await identity.store.write { transaction in
          guard let account = try AccountStore.find(owner.account.id, in: transaction.database) else {
            throw Failure(RequestFailure.notFound)
          }
          return try SessionStore.begin(of: account, device: try DeviceName(text: "Ana's phone"), origin, transaction).session.id
        }
        var signedIn = owner
        signedIn.session.id = begun
        return signedIn
      }
      let stranger = try await begin(Self.elsewhere)
      #expect(
        try await failure { try await Self.answer(identity, .confirm, alert, by: stranger) }.code == "login_alert_own_session")
      _ = try await Self.answer(identity, .confirm, alert, by: try await begin(Self.home))
    }
  }

  @Test("A session in doubt sees only its own session and login, not what is trusted")
  func lists() async throws {
    try await Self.run { identity, owner in
      _ = try await Self.logIn(identity, agent: "phone/1", from: Self.home)
      let doubtful = try await Self.guess(identity)
      let sessions = try await identity.ask(ListSessions.self, .init(), by: .signedIn(doubtful)).items
      #expect(sessions.map(\.id) == [doubtful.session.id] && sessions.allSatisfy(\.isCurrent))
      let alerts = try await identity.ask(ListLoginAlerts.self, .init(), by: .signedIn(doubtful)).items
      #expect(alerts.map(\.level) == [.suspicious])
      #expect(try await identity.ask(ListSessions.self, .init(), by: .signedIn(owner)).items.count == 4)
      #expect(try await identity.ask(ListLoginAlerts.self, .init(), by: .signedIn(owner)).items.count == 2)
    }
  }

  @Test("A session in doubt can disown only its own login, without affecting other sessions")
  func disowning() async throws {
    try await Self.run { identity, owner in
      let phone = try await Self.logIn(identity, agent: "phone/1", from: Self.home)
      let noticed = try #require(try await Self.alerts(identity).last).alertID
      let doubtful = try await Self.guess(identity)
      let own = try #require(try await Self.alerts(identity).last).alertID
      identity.time.advance(seconds: 60)
      _ = try await identity.ask(
        CreatePersonalAccessToken.self, .init(name: .init(text: "ci"), scopes: [.activityRead]), by: .signedIn(owner))
      let other = try await Self.logIn(identity, from: Self.elsewhere)
      #expect(
        try await failure { try await Self.answer(identity, .close, noticed, by: doubtful) }.code == "login_alert_unanswered")
      #expect(try await failure { try await Self.answer(identity, .close, own, by: other) }.code == "login_alert_unanswered")
      #expect(try await Self.answer(identity, .close, own, by: doubtful).closedCount == 1)
      #expect(try await Self.isOver(identity, doubtful))
      for session in [phone, other, owner] { #expect(try await !Self.isOver(identity, session)) }
      #expect(try await identity.published(PersonalAccessTokenRevoked.self).isEmpty)
      #expect(try await identity.published(AccessWithdrawn.self).isEmpty)
      #expect(try Self.isInDoubt(try await Self.logIn(identity, from: Self.there)))
    }
  }
}
