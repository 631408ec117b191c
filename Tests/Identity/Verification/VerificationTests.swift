import Foundation
import GRDB
import IdentityContract
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@testable import IdentityService

@Suite("Verifying the e-mail address (ID-2; H CU-1, S 8)")
struct VerificationTests {
  private func verify(_ identity: RunningIdentity, _ token: String) async throws -> VerifyAccount.Output {
    try await identity.ask(VerifyAccount.self, .init(token: token))
  }

  private func refusal(_ identity: RunningIdentity, _ token: String) async throws -> String {
    try await failure { try await verify(identity, token) }.code
  }

  @Test("The mailed link verifies the account, and every service is notified, also for open sessions (S 8, scenario 1)")
  func success() async throws {
    try await RunningIdentity.run { identity in
      let account = try await identity.register()
      let open = try await identity.logIn()
      let output = try await verify(identity, try await identity.mailedToken())
      #expect(output == VerifyAccount.Output(username: account.username, isVerified: true))
      let changes = try await identity.published(AccountChanged.self)
      #expect(changes.map(\.isVerified) == [false, true])
      #expect(changes.map(\.revision) == [1, 2])
      let verified = try await identity.published(AccountVerified.self)
      #expect(verified == [AccountVerified(accountID: account.id, at: identity.time.now)])
      #expect(try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(open)).isVerified)
      let refreshed = try await identity.ask(RefreshSession.self, .init(refreshToken: open.refreshToken))
      #expect(refreshed.account.isVerified)
      #expect(try await identity.logIn().account.isVerified)
    }
  }

  @Test("Opening a verification link again is harmless")
  func twice() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let token = try await identity.mailedToken()
      let (first, second) = (try await verify(identity, token), try await verify(identity, token))
      #expect(first == second)
      #expect(try await identity.published(AccountChanged.self).count == 2)
      #expect(try await identity.published(AccountVerified.self).count == 1)
      #expect(try await identity.securityEvents().isEmpty)
    }
  }

  @Test("A new verification link replaces the older one, which no longer works (S 8, scenario 2)")
  func resend() async throws {
    try await RunningIdentity.run { identity in
      let account = try await identity.register()
      let older = try await identity.mailedToken()
      let signedIn = try await identity.logIn()
      let sent = try await identity.ask(ResendVerification.self, .init(), by: .signedIn(signedIn))
      #expect(sent == ResendVerification.Output(email: account.email, expiresAt: identity.time.now.adding(seconds: 86_400)))
      #expect(try await identity.published(VerificationMailRequested.self).map(\.reason) == [.registered, .askedAgain])
      #expect(try await refusal(identity, older) == "verification_link_replaced")
      #expect(try await verify(identity, try await identity.mailedToken()).isVerified)
      #expect(try await refusal(identity, older) == "verification_link_replaced")
    }
  }

  @Test("Resending a verification link repeated with its idempotency key sends one mail")
  func resendRepeated() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let signedIn = try await identity.logIn()
      let first = try await identity.ask(ResendVerification.self, .init(), by: .signedIn(signedIn), key: "k")
      let second = try await identity.ask(ResendVerification.self, .init(), by: .signedIn(signedIn), key: "k")
      #expect(first == second)
      #expect(try await identity.published(VerificationMailRequested.self).count == 2)
    }
  }

  @Test(
    "A verified account's request for a verification link says so, and too many mails are refused with a wait")
  func resendRefused() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let signedIn = try await identity.logIn()
      for _ in 0..<5 { _ = try await identity.ask(ResendVerification.self, .init(), by: .signedIn(signedIn)) }
      let tooMany = try await failure { try await identity.ask(ResendVerification.self, .init(), by: .signedIn(signedIn)) }
      #expect(tooMany.code == "too_many_verification_emails" && tooMany.status == 429 && tooMany.retryAfterSeconds == 3600)
      identity.time.advance(seconds: 3600)
      _ = try await identity.ask(ResendVerification.self, .init(), by: .signedIn(signedIn))
      _ = try await verify(identity, try await identity.mailedToken())
      let verified = try await failure { try await identity.ask(ResendVerification.self, .init(), by: .signedIn(signedIn)) }
      #expect(verified.code == "already_verified" && verified.status == 409)
      #expect(try await failure { try await identity.ask(ResendVerification.self, .init()) }.code == "unauthenticated")
    }
  }

  @Test(
    "A verification link older than 24 hours is refused as expired, with the offer of a new one, and recorded (S 8, scenario 3)")
  func expired() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let token = try await identity.mailedToken()
      identity.time.advance(seconds: 86_400)
      let failure = try await failure { try await verify(identity, token) }
      #expect(failure.code == "verification_link_expired" && failure.status == 410)
      #expect(try await identity.securityEvents() == ["verificationLinkRefused"])
      let signedIn = try await identity.logIn()
      #expect(!signedIn.account.isVerified)
      _ = try await identity.ask(ResendVerification.self, .init(), by: .signedIn(signedIn))
      #expect(try await verify(identity, try await identity.mailedToken()).isVerified)
    }
  }

  @Test("A damaged, forged or invented verification link is refused as invalid and recorded (S 8, scenario 3)")
  func invalid() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register("ana")
      let anas = try await identity.mailedToken()
      try await identity.register("bea")
      let invalid = try damagedTokens(anas, try await identity.mailedToken()) + ["nonsense?"]
      for text in invalid { #expect(try await refusal(identity, text) == "verification_link_invalid") }
      #expect(try await identity.securityEvents() == Array(repeating: "verificationLinkRefused", count: invalid.count))
      #expect(try await identity.count("SELECT COUNT(*) FROM accounts WHERE verified_at IS NOT NULL") == 0)
    }
  }

  @Test("A verification link to a former address verifies nothing")
  func changedAddress() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register("ana")
      let token = try await identity.mailedToken()
      try await identity.store.write {
        try $0.database.execute(sql: "UPDATE accounts SET email = 'new@example.com', email_normalized = 'new@example.com'")
      }
      #expect(try await refusal(identity, token) == "verification_link_invalid")
    }
  }

  @Test("An unverified account can log in and use basic features (S 8, scenario 4)")
  func basics() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let signedIn = try await identity.logIn()
      #expect(!signedIn.account.isVerified)
      #expect(try await !identity.ask(GetOwnAccount.self, .init(), by: .signedIn(signedIn)).isVerified)
    }
  }

  @Test("Only notifications can read a verification link's secret, and only while it works, also repeatedly")
  func secret() async throws {
    try await RunningIdentity.run { identity in
      let account = try await identity.register()
      let link = try #require(try await identity.published(VerificationMailRequested.self).first).linkID
      let secret = try await identity.askAsNotifications(GetVerificationSecret.self, .init(linkID: link))
      #expect(secret.email == account.email && secret.username == account.username && secret.language == account.language)
      #expect(secret.expiresAt == identity.time.now.adding(seconds: 86_400))
      #expect(try await identity.askAsNotifications(GetVerificationSecret.self, .init(linkID: link)) == secret)
      for caller in [Caller.person(), .service(.social), .service(.gateway)] {
        let refused = try await failure { try await identity.ask(GetVerificationSecret.self, .init(linkID: link), by: caller) }
        #expect(refused.code == "forbidden")
      }
      _ = try await verify(identity, secret.token)
      let used = try await failure { try await identity.askAsNotifications(GetVerificationSecret.self, .init(linkID: link)) }
      #expect(used.code == "not_found")
    }
  }

  @Test("A verification link mailed before a restart works after it")
  func restart() async throws {
    try await RunningIdentity.run { first in
      try await first.register()
      let token = try await first.mailedToken()
      let second = try await first.restarted()
      #expect(try await verify(second, token).isVerified)
      await second.store.close()
    }
  }
}
