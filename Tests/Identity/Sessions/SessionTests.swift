import Foundation
import GRDB
import IdentityContract
import InProcess
import Logging
import Operations
import Storage
import Testing

@testable import IdentityService

@Suite("Sessions: refresh, reuse, end (ID-4, ID-5; H CU-4, S 3 and 4)")
struct SessionTests {
  private func refresh(_ identity: RunningIdentity, _ token: String) async throws -> SignedIn {
    try await identity.ask(RefreshSession.self, .init(refreshToken: token))
  }

  private func refusal(_ identity: RunningIdentity, _ token: String) async throws -> String {
    try await failure { try await refresh(identity, token) }.code
  }

  @Test(
    "A refresh token is exchanged for new tokens of the same session, for 30 days more (S 3, scenarios 5 and 6; S 4, scenario 1)")
  func rotation() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      var signedIn = try await identity.logIn()
      for _ in 0..<5 {
        identity.time.advance(seconds: 29 * 86_400)
        let next = try await refresh(identity, signedIn.refreshToken)
        #expect(next.refreshToken != signedIn.refreshToken)
        #expect(next.accessToken != signedIn.accessToken)
        #expect(next.session.id == signedIn.session.id)
        #expect(next.session.expiresAt == identity.time.now.adding(seconds: 30 * 86_400))
        #expect(next.accessTokenExpiresAt == identity.time.now.adding(seconds: 600))
        signedIn = next
      }
      _ = try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(signedIn))
      // What is past its time is not kept.
      #expect(try await identity.count("SELECT COUNT(*) FROM refresh_tokens") == 2)
    }
  }

  @Test("A client that lost the answer to a refresh gets the very same tokens when it asks again within 30 s (S 3, scenario 3)")
  func lostAnswer() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let first = try await identity.logIn()
      identity.time.advance(seconds: 600)
      let lost = try await refresh(identity, first.refreshToken)
      identity.time.advance(seconds: 29)
      let again = try await refresh(identity, first.refreshToken)
      #expect(again == lost)
      _ = try await refresh(identity, again.refreshToken)
    }
  }

  @Test("Twenty concurrent refreshes give one rotation, one answer and no logout")
  func concurrency() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let first = try await identity.logIn()
      identity.time.advance(seconds: 600)
      let answers = try await withThrowingTaskGroup(of: SignedIn.self) { group in
        for _ in 0..<20 { group.addTask { try await refresh(identity, first.refreshToken) } }
        return try await group.reduce(into: Set<SignedIn>()) { $0.insert($1) }
      }
      #expect(answers.count == 1)
      #expect(try await identity.count("SELECT COUNT(*) FROM refresh_tokens") == 2)
      #expect(try await identity.published(SessionRevoked.self).isEmpty)
      _ = try await refresh(identity, try #require(answers.first).refreshToken)
    }
  }

  @Test("A refresh token used twice closes its session, with all of its tokens, and the account is notified (S 4, scenario 3)")
  func reuse() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let (stolen, other) = (try await identity.logIn(), try await identity.logIn())
      let newest = try await refresh(identity, stolen.refreshToken)
      identity.time.advance(seconds: 30)
      let failure = try await failure { try await refresh(identity, stolen.refreshToken) }
      #expect(failure.code == "refresh_token_reused" && failure.status == 401)
      #expect(
        try await identity.published(SessionRevoked.self) == [
          SessionRevoked(
            sessionID: stolen.session.id, accountID: stolen.account.id, reason: .refreshTokenReused, at: identity.time.now)
        ])
      #expect(try await identity.securityEvents() == ["refreshTokenReused"])
      #expect(try await refusal(identity, newest.refreshToken) == "refresh_token_invalid")
      #expect(try await refusal(identity, stolen.refreshToken) == "refresh_token_invalid")
      let dead = try await IdentityTests.failure { try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(newest)) }
      #expect(dead.code == "session_revoked" && dead.status == 401)
      // The account's other session has nothing to do with it.
      _ = try await refresh(identity, other.refreshToken)
    }
  }

  @Test("Each of 1,000 replayed refresh tokens ends its whole session and no other (S 4, scenario 3)")
  func thousandReplays() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register("bystander")
      let bystander = try await identity.logIn("bystander")
      // One of each account, since several close all that one has. Twenty at a time: no more passwords than that wait to be hashed.
      let families = try await withThrowingTaskGroup(of: [[SignedIn]].self) { group in
        for worker in 0..<20 {
          group.addTask {
            var families: [[SignedIn]] = []
            for index in 0..<50 {
              try await identity.register("ana\(worker)_\(index)")
              var family = [try await identity.logIn("ana\(worker)_\(index)")]
              for _ in 0..<Int.random(in: 1...4) {
                family.append(try await refresh(identity, family[family.count - 1].refreshToken))
              }
              families.append(family)
            }
            return families
          }
        }
        return try await group.reduce(into: [[SignedIn]]()) { $0 += $1 }
      }
      // Beyond the time in which a lost answer may be asked for again.
      identity.time.advance(seconds: RefreshRules.repeatSeconds)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for family in families {
          group.addTask {
            let replayed = family[Int.random(in: 0..<family.count - 1)]
            #expect(try await refusal(identity, replayed.refreshToken) == "refresh_token_reused")
            for member in family { #expect(try await refusal(identity, member.refreshToken) == "refresh_token_invalid") }
            let newest = family[family.count - 1]
            let dead = try await IdentityTests.failure {
              try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(newest))
            }
            #expect(dead.code == "session_revoked")
          }
        }
        try await group.waitForAll()
      }
      #expect(try await identity.published(SessionRevoked.self).count == 1000)
      #expect(try await identity.count("SELECT COUNT(*) FROM sessions WHERE revocation_reason = 'refreshTokenReused'") == 1000)
      _ = try await refresh(identity, bystander.refreshToken)
    }
  }

  @Test("An old refresh token is a reuse even within 30 s once its successor was used")
  func quickReuse() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let first = try await identity.logIn()
      _ = try await refresh(identity, try await refresh(identity, first.refreshToken).refreshToken)
      #expect(try await refusal(identity, first.refreshToken) == "refresh_token_reused")
    }
  }

  @Test("A refresh token unused for 30 days has expired, and a new login is needed (S 4, scenario 2)")
  func expiry() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let first = try await identity.logIn()
      identity.time.advance(seconds: 30 * 86_400)
      #expect(try await refusal(identity, first.refreshToken) == "refresh_token_expired")
      let dead = try await failure { try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(first)) }
      #expect(dead.code == "session_revoked")
      _ = try await identity.logIn()
    }
  }

  @Test(
    "A malformed refresh token is refused (S 4, scenario 2)",
    arguments: ["x", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "' OR 1=1 --"])
  func garbage(token: String) async throws {
    try await RunningIdentity.run { identity in
      let code = try await refusal(identity, token)
      #expect(code == "refresh_token_invalid")
    }
  }

  @Test("Logging out ends the session at once and notifies every service; doing it twice is harmless (CU-4; S 3, scenario 4)")
  func logOut() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let (mine, other) = (try await identity.logIn(), try await identity.logIn())
      _ = try await identity.ask(LogOut.self, .init(), by: .signedIn(mine))
      _ = try await identity.ask(LogOut.self, .init(), by: .signedIn(mine))
      #expect(
        try await identity.published(SessionRevoked.self).map { "\($0.sessionID) \($0.reason)" } == [
          "\(mine.session.id) loggedOut"
        ])
      let dead = try await failure { try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(mine)) }
      #expect(dead.code == "session_revoked")
      #expect(try await refusal(identity, mine.refreshToken) == "refresh_token_invalid")
      _ = try await refresh(identity, other.refreshToken)
    }
  }

  @Test("Nobody can end another account's session, or any session without being logged in")
  func strangers() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register("ana")
      try await identity.register("bea")
      let (ana, bea) = (try await identity.logIn("ana"), try await identity.logIn("bea"))
      var forged = Caller.signedIn(ana)
      forged.session = bea.session.id
      _ = try await identity.ask(LogOut.self, .init(), by: forged)
      #expect(try await identity.published(SessionRevoked.self).isEmpty)
      _ = try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(bea))
      let mixed = try await failure { try await identity.ask(GetOwnAccount.self, .init(), by: forged) }
      #expect(mixed.code == "session_revoked")
      #expect(try await failure { try await identity.ask(LogOut.self, .init()) }.code == "unauthenticated")
      #expect(try await failure { try await identity.ask(GetOwnAccount.self, .init()) }.code == "unauthenticated")
    }
  }

  @Test("A session outlives a restart")
  func restart() async throws {
    try await RunningIdentity.run { first in
      try await first.register()
      let signedIn = try await first.logIn()
      let second = try await first.restarted()
      let next = try await refresh(second, signedIn.refreshToken)
      #expect(next.session.id == signedIn.session.id)
      await second.store.close()
    }
  }

  @Test("A table of identity whose rows cannot be removed is reported, and the others are still swept")
  func housekeepingGoesOn() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let own = try await identity.logIn()
      _ = try await identity.ask(LogOut.self, .init(), by: .signedIn(own))
      try await identity.store.write {
        try $0.database.execute(
          sql: "CREATE TRIGGER stuck BEFORE DELETE ON sessions BEGIN SELECT RAISE(ABORT, 'stuck'); END")
      }
      identity.time.advance(seconds: 91 * 86_400)
      let housekeeping = try await identity.housekeeping()
      await #expect(throws: (any Error).self) { try await housekeeping.sweep() }
      #expect(try await identity.count("SELECT COUNT(*) FROM sessions") == 1)
      #expect(try await identity.count("SELECT COUNT(*) FROM verification_links") == 0)
      #expect(try await identity.count("SELECT COUNT(*) FROM security_events") == 0)
    }
  }

  @Test("Rows past their retention are removed, and others stay")
  func housekeeping() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let (ended, live) = (try await identity.logIn(), try await identity.logIn())
      _ = try? await identity.logIn("ana", "Wrong-1-wrong")
      _ = try await identity.ask(LogOut.self, .init(), by: .signedIn(ended))
      let housekeeping = try await identity.housekeeping()
      try await housekeeping.sweep()
      let all = "SELECT (SELECT COUNT(*) FROM sessions) * 1000 + (SELECT COUNT(*) FROM refresh_tokens) * 100"
      let rest = " + (SELECT COUNT(*) FROM login_failures) * 10 + (SELECT COUNT(*) FROM security_events)"
      // The registration, two logins, a failed one and a log out are recorded.
      #expect(try await identity.count(all + rest) == 2225)
      identity.time.advance(seconds: 8 * 86_400)
      try await housekeeping.sweep()
      #expect(try await identity.count(all + rest) == 1105)
      _ = try await refresh(identity, live.refreshToken)
      identity.time.advance(seconds: 91 * 86_400)
      try await housekeeping.sweep()
      #expect(try await identity.count(all + rest) == 0)
      #expect(try await identity.count("SELECT COUNT(*) FROM verification_links") == 0)
    }
  }

  @Test("Registrations, logins and logouts are security events of low severity (S 10, scenario 1)")
  func routine() async throws {
    try await RunningIdentity.run { identity in
      let ana = try await identity.register()
      let (first, second) = (try await identity.logIn(), try await identity.logIn())
      _ = try await identity.ask(LogOut.self, .init(), by: .signedIn(first))
      // To close the session one is in is to log out; doing it again is nothing.
      _ = try await identity.ask(CloseSession.self, .init(sessionID: second.session.id), by: .signedIn(second))
      _ = try? await identity.ask(LogOut.self, .init(), by: .signedIn(first))
      let administrator = try await identity.administrator()
      let events = try await identity.ask(ListSecurityEvents.self, .init(accountID: ana.id), by: .signedIn(administrator)).items
      #expect(
        events.reversed().map(\.kind) == ["accountRegistered", "loginSucceeded", "loginSucceeded", "loggedOut", "loggedOut"])
      #expect(events.allSatisfy { $0.severity == .info && $0.address == "192.0.2.1" })
      #expect(
        events.reversed().map(\.sessionID) == [nil, first.session.id, second.session.id, first.session.id, second.session.id])
      #expect(events.filter { $0.kind == "loginSucceeded" }.allSatisfy { $0.detail == "password" })
    }
  }
}
