import IdentityContract
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@testable import IdentityService

@Suite("Changing the password (ID-9; S 7)")
struct ChangePasswordTests {
  private func change(
    _ identity: RunningIdentity, _ signedIn: SignedIn, from current: String = RunningIdentity.password,
    to password: String = RunningIdentity.otherPassword, repetition: String? = nil, key: String? = nil
  ) async throws -> SignedIn {
    let input = ChangePassword.Input(
      currentPassword: FormField(text: current), password: FormField(text: password),
      passwordConfirmation: FormField(text: repetition ?? password))
    return try await identity.ask(ChangePassword.self, input, by: .signedIn(signedIn), key: key)
  }

  private func refreshed(_ identity: RunningIdentity, _ signedIn: SignedIn) async throws -> SignedIn {
    try await identity.ask(RefreshSession.self, .init(refreshToken: signedIn.refreshToken))
  }

  private func refusal(_ identity: RunningIdentity, _ signedIn: SignedIn, from current: String) async throws -> Failure {
    try await failure { try await change(identity, signedIn, from: current) }
  }

  private func fields(_ failure: Failure) -> [String] { failure.fields.map { "\($0.field) \($0.code)" } }

  @Test(
    "Changing the password gives this session new tokens, ends the others, and is reported (S 7, scenario 1)"
  )
  func success() async throws {
    try await RunningIdentity.run { identity in
      let account = try await identity.register()
      let (own, other) = (try await identity.logIn(), try await identity.logIn())
      identity.time.advance(seconds: 60)
      let changed = try await change(identity, own)
      #expect(changed.account == account && changed.session.id == own.session.id)
      #expect(changed.session.expiresAt == identity.time.now.adding(seconds: 30 * 86_400))
      #expect(changed.accessToken != own.accessToken && changed.refreshToken != own.refreshToken)

      #expect(try await failure { try await refreshed(identity, other) }.code == "refresh_token_invalid")
      #expect(try await refreshed(identity, changed).session.id == own.session.id)
      let revoked = try await identity.published(SessionRevoked.self)
      #expect(revoked.map(\.sessionID) == [other.session.id])
      #expect(revoked.map(\.reason) == [.passwordChanged])
      _ = try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(changed))
      #expect(try await identity.published(PasswordChanged.self).map(\.accountID) == [account.id])
      #expect(try await identity.securityEvents() == ["passwordChanged"])

      #expect(try await failure { try await identity.logIn() }.code == "wrong_credentials")
      _ = try await identity.logIn("ana", RunningIdentity.otherPassword)
    }
  }

  @Test(
    "A client that lost the answer gets the same new tokens by its former refresh token within 30 s (ID-4)")
  func lostAnswer() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      var own = try await identity.logIn()
      identity.time.advance(seconds: 600)
      // Also where the token came by a refresh.
      own = try await refreshed(identity, own)
      identity.time.advance(seconds: 60)
      let lost = try await change(identity, own)
      identity.time.advance(seconds: 29)
      for _ in 0..<2 { #expect(try await refreshed(identity, own) == lost) }
      let next = try await refreshed(identity, lost)
      #expect(next.session.id == own.session.id)
      #expect(try await identity.published(SessionRevoked.self).isEmpty)
      _ = try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(next))
    }
  }

  @Test("The former refresh token counts as stolen after 30 s, or once the new one was used", arguments: [30, 0])
  func replay(seconds: Int) async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let own = try await identity.logIn()
      let changed = try await change(identity, own)
      identity.time.advance(seconds: seconds)
      if seconds == 0 { _ = try await refreshed(identity, changed) }
      #expect(try await failure { try await refreshed(identity, own) }.code == "refresh_token_reused")
      #expect(try await failure { try await refreshed(identity, changed) }.code == "refresh_token_invalid")
      #expect(try await identity.published(SessionRevoked.self).map(\.reason) == [.refreshTokenReused])
    }
  }

  @Test("After a recovered password no former refresh token works")
  func recovered() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let own = try await identity.logIn()
      try await identity.askToRecover()
      _ = try await identity.recover(try await identity.recoveryToken(), RunningIdentity.otherPassword)
      #expect(try await failure { try await refreshed(identity, own) }.code == "refresh_token_invalid")
    }
  }

  @Test(
    "Repeating a password change with its idempotency key changes nothing and gives the tokens again, which are not stored"
  )
  func repetition() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let own = try await identity.logIn()
      #expect(
        try await failure { try await change(identity, own, from: "Wrong-1-wrong", key: "change") }.code == "wrong_password")
      let lost = try await change(identity, own, key: "change")
      identity.time.advance(seconds: 20)
      let found = try await refreshed(identity, own)
      #expect(found == lost)
      let phone = try await identity.logIn("ana", RunningIdentity.otherPassword)
      let again = try await change(identity, found, key: "change")
      #expect(again.session.id == own.session.id && again.refreshToken != found.refreshToken)
      #expect(try await identity.securityEvents() == ["passwordChangeFailed", "passwordChanged"])
      #expect(try await identity.published(PasswordChanged.self).count == 1)
      // Its answer may be lost, too.
      #expect(try await refreshed(identity, found) == again)
      _ = try await refreshed(identity, again)
      _ = try await refreshed(identity, phone)
      let reused = try await failure { try await change(identity, own, to: "Otra-5-clave", key: "change") }
      #expect(reused.code == "idempotency_key_reused")
      _ = try await identity.ask(LogOut.self, .init(), by: .signedIn(own))
      #expect(try await failure { try await change(identity, own, key: "change") }.code == "session_revoked")
    }
  }

  @Test(
    "Access tokens from before a password change count as expired, also at a gateway started later (S 7, scenario 1)"
  )
  func accessToken() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let own = try await identity.logIn()
      let changed = try await change(identity, own)
      let published = try await identity.published(AccessTokensInvalidated.self)
      #expect(published.map(\.sessionID) == [own.session.id])
      let generation = try #require(published.first).generation
      #expect(try TokenTests.payload(of: own.accessToken).gen < generation)
      #expect(try TokenTests.payload(of: changed.accessToken).gen == generation)
      let refreshed = try await identity.ask(RefreshSession.self, .init(refreshToken: changed.refreshToken))
      #expect(try TokenTests.payload(of: refreshed.accessToken).gen == generation)
      func snapshot() async throws -> [AccessTokensInvalidated] {
        var (key, events): (String?, [AccessTokensInvalidated]) = (nil, [])
        repeat {
          let page = try await identity.store.log.snapshot(after: key)
          events += try page.events.filter { $0.name == AccessTokensInvalidated.spec.name }.map {
            try AccessTokensInvalidated.decode($0.body)
          }
          key = page.nextKey
        } while key != nil
        return events
      }
      #expect(try await snapshot() == published)
      // By then the token has expired by itself.
      identity.time.advance(seconds: 901)
      #expect(try await snapshot().isEmpty)
    }
  }

  @Test("A password change with a wrong current password changes nothing, is recorded, and can be retried (S 7, scenario 2)")
  func wrong() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let (own, other) = (try await identity.logIn(), try await identity.logIn())
      let refused = try await refusal(identity, own, from: "Wrong-1-wrong")
      #expect(refused.code == "wrong_password" && refused.status == 403)
      #expect(try await identity.securityEvents() == ["passwordChangeFailed"])
      #expect(try await identity.published(SessionRevoked.self).isEmpty)
      #expect(try await identity.published(PasswordChanged.self).isEmpty)
      _ = try await identity.ask(RefreshSession.self, .init(refreshToken: other.refreshToken))
      _ = try await identity.logIn()
      _ = try await change(identity, own)
    }
  }

  @Test(
    "Five wrong current passwords make further attempts wait, apart from logins and other sessions (S 7, scenario 2)"
  )
  func throttled() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let own = try await identity.logIn()
      let other = try await identity.logIn()
      try await identity.guess(times: 6, from: "203.0.113.9")
      for _ in 0..<5 { #expect(try await refusal(identity, other, from: "Wrong-1-wrong").code == "wrong_password") }
      for _ in 0..<5 { #expect(try await refusal(identity, own, from: "Wrong-1-wrong").code == "wrong_password") }
      #expect(try await identity.securityEvents().last == "loginLocked")
      let locked = try await refusal(identity, own, from: RunningIdentity.password)
      #expect(locked.code == "login_locked" && locked.retryAfterSeconds == 30)
      #expect(try await refusal(identity, other, from: RunningIdentity.password).code == "login_locked")
      identity.time.advance(seconds: 30)
      let changed = try await change(identity, own)
      // A success clears what was counted for the session, and gives whoever guesses from elsewhere no fresh start.
      #expect(try await identity.guess(times: 2, from: "203.0.113.9") == ["wrong_credentials", "login_locked"])
      for _ in 0..<4 { _ = try await refusal(identity, changed, from: "Wrong-1-wrong") }
      _ = try await change(identity, changed, from: RunningIdentity.otherPassword, to: "Otra-5-clave")
    }
  }

  @Test("Concurrent guesses of the current password count against one limit")
  func concurrentGuesses() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let own = try await identity.logIn()
      let codes = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<15 { group.addTask { try await refusal(identity, own, from: "Wrong-1-wrong").code } }
        return try await group.reduce(into: [String]()) { $0.append($1) }
      }
      #expect(codes.filter { $0 == "wrong_password" }.count == 5)
      #expect(codes.filter { $0 == "login_locked" }.count == 10)
    }
  }

  @Test("Every rule that the new password breaks is reported, and the current password is not checked (S 7, scenario 3)")
  func weak() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let own = try await identity.logIn()
      for current in [RunningIdentity.password, "Wrong-1-wrong"] {
        let weak = try await failure { try await change(identity, own, from: current, to: "mar", repetition: "sol") }
        #expect(
          fields(weak) == [
            "password password_too_short", "password password_lacks_upper_case", "password password_lacks_digit",
            "password password_lacks_special", "passwordConfirmation passwords_differ",
          ])
      }
      let named = try await failure { try await change(identity, own, to: "ANA@example.com") }
      #expect(fields(named).contains("password password_is_name"))
      #expect(try await identity.securityEvents().isEmpty)
      _ = try await identity.logIn()
    }
  }

  @Test("Missing or empty fields of a password change are all named")
  func missing() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let own = try await identity.logIn()
      for body in ["{}", #"{"currentPassword":"","password":"","passwordConfirmation":""}"#] {
        let failure = try await failure { try await identity.ask(ChangePassword.self, json: body, by: .signedIn(own)) }
        #expect(fields(failure) == ["currentPassword required", "password required", "passwordConfirmation required"])
      }
    }
  }

  @Test("The password can be changed only in an open session")
  func signedOut() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let own = try await identity.logIn()
      _ = try await identity.ask(LogOut.self, .init(), by: .signedIn(own))
      #expect(try await refusal(identity, own, from: RunningIdentity.password).code == "session_revoked")
      let form = ChangePassword.Input(currentPassword: "a", password: "b", passwordConfirmation: "b")
      #expect(try await failure { try await identity.ask(ChangePassword.self, form) }.code == "unauthenticated")
      _ = try await identity.logIn()
    }
  }

  @Test("A link to recover the former password no longer works")
  func links() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let own = try await identity.logIn()
      try await identity.askToRecover()
      let token = try await identity.recoveryToken()
      _ = try await change(identity, own)
      #expect(try await failure { try await identity.recover(token, "Otra-5-clave") }.code == "recovery_link_replaced")
    }
  }

  @Test("A password change revokes personal access tokens unless they are to be kept", arguments: [nil, false, true])
  func personalAccessTokens(keeps: Bool?) async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let own = try await identity.logIn()
      _ = try await identity.ask(
        CreatePersonalAccessToken.self, .init(name: try PersonalAccessTokenName(text: "script"), scopes: [.activityRead]),
        by: .signedIn(own))
      _ = try await identity.ask(
        ChangePassword.self,
        .init(
          currentPassword: FormField(text: RunningIdentity.password), password: FormField(text: RunningIdentity.otherPassword),
          passwordConfirmation: FormField(text: RunningIdentity.otherPassword), keepsPersonalAccessTokens: keeps),
        by: .signedIn(own))
      #expect(try await identity.published(PersonalAccessTokenRevoked.self).count == (keeps == true ? 0 : 1))
      // So do secret links that others keep.
      #expect(try await identity.published(AccessWithdrawn.self).map(\.since) == (keeps == true ? [] : [nil]))
    }
  }

  @Test("The new password must differ, however it is typed, which is reported without checking the current one")
  func unchanged() async throws {
    try await RunningIdentity.run { identity in
      _ = try await identity.ask(RegisterAccount.self, RunningIdentity.form(password: "R\u{ED}o-7-lento"))
      let own = try await identity.logIn("ana", "R\u{ED}o-7-lento")
      for (current, new) in [("R\u{ED}o-7-lento", "Ri\u{301}o-7-lento"), ("Wrong-1-wrong", "Wrong-1-wrong")] {
        let same = try await failure { try await change(identity, own, from: current, to: new) }
        #expect(fields(same) == ["password password_unchanged"])
      }
      let words = Words(Contract.identity.words)
      for language in Language.allCases { #expect(words.text("field.password_unchanged", language) != nil) }
    }
  }
}
