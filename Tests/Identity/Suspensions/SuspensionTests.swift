import Foundation
import IdentityContract
import InProcess
import Operations
import ServiceKit
import SocialContract
import Storage
import Testing

@testable import IdentityService

@Suite("Suspended accounts (SOC-8)")
struct SuspensionTests {
  private static func script(_ identity: RunningIdentity, _ signedIn: SignedIn) async throws -> CreatePersonalAccessToken.Output {
    try await identity.ask(
      CreatePersonalAccessToken.self,
      .init(name: PersonalAccessTokenName(text: "backup"), scopes: [.activityRead], expiresAt: nil), by: .signedIn(signedIn))
  }

  @Test(
    "A suspension ends every session, token and link at once, with one event for each, and publishes its end to every service"
  )
  func begins() async throws {
    try await RunningIdentity.run { identity in
      let ana = try await identity.register()
      try await identity.register("ben")
      let (one, other) = (try await identity.logIn(), try await identity.logIn())
      let ben = try await identity.logIn("ben")
      let script = try await Self.script(identity, one)
      try await identity.askToChange(one)
      let change = try await identity.emailChangeMail().token
      try await identity.askToRecover()
      let recovery = try await identity.recoveryToken()
      let decision = try await identity.suspend(ana.id)

      let revoked = try await identity.published(SessionRevoked.self)
      #expect(Set(revoked.map(\.sessionID)) == [one.session.id, other.session.id])
      #expect(revoked.allSatisfy { $0.reason == .accountSuspended && $0.accountID == ana.id })
      #expect(try await identity.published(PersonalAccessTokenRevoked.self).map(\.tokenID) == [script.token.id])
      #expect(try await identity.published(AccessWithdrawn.self).map(\.accountID) == [ana.id])
      let published = try #require(try await identity.published(AccountChanged.self).last)
      #expect(published.accountID == ana.id && published.suspendedUntil == decision.until)
      #expect(
        try await identity.askAsNotifications(LookUpAccount.self, .init(accountID: ana.id)).suspendedUntil == decision.until)

      for session in [one, other] {
        let refresh = RefreshSession.Input(refreshToken: session.refreshToken)
        #expect(try await failure { try await identity.ask(RefreshSession.self, refresh) }.code == "refresh_token_invalid")
        #expect(
          try await failure { try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(session)) }.code
            == "session_revoked")
      }
      let hash = PersonalAccessTokenHash.of(script.secret)
      #expect(
        try await failure { try await identity.askAsGateway(IdentifyPersonalAccessToken.self, .init(hash: hash)) }.code
          == "unauthenticated")
      #expect(try await failure { try await identity.follow(change) }.code == "account_suspended")
      #expect(try await failure { try await identity.recover(recovery) }.code == "account_suspended")
      #expect(try await identity.securityEvents().contains("accountSuspended"))
      // Others are not concerned.
      #expect(try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(ben)).username.description == "ben")
    }
  }

  @Test(
    "A suspended account's login with the right password says until when and mails one link a day; a wrong one reveals nothing"
  )
  func logIn() async throws {
    try await RunningIdentity.run { identity in
      let ana = try await identity.register()
      let decision = try await identity.suspend(ana.id)
      let until = try #require(decision.until)
      #expect(try await failure { try await identity.logIn("ana", "Wrong-1-wrong") }.code == "wrong_credentials")
      #expect(try await identity.published(SuspensionLinkRequested.self).isEmpty)
      for login in ["ana", "ana@example.com"] {
        let refused = try await failure { try await identity.logIn(login) }
        #expect(refused == .accountSuspended(until: until) && refused.status == 403)
        #expect(refused.suspendedUntil == until)
      }
      #expect(try await identity.published(SuspensionLinkRequested.self).map(\.accountID) == [ana.id])
      #expect(try await identity.published(SessionRevoked.self).isEmpty)
      #expect(try await identity.count("SELECT COUNT(*) FROM sessions") == 0)
      identity.time.advance(seconds: 86_400)
      _ = try await failure { try await identity.logIn() }
      _ = try await failure { try await identity.logIn() }
      #expect(try await identity.published(SuspensionLinkRequested.self).count == 2)
      let mail = try await identity.suspensionMail()
      #expect(mail.email == ana.email && mail.username == ana.username && mail.suspendedUntil == until)
      #expect(mail.expiresAt == identity.time.now.adding(seconds: 7 * 86_400))
    }
  }

  @Test("The refusal of a banned account has no end")
  func banned() async throws {
    try await RunningIdentity.run { identity in
      let ana = try await identity.register()
      try await identity.receive(Decision(account: ana.id, until: .endOfTime))
      identity.time.advance(seconds: 400 * 86_400)
      let refused = try await failure { try await identity.logIn() }
      #expect(refused.code == "account_suspended" && refused.suspendedUntil == nil)
      #expect(refused.parameters["reason"] == .text("account_banned"))
      #expect(try await identity.suspensionMail().suspendedUntil == nil)
      let details = try await identity.ask(GetSuspension.self, .init(token: try await identity.suspensionMail().token))
      #expect(details.isBanned && details.until == nil)
    }
  }

  @Test("When its suspension ends, the account is as before and can log in, and nothing that ended comes back")
  func expires() async throws {
    try await RunningIdentity.run { identity in
      let ana = try await identity.register()
      let before = try await identity.logIn()
      try await identity.suspend(ana.id, days: 3)
      identity.time.advance(seconds: 3 * 86_400 - 1)
      #expect(try await failure { try await identity.logIn() }.code == "account_suspended")
      let token = try await identity.suspensionMail().token
      identity.time.advance(seconds: 1)
      #expect(try await identity.logIn().account.id == ana.id)
      let refresh = RefreshSession.Input(refreshToken: before.refreshToken)
      #expect(try await failure { try await identity.ask(RefreshSession.self, refresh) }.code == "refresh_token_invalid")
      #expect(try await failure { try await identity.ask(GetSuspension.self, .init(token: token)) }.code == "suspension_over")
      try await identity.askToRecover()
      try await identity.recover(try await identity.recoveryToken())
    }
  }

  @Test("Social's latest decision about an account holds, and late or repeated events change nothing")
  func decisions() async throws {
    try await RunningIdentity.run { identity in
      let ana = try await identity.register()
      var decision = try await identity.suspend(ana.id, revision: 2)
      func published() async throws -> [Instant?] {
        try await identity.published(AccountChanged.self).dropFirst().map(\.suspendedUntil)
      }
      let first = decision.until
      try await identity.receive(decision)
      decision.revision = 1
      decision.until = nil
      try await identity.receive(decision)
      #expect(try await published() == [first])
      decision.revision = 3
      decision.until = .endOfTime
      try await identity.receive(decision)
      #expect(try await published() == [first, .endOfTime])
      decision.revision = 4
      decision.until = nil
      try await identity.receive(decision)
      #expect(try await published() == [first, .endOfTime, nil])
      #expect(try await identity.logIn().account.id == ana.id)
      let second = try await identity.suspend(ana.id, days: 1, revision: 5)
      #expect(try await published() == [first, .endOfTime, nil, second.until])
      #expect(try await identity.published(SessionRevoked.self).count == 1)
      #expect(
        try await identity.securityEvents().filter { $0.hasPrefix("accountSuspended") || $0.hasPrefix("suspension") }
          == ["accountSuspended", "accountSuspended", "suspensionLifted", "accountSuspended"])
      let revisions = try await identity.published(AccountChanged.self).map(\.revision)
      #expect(revisions == Array(1...revisions.count))
    }
  }

  @Test("A suspension that is already over when received ends nothing")
  func late() async throws {
    try await RunningIdentity.run { identity in
      let ana = try await identity.register()
      let session = try await identity.logIn()
      try await identity.suspend(ana.id, days: -1)
      #expect(try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(session)).id == ana.id)
      #expect(try await identity.published(SessionRevoked.self).isEmpty)
    }
  }

  @Test("Nothing is stored about suspensions of unknown or deleted accounts")
  func unknown() async throws {
    try await RunningIdentity.run { identity in
      try await identity.suspend(AccountID())
      let ana = try await identity.register()
      let own = try await identity.logIn()
      _ = try await identity.ask(
        DeleteAccount.self, .init(password: FormField(text: RunningIdentity.password)), by: .signedIn(own))
      try await identity.suspend(ana.id)
      #expect(try await identity.count("SELECT COUNT(*) FROM suspensions") == 0)
    }
  }

  @Test(
    "A suspended account's recovery request is answered as usual, and mails the suspension link instead (ID-8)"
  )
  func recovery() async throws {
    try await RunningIdentity.run { identity in
      let ana = try await identity.register()
      try await identity.suspend(ana.id)
      let answers = try await [identity.askToRecover("nobody@example.com"), identity.askToRecover()]
      #expect(Set(answers.map(\.linkLifetimeSeconds)).count == 1)
      #expect(try await failure { try await identity.recoveryToken() }.code == "not_found")
      #expect(try await identity.suspensionMail().email == ana.email)
      try await identity.askToRecover()
      #expect(try await identity.published(SuspensionLinkRequested.self).count == 1)
    }
  }

  @Test("A suspended account's change of address can be undone, which mails the link to the owner's own address (ID-11)")
  func undoing() async throws {
    try await RunningIdentity.run { identity in
      let ana = try await identity.register()
      try await identity.askToChange(try await identity.logIn())
      let undoing = try await identity.emailChangeNotice().token
      try await identity.follow(try await identity.emailChangeMail().token)
      try await identity.suspend(ana.id)
      try await identity.undo(undoing)
      #expect(try await identity.suspensionMail().email == ana.email)
    }
  }

  @Test("A suspended account's public profile is hidden until the suspension ends")
  func publicProfile() async throws {
    try await RunningIdentity.run { identity in
      let ana = try await identity.register()
      let session = try await identity.logIn()
      let link = try await identity.ask(CreatePublicLink.self, .init(), by: .signedIn(session))
      try await identity.suspend(ana.id)
      #expect(try await failure { try await identity.ask(GetPublicProfile.self, .init(key: link.key)) }.code == "not_found")
      #expect(try await failure { try await identity.ask(GetPublicPhoto.self, .init(key: link.key)) }.code == "not_found")
      identity.time.advance(seconds: 10 * 86_400)
      #expect(try await identity.ask(GetPublicProfile.self, .init(key: link.key)).username == ana.username)
    }
  }
}
