import IdentityContract
import InProcess
import Operations
import Testing

@testable import IdentityService

@Suite("Validating a mailed link when it is opened (ID-2, ID-7, ID-8, ID-11, SOC-8; S 5, scenario 4)")
struct EmailLinkTests {
  private static func validate(_ identity: RunningIdentity, _ purpose: EmailLinkPurpose, _ token: String) async throws {
    _ = try await isDone(identity, purpose, token)
  }

  /// Whether it has done its work.
  private static func isDone(_ identity: RunningIdentity, _ purpose: EmailLinkPurpose, _ token: String) async throws -> Bool {
    try await identity.ask(ValidateEmailLink.self, .init(purpose: purpose, token: token)).isDone
  }

  /// What using the link ends in.
  private static func use(_ identity: RunningIdentity, _ purpose: EmailLinkPurpose, _ token: String) async throws {
    switch purpose {
    case .verification: _ = try await identity.ask(VerifyAccount.self, .init(token: token))
    case .recovery: try await identity.recover(token)
    case .emailChange: try await identity.follow(token)
    case .emailChangeUndo: try await identity.undo(token)
    case .loginAlert: _ = try await identity.ask(AnswerLoginAlertByLink.self, .init(token: token, answer: .confirm))
    case .suspension: _ = try await identity.ask(DeleteSuspendedAccount.self, .init(token: token))
    }
  }

  /// Has such a link mailed to Ana.
  private static func token(_ identity: RunningIdentity, _ purpose: EmailLinkPurpose) async throws -> String {
    switch purpose {
    case .verification: return try await identity.mailedToken()
    case .recovery:
      try await identity.askToRecover()
      return try await identity.recoveryToken()
    case .emailChange:
      try await identity.askToChange(try await identity.logIn())
      return try await identity.emailChangeMail().token
    case .emailChangeUndo:
      try await identity.askToChange(try await identity.logIn())
      return try await identity.emailChangeNotice().token
    case .loginAlert:
      _ = try await DoubtTests.doubtful(identity)
      let alert = try #require(try await identity.published(LoginAlertRaised.self).last).alertID
      return try await identity.askAsNotifications(GetLoginAlertSecret.self, .init(alertID: alert)).token
    case .suspension: return try await identity.suspensionToken(of: try await identity.logIn().account.id)
    }
  }

  private static func run(_ body: (RunningIdentity) async throws -> Void) async throws {
    try await RunningIdentity.run(settings: PlaceDatabaseTests.settings) { identity in
      try await identity.register()
      try await body(identity)
    }
  }

  @Test("Validating a mailed link does not use it up, however often", arguments: EmailLinkPurpose.allCases)
  func works(purpose: EmailLinkPurpose) async throws {
    try await Self.run { identity in
      let token = try await Self.token(identity, purpose)
      let recorded = try await identity.securityEvents().count
      for _ in 0..<3 { #expect(try await !Self.isDone(identity, purpose, token)) }
      #expect(try await identity.securityEvents().count == recorded)
      try await Self.use(identity, purpose, token)
    }
  }

  @Test(
    "A used, expired or unknown mailed link is reported and recorded as by its form",
    arguments: [
      (EmailLinkPurpose.verification, nil, "verification_link_expired", "verification_link_invalid"),
      (.recovery, "recovery_link_used", "recovery_link_expired", "recovery_link_invalid"),
      (.emailChange, "email_change_link_used", "email_change_link_expired", "email_change_link_invalid"),
      (.emailChangeUndo, "email_change_undone", "email_change_undone", "email_change_undo_link_invalid"),
      (.loginAlert, "login_alert_answered", "login_alert_answered", "login_alert_link_invalid"),
      // The account is gone.
      (.suspension, "suspension_link_invalid", "suspension_link_invalid", "suspension_link_invalid"),
    ] as [(EmailLinkPurpose, String?, String, String)])
  func refused(purpose: EmailLinkPurpose, used: String?, late: String, never: String) async throws {
    try await Self.run { identity in
      let token = try await Self.token(identity, purpose)
      try await Self.use(identity, purpose, token)
      func expect(_ code: String?, _ token: String) async throws {
        // One that verified may be used again, and says that there is nothing to do.
        guard let code else {
          #expect(try await Self.isDone(identity, purpose, token))
          return
        }
        let validated = try await failure { try await Self.validate(identity, purpose, token) }
        let event = try await identity.lastSecurityEvent()
        let done = try await failure { try await Self.use(identity, purpose, token) }
        #expect(validated == done && validated.code == code)
        #expect(try await identity.lastSecurityEvent() == event)
        #expect(event.hasSuffix(": \(code)"))
      }
      try await expect(used, token)
      identity.time.advance(seconds: 8 * 86_400)
      try await expect(late, token)
      try await expect(never, "guess")
    }
  }

  @Test("A mailed link is refused for any other purpose", arguments: EmailLinkPurpose.allCases)
  func otherPurpose(purpose: EmailLinkPurpose) async throws {
    try await Self.run { identity in
      let token = try await Self.token(identity, purpose)
      for other in EmailLinkPurpose.allCases where other != purpose {
        #expect(try await failure { try await Self.validate(identity, other, token) }.status == 404, "\(other)")
      }
    }
  }

  @Test(
    "Validating mailed links counts as guessing: ten guesses are an incident, together with those in forms",
    arguments: EmailLinkPurpose.allCases
  )
  func guesses(purpose: EmailLinkPurpose) async throws {
    try await Self.run { identity in
      let administrator = try await identity.administrator()
      for number in 0..<10 {
        #expect(try await identity.incidents(by: administrator, pattern: .linksGuessed).isEmpty)
        _ = try await failure {
          number % 2 == 0
            ? try await Self.validate(identity, purpose, "guess") : try await Self.use(identity, purpose, "guess")
        }
      }
      #expect(try await identity.incidents(by: administrator, pattern: .linksGuessed).map(\.count) == [10])
    }
  }
}
