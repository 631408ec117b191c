import ActivityContract
import ActivityService
import GRDB
import IdentityContract
import InProcess
import Operations
import Storage
import Testing

@Suite("Creating a link to the calendar feed, and what ends it (ACT-16)")
struct CalendarFeedAccessTests {
  private func running(_ body: (ServicesInProcess, Person, CalendarFeedLink) async throws -> Void) async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let link = try await ana.send(CreateCalendarFeedLink.self, .init())
      try services.clock.set("2026-11-21T13:00:00.000Z")
      try await body(services, ana, link)
    }
  }

  /// Lets identity publish that, and waits until activity knows.
  private func publish(_ event: some Event, in services: ServicesInProcess) async throws {
    try await services.store(of: .identity).write { try $0.publish(event) }
    try await services.hasReceived(.activity, of: .identity)
  }

  private func works(_ link: CalendarFeedLink, _ services: ServicesInProcess) async throws -> Bool {
    try await services.register().failure(GetCalendarFeed.self, .init(key: link.key)) == nil
  }

  @Test(
    "A personal access token cannot create a feed link, whatever its scopes, but can read and revoke it")
  func tokens() {
    #expect(AccessScope(for: GetCalendarFeedLink.spec) == .activityRead)
    #expect(AccessScope(for: RevokeCalendarFeedLink.spec) == .activityWrite)
    #expect(AccessScope(for: CreateCalendarFeedLink.spec) == nil && CreateCalendarFeedLink.spec.inDoubt == .refused)
  }

  @Test("A caller without a session cannot create a feed link, even if the gateway lets it pass")
  func withoutSession() async throws {
    try await running { _, ana, _ in
      let script = ana.withoutSession()
      let refusal = try await script.failure(CreateCalendarFeedLink.self, .init())
      #expect(refusal == "unauthenticated")
      #expect(try await script.send(GetCalendarFeedLink.self, .init()).createdAt != nil)
    }
  }

  @Test(
    "A feed link ends if its owner closes its session or a refresh token is reused, not by logout, a new password or new logins")
  func sessions() async throws {
    for (reason, isOwn, stays) in [
      (SessionRevoked.Reason.closedByOwner, true, false), (.refreshTokenReused, true, false), (.closedByOwner, false, true),
      (.loggedOut, true, true), (.passwordChanged, true, true), (.replaced, true, true),
    ] {
      try await running { services, ana, link in
        let session = isOwn ? try #require(ana.session) : SessionID()
        try await publish(
          SessionRevoked(sessionID: session, accountID: ana.id, reason: reason, at: services.clock.now), in: services)
        #expect(try await works(link, services) == stays, "\(reason) \(isOwn)")
      }
    }
  }

  @Test(
    "A session that has ended can create no feed link, and loses one created before its end was known here",
    arguments: SessionRevoked.Reason.allCases)
  func ended(reason: SessionRevoked.Reason) async throws {
    try await running { services, ana, _ in
      // The gateway does not know of the end, nor has activity: the link is made after it.
      let late = try await ana.send(CreateCalendarFeedLink.self, .init())
      let session = try #require(ana.session)
      let end = try Instant(text: "2026-11-21T12:59:59.999Z")
      try await publish(SessionRevoked(sessionID: session, accountID: ana.id, reason: reason, at: end), in: services)
      #expect(try await !works(late, services))
      // Activity knows of it, and the gateway still not.
      #expect(try await ana.failure(CreateCalendarFeedLink.self, .init()) == "session_revoked")
      // Half an hour later no token of the session is left, and nothing of it is kept.
      try services.clock.set("2026-11-21T13:31:00.000Z")
      try await publish(
        SessionRevoked(sessionID: SessionID(), accountID: ana.id, reason: .loggedOut, at: services.clock.now), in: services)
      #expect(
        try await services.store(of: .activity).read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM ended_sessions") } == 1)
    }
  }

  @Test("Revoking another account's session does not end a feed link")
  func strangers() async throws {
    try await running { services, ana, link in
      let ben = try await services.register()
      let session = try #require(ana.session)
      try await publish(
        SessionRevoked(sessionID: session, accountID: ben.id, reason: .closedByOwner, at: services.clock.now), in: services)
      try await publish(AccessWithdrawn(accountID: ben.id, since: nil, at: services.clock.now), in: services)
      #expect(try await works(link, services))
    }
  }

  @Test("Withdrawing access ends feed links created in the withdrawn period, and none created before or after it")
  func withdrawn() async throws {
    for (since, at, stays) in [
      (String?.none, "13:00", false), ("11:59", "13:00", false), ("12:01", "13:00", true), (nil, "11:00", true),
    ] {
      try await running { services, ana, link in
        let access = AccessWithdrawn(
          accountID: ana.id, since: try since.map { try Instant(text: "2026-11-21T\($0):00.000Z") },
          at: try Instant(text: "2026-11-21T\(at):00.000Z"))
        try await publish(access, in: services)
        #expect(try await works(link, services) == stays, "\(since ?? "-") \(at)")
        let state = try await ana.send(GetCalendarFeedLink.self, .init())
        #expect((state.createdAt != nil) == stays)
      }
    }
  }
}
