import IdentityContract
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@testable import IdentityService

@Suite("A session in doubt after a suspicious, unanswered login (ID-7; S 6, scenario 4)")
struct DoubtTests {
  /// What such a session may call although it changes something: to leave, to send the account's own link again, and to say that a login was
  /// not the owner's. To close another session is refused by its handler.
  private static let allowed: Set = ["sessions.delete", "sessions.close", "loginAlerts.answer", "accounts.resendVerification"]

  /// An operation with an input that reads well but names nothing.
  private static func code<O: Operations.Operation>(_ operation: O.Type, _ identity: RunningIdentity, by caller: Caller) async
    -> String
  {
    do { _ = try await identity.ask(operation, json: "{}", by: caller) } catch { return Failure(error).code }
    return ""
  }

  /// Ana's session in doubt.
  static func doubtful(_ identity: RunningIdentity) async throws -> SignedIn {
    _ = try await identity.logIn(from: "192.0.2.1")
    identity.time.advance(seconds: 3600)
    let caller = Caller(
      kind: .anonymous, address: "198.51.100.1",
      userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0")
    return try await identity.ask(LogIn.self, .init(login: "ana", password: RunningIdentity.password), by: caller)
  }

  @Test(
    "A session in doubt can call no operation that changes the account or administers, of all that there are"
  )
  func everyOperation() async throws {
    try await RunningIdentity.run(settings: PlaceDatabaseTests.settings) { identity in
      _ = try await identity.administrator("ana", from: "192.0.2.1")
      let caller = Caller.signedIn(try await Self.doubtful(identity))
      var refused = 0
      for operation in Contract.identity.operations where operation.spec.route != nil {
        let spec = operation.spec
        let mustBeRefused =
          switch spec.caller {
          case .administrator: true
          case .account, .verifiedAccount, .partnerOwner, .partnerClerk: spec.effect != .read && !Self.allowed.contains(spec.name)
          case .anyone, .services: false
          }
        let code = await Self.code(operation, identity, by: caller)
        #expect((code == "login_alert_unanswered") == mustBeRefused, "\(spec.name): \(code)")
        if mustBeRefused { refused += 1 }
      }
      #expect(refused > 20)
    }
  }

  @Test(
    "A session in doubt has a token that says so and cannot administer, until its owner confirms the login"
  )
  func token() async throws {
    try await RunningIdentity.run(settings: PlaceDatabaseTests.settings) { identity in
      _ = try await identity.administrator("ana", from: "192.0.2.1")
      let doubtful = try await Self.doubtful(identity)
      let before = try TokenTests.payload(of: doubtful.accessToken)
      #expect(!before.adm && before.dbt == true && before.gen == 0)
      #expect(
        try await failure { try await identity.ask(ListIncidents.self, .init(), by: .signedIn(doubtful)) }.code
          == "login_alert_unanswered")
      let alert = try #require(try await identity.published(LoginAlertRaised.self).last).alertID
      let link = try await identity.askAsNotifications(GetLoginAlertSecret.self, .init(alertID: alert)).token
      _ = try await identity.ask(AnswerLoginAlertByLink.self, .init(token: link, answer: .confirm))
      let published = try #require(try await identity.published(AccessTokensInvalidated.self).last)
      #expect(published.sessionID == doubtful.session.id && published.generation == 1)
      let refreshed = try await identity.ask(RefreshSession.self, .init(refreshToken: doubtful.refreshToken))
      let after = try TokenTests.payload(of: refreshed.accessToken)
      #expect(after.adm && after.dbt == nil && after.gen == 1)
      _ = try await identity.ask(ListIncidents.self, .init(), by: .signedIn(doubtful))
    }
  }

  @Test(
    "A flood of unknown devices uses up the day's questions, and a changed password restores them (S 5, scenario 1)")
  func budget() async throws {
    try await RunningIdentity.run(settings: PlaceDatabaseTests.settings) { identity in
      try await identity.register()
      _ = try await identity.logIn(from: "192.0.2.1")
      identity.time.advance(seconds: 3600)
      func logIn(_ number: Int, _ password: String = RunningIdentity.password) async throws {
        let caller = Caller(kind: .anonymous, address: "203.0.113.5", userAgent: "Test/1")
        let device = try DeviceName(text: "dev\(number)")
        _ = try await identity.ask(LogIn.self, .init(login: "ana", password: password, device: device), by: caller)
      }
      var codes: [String] = []
      for number in 0..<12 { codes.append(try await failure { try await logIn(number) }.code) }
      // Whoever is referred to a mail has one.
      #expect(codes == Array(repeating: "login_unconfirmed", count: 10) + ["login_unasked", "login_unasked"])
      #expect(try await identity.published(LoginAlertRaised.self).count == 10)
      try await identity.askToRecover()
      try await identity.recover(try await identity.recoveryToken())
      identity.time.advance(seconds: 60)
      try await logIn(99, RunningIdentity.otherPassword)
      #expect(try await identity.published(LoginAlertRaised.self).map(\.level).last == .suspicious)
    }
  }
}
