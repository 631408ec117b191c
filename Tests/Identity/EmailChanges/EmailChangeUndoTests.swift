import IdentityContract
import InProcess
import Operations
import Storage
import Testing

@testable import IdentityService

@Suite("Undoing a change of the e-mail address (ID-11)")
struct EmailChangeUndoTests {
  private static let now = Instant(milliseconds: 1_800_000_000_000)

  /// When things happened, in seconds before now, and what the link leads to.
  struct Case: Sendable {
    var expired = false
    var replaced = false
    var usedAgo: Int?
    var undone = false
    let result: Result<EmailChangeUndoRules.Step, EmailChangeUndoFailure>
  }

  @Test(
    "A change of address can be undone while it is pending or within 72 hours",
    arguments: [
      Case(result: .success(.cancel)),
      Case(expired: true, result: .failure(.over)),
      Case(replaced: true, result: .failure(.over)),
      Case(undone: true, result: .failure(.undone)),
      Case(usedAgo: 0, result: .success(.undo)),
      Case(expired: true, usedAgo: 72 * 3600 - 1, result: .success(.undo)),
      Case(expired: true, usedAgo: 72 * 3600, result: .failure(.linkExpired)),
      Case(usedAgo: 5, undone: true, result: .failure(.undone)),
    ])
  func rule(example: Case) {
    let link = OpenedLink(
      expiresAt: Self.now.adding(seconds: example.expired ? 0 : 1),
      usedAt: example.usedAgo.map { Self.now.adding(seconds: -$0) },
      replacedAt: example.replaced ? Self.now : nil)
    #expect(EmailChangeUndoRules.validate(link, undoneAt: example.undone ? Self.now : nil, now: Self.now) == example.result)
  }

  @Test("The present address is notified of a requested change, and its link cancels it, once")
  func cancel() async throws {
    try await RunningIdentity.run { identity in
      let account = try await identity.register()
      let ana = try await identity.logIn()
      try await identity.askToChange(ana)
      let (mail, notice) = (try await identity.emailChangeMail(), try await identity.emailChangeNotice())
      #expect(notice.email == account.email && notice.expiresAt == identity.time.now.adding(seconds: 86_400))
      let undone = try await identity.undo(notice.token)
      #expect(undone == .init(username: account.username, email: account.email, wasCompleted: false))
      #expect(try await failure { try await identity.follow(mail.token) }.code == "email_change_cancelled")
      #expect(try await failure { try await identity.undo(notice.token) }.code == "email_change_undone")
      // Nothing was changed, so nothing ends.
      #expect(try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(ana)) == account)
      #expect(
        try await identity.securityEvents() == ["emailChangeRequested", "emailChangeCancelled", "emailChangeRefused"]
          + ["emailChangeUndoRefused"])
      // Nothing is left to be sent.
      #expect(try await failure { try await identity.emailChangeNotice() }.code == "not_found")
    }
  }

  @Test(
    "Within 72 hours the former address can undo its change, which ends sessions and tokens and invalidates the password"
  )
  func undo() async throws {
    try await RunningIdentity.run { identity in
      let account = try await identity.register()
      let thief = try await identity.logIn()
      _ = try await identity.ask(
        CreatePersonalAccessToken.self, .init(name: try PersonalAccessTokenName(text: "script"), scopes: [.activityRead]),
        by: .signedIn(thief))
      try await identity.askToChange(thief)
      let early = try await identity.emailChangeNotice()
      try await identity.follow(try await identity.emailChangeMail().token)
      identity.time.advance(seconds: 72 * 3600 - 1)
      let notice = try await identity.emailChangeNotice()
      // The notice from before it was made has the same link.
      #expect(notice.token == early.token && notice.email == account.email)
      let again = try await identity.logIn("new@example.com")
      let undone = try await identity.undo(notice.token)
      #expect(undone == .init(username: account.username, email: account.email, wasCompleted: true))
      #expect(
        try await failure { try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(again)) }.code == "session_revoked"
      )
      #expect(try await identity.published(SessionRevoked.self).last?.reason == .emailChangeUndone)
      #expect(try await identity.published(PersonalAccessTokenRevoked.self).count == 1)
      for login in ["new@example.com", "ana@example.com", "ana"] {
        #expect(try await failure { try await identity.logIn(login) }.code == "wrong_credentials")
      }
      #expect(try await failure { try await identity.undo(notice.token) }.code == "email_change_undone")
      #expect(
        try await identity.securityEvents().suffix(6) == ["emailChangeUndone", "passwordRecoveryRequested"]
          + ["loginFailed", "loginFailed", "loginFailed", "emailChangeUndoRefused"])
      // The link that was mailed to the former address at once is the way in.
      let recovery = try #require(try await identity.published(PasswordRecoveryRequested.self).last)
      let mail = try await identity.askAsNotifications(GetRecoverySecret.self, .init(recoveryID: recovery.recoveryID))
      #expect(mail.email == account.email)
      _ = try await identity.ask(
        CompletePasswordRecovery.self,
        .init(token: mail.token, password: FormField(text: "Lago-8-frío"), passwordConfirmation: FormField(text: "Lago-8-frío")))
      #expect(try await identity.logIn("ana@example.com", "Lago-8-frío").account.isVerified)
      #expect(try await failure { try await identity.logIn() }.code == "wrong_credentials")
    }
  }

  @Test(
    "After a change of address is undone, recovery links to the intruder's address or from before no longer work"
  )
  func recoveries() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let thief = try await identity.logIn()
      func recoveryMail(_ email: String) async throws -> String {
        _ = try await identity.ask(RequestPasswordRecovery.self, .init(email: FormField(text: email)))
        let asked = try #require(try await identity.published(PasswordRecoveryRequested.self).last)
        return try await identity.askAsNotifications(GetRecoverySecret.self, .init(recoveryID: asked.recoveryID)).token
      }
      let before = try await recoveryMail("ana@example.com")
      try await identity.askToChange(thief)
      let notice = try await identity.emailChangeNotice()
      try await identity.follow(try await identity.emailChangeMail().token)
      let thiefs = try await recoveryMail("new@example.com")
      try await identity.undo(notice.token)
      for (token, code) in [(thiefs, "recovery_link_invalid"), (before, "recovery_link_replaced")] {
        let refusal = try await failure {
          try await identity.ask(
            CompletePasswordRecovery.self,
            .init(token: token, password: FormField(text: "Lago-8-frío"), passwordConfirmation: FormField(text: "Lago-8-frío")))
        }
        #expect(refusal.code == code)
      }
    }
  }

  @Test("After 72 hours the former address does not undo its change")
  func late() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      try await identity.askToChange(try await identity.logIn())
      let notice = try await identity.emailChangeNotice()
      try await identity.follow(try await identity.emailChangeMail().token)
      identity.time.advance(seconds: 72 * 3600)
      #expect(try await failure { try await identity.undo(notice.token) }.code == "email_change_undo_link_expired")
      _ = try await identity.logIn("new@example.com")
    }
  }

  @Test("Another change of address, or a registration with the former one, does not keep it from its owner")
  func chain() async throws {
    try await RunningIdentity.run { identity in
      let account = try await identity.register()
      let thief = try await identity.logIn()
      try await identity.askToChange(thief, to: "one@example.com")
      let owners = try await identity.emailChangeNotice()
      try await identity.follow(try await identity.emailChangeMail().token)
      try await identity.askToChange(thief, to: "two@example.com")
      let thiefs = try await identity.emailChangeNotice()
      try await identity.follow(try await identity.emailChangeMail().token)
      try await identity.askToChange(thief, to: "three@example.com")
      let waiting = try await identity.emailChangeMail()

      let taken = try await failure {
        try await identity.ask(RegisterAccount.self, RunningIdentity.form("eva", email: "Ana@example.com"))
      }
      #expect(taken.fields.map(\.code) == ["email_taken"])
      try await identity.register("eva")
      try await identity.askToChange(try await identity.logIn("eva"), to: "ana@example.com")
      #expect(try await failure { try await identity.emailChangeMail() }.code == "not_found")

      #expect(try await identity.undo(owners.token).email == account.email)
      #expect(try await failure { try await identity.follow(waiting.token) }.code == "email_change_link_replaced")
      #expect(try await failure { try await identity.undo(thiefs.token) }.code == "email_change_undone")
      #expect(try await identity.count("SELECT COUNT(*) FROM accounts WHERE email = 'ana@example.com' AND has_password = 0") == 1)
    }
  }

  @Test("An invented token to undo a change of address, or one of another link, is refused and counts as a guess")
  func forged() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      try await identity.askToChange(try await identity.logIn())
      let (mail, notice) = (try await identity.emailChangeMail(), try await identity.emailChangeNotice())
      var forged = Array(notice.token)
      forged[40] = forged[40] == "A" ? "B" : "A"
      for token in [mail.token, String(forged), "x"] {
        #expect(try await failure { try await identity.undo(token) }.code == "email_change_undo_link_invalid")
      }
      #expect(try await failure { try await identity.follow(notice.token) }.code == "email_change_link_invalid")
      try await identity.follow(mail.token)
    }
  }
}
