import EarlierStores
import Foundation
import GRDB
import IdentityContract
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@testable import IdentityService

@Suite("Listing and closing one's sessions (ID-6; S 6)")
struct OwnSessionsTests {
  private static let firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0"

  private func list(_ identity: RunningIdentity, by signedIn: SignedIn) async throws -> [OwnSession] {
    try await identity.ask(ListSessions.self, .init(), by: .signedIn(signedIn)).items
  }

  private func isDead(_ identity: RunningIdentity, _ signedIn: SignedIn) async throws -> Bool {
    let listing = try? await list(identity, by: signedIn)
    let refresh = try? await identity.ask(RefreshSession.self, .init(refreshToken: signedIn.refreshToken))
    try #require((listing == nil) == (refresh == nil))
    return listing == nil
  }

  @Test("All live sessions are listed with device, place and last access, and the current one is marked (S 6, scenario 1)")
  func listing() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let phone = try await identity.logIn(from: "198.51.100.9")
      identity.time.advance(seconds: 60)
      let ended = try await identity.logIn()
      _ = try await identity.ask(LogOut.self, .init(), by: .signedIn(ended))
      let browser = Caller(kind: .anonymous, address: "192.0.2.7", userAgent: Self.firefox)
      let laptop = try await identity.ask(
        LogIn.self, .init(login: "ana", password: RunningIdentity.password), by: browser)
      let silent = Caller(kind: .anonymous)
      _ = try await identity.ask(LogIn.self, .init(login: "ana", password: RunningIdentity.password), by: silent)
      identity.time.advance(seconds: 100)

      let sessions = try await list(identity, by: laptop)
      #expect(sessions.map(\.device) == ["Unknown device", "Firefox on Linux", "Ana's phone"])
      #expect(sessions.map(\.program) == [nil, "Firefox on Linux", "Test"])
      #expect(sessions.map(\.place.name) == ["Unknown place", "Network 192.0.2.0/24", "Network 198.51.100.0/24"])
      #expect(sessions.map(\.isCurrent) == [false, true, false])
      #expect(sessions[1].id == laptop.session.id)
      #expect(sessions[1].lastSeenAt == identity.time.now)
      #expect(sessions[2].id == phone.session.id)
      #expect(sessions[2].lastSeenAt == identity.time.now.adding(seconds: -160))
      #expect(sessions[2].createdAt == sessions[2].lastSeenAt)
      #expect(phone.session.isCurrent)
    }
  }

  @Test(
    "Only notifications can check which sessions are alive, expired ones included (NOT-5)")
  func states() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let (phone, ended) = (try await identity.logIn(), try await identity.logIn())
      _ = try await identity.ask(LogOut.self, .init(), by: .signedIn(ended))
      let input = CheckSessions.Input(sessionIDs: [phone.session.id, ended.session.id, SessionID()])
      #expect(try await identity.askAsNotifications(CheckSessions.self, input).states == [.live, .ended, .ended])
      for caller in [Caller.signedIn(phone), .service(.social)] {
        await #expect(throws: Failure(RequestFailure.forbidden)) { try await identity.ask(CheckSessions.self, input, by: caller) }
      }
      identity.time.advance(days: 31)
      #expect(try await identity.askAsNotifications(CheckSessions.self, input).states == [.ended, .ended, .ended])
    }
  }

  @Test("A refresh updates when and where a session was last seen, and other calls do not")
  func lastSeen() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let (phone, laptop) = (try await identity.logIn(), try await identity.logIn())
      identity.time.advance(seconds: 600)
      let next = try await identity.ask(
        RefreshSession.self, .init(refreshToken: phone.refreshToken), by: .person(from: "2001:db8:1:2::3"))
      #expect(next.session.lastSeenAt == identity.time.now)
      identity.time.advance(seconds: 300)
      _ = try await identity.ask(GetOwnAccount.self, .init(), by: .signedIn(next))
      let seen = try #require(try await list(identity, by: laptop).last)
      #expect(seen.id == phone.session.id)
      #expect(seen.lastSeenAt == identity.time.now.adding(seconds: -300))
      #expect(seen.place.network == "2001:db8:1::/48")
      #expect(seen.createdAt == identity.time.now.adding(seconds: -900))
    }
  }

  @Test("A closed session ends at once, leaves the list, and every service is notified (S 6, scenario 2)")
  func closing() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let (phone, laptop) = (try await identity.logIn(), try await identity.logIn())
      for _ in 0..<2 {
        _ = try await identity.ask(CloseSession.self, .init(sessionID: phone.session.id), by: .signedIn(laptop))
      }
      #expect(
        try await identity.published(SessionRevoked.self) == [
          SessionRevoked(sessionID: phone.session.id, accountID: phone.account.id, reason: .closedByOwner, at: identity.time.now)
        ])
      #expect(try await identity.securityEvents() == ["sessionClosed"])
      #expect(try await list(identity, by: laptop).map(\.id) == [laptop.session.id])
      #expect(try await isDead(identity, phone))
      #expect(try await !isDead(identity, laptop))
    }
  }

  @Test("Closing the current session logs it out")
  func closingOwn() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let phone = try await identity.logIn()
      _ = try await identity.ask(CloseSession.self, .init(sessionID: phone.session.id), by: .signedIn(phone))
      #expect(try await identity.published(SessionRevoked.self).map(\.reason) == [.loggedOut])
      #expect(try await identity.securityEvents().isEmpty)
      #expect(try await isDead(identity, phone))
    }
  }

  @Test("All other sessions of this account are closed, and their number is reported (S 6, scenario 3)")
  func closingOthers() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register("ana")
      try await identity.register("bea")
      let (phone, tablet) = (try await identity.logIn(), try await identity.logIn())
      let (laptop, bea) = (try await identity.logIn(), try await identity.logIn("bea"))
      #expect(try await identity.ask(CloseOtherSessions.self, .init(), by: .signedIn(laptop)).closedCount == 2)
      #expect(try await identity.ask(CloseOtherSessions.self, .init(), by: .signedIn(laptop)).closedCount == 0)
      let published = try await identity.published(SessionRevoked.self)
      #expect(Set(published.map(\.sessionID)) == [phone.session.id, tablet.session.id])
      #expect(published.allSatisfy { $0.reason == .closedByOwner })
      #expect(try await identity.securityEvents() == ["sessionClosed", "sessionClosed"])
      #expect(try await list(identity, by: laptop).map(\.isCurrent) == [true])
      #expect(try await isDead(identity, phone))
      #expect(try await isDead(identity, tablet))
      #expect(try await !isDead(identity, bea))
    }
  }

  @Test("Another account's session is treated like an invented one in lists and when closing")
  func strangers() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register("ana")
      try await identity.register("bea")
      let (ana, bea) = (try await identity.logIn("ana"), try await identity.logIn("bea"))
      for session in [bea.session.id, SessionID()] {
        let refused = try await failure {
          try await identity.ask(CloseSession.self, .init(sessionID: session), by: .signedIn(ana))
        }
        #expect(refused.code == "not_found" && refused.status == 404)
      }
      #expect(try await list(identity, by: ana).map(\.id) == [ana.session.id])
      #expect(try await !isDead(identity, bea))
      #expect(try await failure { try await identity.ask(ListSessions.self, .init()) }.code == "unauthenticated")
      #expect(try await failure { try await identity.ask(CloseOtherSessions.self, .init()) }.code == "unauthenticated")
    }
  }

  @Test("A closed session cannot list or close sessions, even before the gateway knows of its end")
  func revoked() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let (thief, owner) = (try await identity.logIn(), try await identity.logIn())
      _ = try await identity.ask(CloseSession.self, .init(sessionID: thief.session.id), by: .signedIn(owner))
      let codes = [
        try await failure { try await identity.ask(ListSessions.self, .init(), by: .signedIn(thief)) }.code,
        try await failure {
          try await identity.ask(CloseSession.self, .init(sessionID: owner.session.id), by: .signedIn(thief))
        }.code,
        try await failure { try await identity.ask(CloseOtherSessions.self, .init(), by: .signedIn(thief)) }.code,
      ]
      #expect(codes == ["session_revoked", "session_revoked", "session_revoked"])
      #expect(try await !isDead(identity, owner))
    }
  }

  @Test("A long list of sessions is paged")
  func pages() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      var ids: [SessionID] = []
      for _ in 0..<5 {
        ids.append(try await identity.logIn().session.id)
        identity.time.advance(seconds: 1)
      }
      let signedIn = try await identity.logIn()
      ids.append(signedIn.session.id)
      var found: [SessionID] = []
      var cursor: PageCursor?
      repeat {
        let page = try await identity.ask(ListSessions.self, .init(limit: 4, cursor: cursor), by: .signedIn(signedIn))
        found += page.items.map(\.id)
        cursor = page.nextCursor
      } while cursor != nil
      #expect(Set(found) == Set(ids) && found.count == 6)
    }
  }

  @Test(
    "A device's name has no control characters", arguments: ["", "a\u{7}b", "\u{202E}enohp", String(repeating: "a", count: 81)])
  func names(name: String) async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let input: JSON = ["login": "ana", "password": .string(RunningIdentity.password), "device": .string(name)]
      let refused = try await failure {
        try await identity.ask(LogIn.self, json: String(decoding: input.bytes, as: UTF8.self))
      }
      #expect(refused.fields.map(\.field) == ["device"])
    }
  }

  @Test("Sessions of earlier stores were last seen when and where they last got tokens")
  func upgrade() async throws {
    let created = Instant(milliseconds: 1_800_000_000_000)
    try await UpgradedStore.upgrading(.identity, RunningIdentity.migrations(), before: 2) { transaction in
      try transaction.database.execute(
        sql: """
          INSERT INTO accounts (account_id, email, email_normalized, username, password_hash, time_zone, language, created_at)
          VALUES (zeroblob(16), 'a@b.c', 'a@b.c', 'ana', '$argon2id$', 'UTC', 'en', ?1);
          """, arguments: [created])
      try transaction.database.execute(
        sql: """
          INSERT INTO sessions (session_id, account_id, address, created_at, expires_at)
          VALUES (zeroblob(16), zeroblob(16), '192.0.2.1', ?, ?)
          """, arguments: [created, created.adding(seconds: 86_400 + RefreshRules.lifetimeSeconds)])
    } check: { store in
      let seen = try await store.read { database in
        try Row.fetchOne(database, sql: "SELECT last_seen_at, last_seen_address FROM sessions").map {
          "\($0["last_seen_at"] as Instant) \($0["last_seen_address"] as String)"
        }
      }
      #expect(seen == "\(created.adding(seconds: 86_400)) 192.0.2.1")
    }
  }
}
