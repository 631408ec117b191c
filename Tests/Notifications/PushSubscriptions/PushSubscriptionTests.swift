import Foundation
import GRDB
import IdentityContract
import InProcess
import Logging
import NotificationsContract
import Operations
import ServiceKit
import Storage
import Testing

@testable import NotificationsService

@Suite("Push subscriptions of devices (NOT-5)", .timeLimit(.minutes(1)))
struct PushSubscriptionTests {
  private let identity = IdentityDouble()
  static let key = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"

  private func run(_ body: (ServicesInProcess, Person) async throws -> Void) async throws {
    try await ServicesInProcess.running([{ try Notifications.service($0) }], identity: identity) { services in
      let ana = try await services.register()
      try await services.hasReceived(.notifications, of: .identity)
      try await body(services, ana)
    }
  }

  private func input(
    _ name: String, secret: String = "BTBZMqHH6r4Tts7J_aSIgg", publicKey: PushKey? = nil
  ) throws -> CreatePushSubscription.Input {
    .init(
      endpoint: try PushEndpoint(text: "https://push.example.org/\(name)"),
      keys: .init(p256dh: try PushKey(text: Self.key), auth: try PushSecret(text: secret)), publicKey: publicKey,
      name: try PushSubscriptionName(text: name))
  }

  private func names(_ person: Person) async throws -> [String] {
    try await person.send(ListPushSubscriptions.self, .init()).items.compactMap { $0.name?.description }
  }

  /// The same account in another session.
  private func another(_ services: ServicesInProcess, _ person: Person) -> Person {
    Person(bus: services.gateway, caller: Caller(kind: .account, account: person.id, session: SessionID(), isVerified: true))
  }

  @Test("A device is subscribed once, listed without its secrets, renamed and removed, by its account only")
  func owned() async throws {
    try await run { services, ana in
      let phone = try await ana.send(CreatePushSubscription.self, try input("Phone"))
      #expect(try await ana.send(CreatePushSubscription.self, try input("Mobile")).id != phone.id)
      #expect(try await ana.send(CreatePushSubscription.self, try input("Phone")).id == phone.id)
      let listed = try await ana.send(ListPushSubscriptions.self, .init(limit: 1))
      #expect(listed.items.map { $0.name?.description } == ["Mobile"] && listed.items[0].service == "https://push.example.org")
      let rest = try await ana.send(ListPushSubscriptions.self, .init(cursor: listed.nextCursor))
      #expect(rest.items.map(\.id) == [phone.id] && rest.nextCursor == nil)
      let text = String(decoding: rest.json, as: UTF8.self)
      #expect(!text.contains("/Phone") && !text.contains("BTBZ"))
      let stranger = try await services.register()
      try await services.hasReceived(.notifications, of: .identity)
      let renaming = RenamePushSubscription.Input(pushSubscriptionID: phone.id, name: try PushSubscriptionName(text: "Mine"))
      #expect(try await stranger.failure(RenamePushSubscription.self, renaming) == "not_found")
      #expect(try await stranger.failure(DeletePushSubscription.self, .init(pushSubscriptionID: phone.id)) == "not_found")
      #expect(try await names(stranger) == [])
      #expect(try await ana.send(RenamePushSubscription.self, renaming).name?.description == "Mine")
      _ = try await ana.send(DeletePushSubscription.self, .init(pushSubscriptionID: phone.id))
      #expect(try await names(ana) == ["Mobile"])
    }
  }

  @Test("Logging in on another's device takes over its subscription, and knowing only its address does not")
  func movedOn() async throws {
    try await run { services, ana in
      _ = try await ana.send(CreatePushSubscription.self, try input("Phone"))
      let ben = try await services.register()
      try await services.hasReceived(.notifications, of: .identity)
      _ = try await ben.send(CreatePushSubscription.self, try input("Phone", secret: "AAAAAAAAAAAAAAAAAAAAAA"))
      #expect(try await names(ana) == ["Phone"])
      _ = try await ben.send(CreatePushSubscription.self, try input("Phone"))
      #expect(try await names(ana) == [])
    }
  }

  @Test(
    "Invalid push subscriptions are refused by field, also by a script or a session in doubt, and beyond 20 devices"
  )
  func refused() async throws {
    try await run { services, ana in
      var wrong = try input("Phone", publicKey: PushKey(text: Self.key))
      wrong.endpoint = try PushEndpoint(text: "https://127.0.0.1/a")
      wrong.keys.p256dh = .placeholder
      #expect(
        try await ana.refusedFields(CreatePushSubscription.self, wrong) == [
          "endpoint push_endpoint_not_allowed", "keys.p256dh not_a_push_key", "publicKey unknown_push_key",
        ])
      var elsewhere = try input("Phone")
      elsewhere.endpoint = try PushEndpoint(text: "https://push.example.org:8443/Phone")
      let refused = try await ana.refusedFields(CreatePushSubscription.self, elsewhere)
      #expect(refused == ["endpoint push_endpoint_not_allowed"])
      let json = #"{"endpoint":"push","keys":{"p256dh":"AA","auth":"A"},"name":" "}"#
      let failure = await #expect(throws: Failure.self) {
        try await ana.send(CreatePushSubscription.self, json: Array(json.utf8))
      }
      #expect(
        failure?.fields.map { "\($0.field) \($0.code)" } == [
          "endpoint not_a_push_endpoint", "keys.p256dh not_a_push_key", "keys.auth not_a_push_secret", "name empty",
        ])
      #expect(try await ana.withoutSession().failure(CreatePushSubscription.self, try input("Phone")) == "unauthenticated")
      #expect(try await ana.inDoubt.failure(CreatePushSubscription.self, try input("Phone")) == "login_alert_unanswered")
      for number in 1...20 { _ = try await ana.send(CreatePushSubscription.self, try input("Phone \(number)".asPath)) }
      #expect(try await ana.failure(CreatePushSubscription.self, try input("Phone-21")) == "too_many_push_subscriptions")
      _ = try await ana.send(CreatePushSubscription.self, try input("Phone-1"))
      #expect(try await names(ana).count == 20)
      #expect(try await names(another(services, ana).inDoubt) == [])
    }
  }

  @Test("A subscription ends with its session or with withdrawn access, and other sessions' stay")
  func ended() async throws {
    try await run { services, ana in
      let tablet = another(services, ana)
      _ = try await ana.send(CreatePushSubscription.self, try input("Phone"))
      _ = try await tablet.send(CreatePushSubscription.self, try input("Tablet"))
      #expect(try await ana.send(ListPushSubscriptions.self, .init()).items.map(\.isOfThisSession) == [false, true])
      let session = try #require(tablet.session)
      try await services.publish(
        .identity, SessionRevoked(sessionID: session, accountID: ana.id, reason: .loggedOut, at: services.clock.now))
      try await services.hasReceived(.notifications, of: .identity)
      #expect(try await names(ana) == ["Phone"])
      let now = services.clock.now
      try await services.publish(
        .identity, AccessWithdrawn(accountID: ana.id, since: now.adding(seconds: 1), at: now.adding(seconds: 2)))
      try await services.hasReceived(.notifications, of: .identity)
      #expect(try await names(ana) == ["Phone"])
      try await services.publish(.identity, AccessWithdrawn(accountID: ana.id, since: nil, at: now))
      try await services.hasReceived(.notifications, of: .identity)
      #expect(try await names(ana) == [])
    }
  }

  @Test("Sessions that expired or were lost in a restore are looked up at identity; pushes for doubtful ones pause")
  func asked() async throws {
    try await run { services, ana in
      let (tablet, watch) = (another(services, ana), another(services, ana))
      _ = try await ana.send(CreatePushSubscription.self, try input("Phone"))
      _ = try await tablet.send(CreatePushSubscription.self, try input("Tablet"))
      _ = try await watch.send(CreatePushSubscription.self, try input("Watch"))
      identity.setState(of: try #require(tablet.session), .ended)
      identity.setState(of: try #require(watch.session), .inDoubt)
      let store = services.store(of: .notifications)
      let worker = PushSessionWorker(
        store: store, identity: ServiceClient(bus: services.gateway, service: .notifications, clock: .system),
        clock: services.clock.clock, logger: .init(label: "test"), start: services.clock.now)
      try await worker.sweep()
      let items = try await ana.send(ListPushSubscriptions.self, .init()).items
      #expect(items.map { $0.name?.description } == ["Watch", "Phone"] && items.map(\.isPaused) == [true, false])
      // While identity is away nothing changes; later it is asked again.
      identity.setState(of: try #require(watch.session), .ended)
      identity.goAway(true)
      services.clock.advance(seconds: PushSessionStore.idleSeconds + 1)
      try await worker.sweep()
      #expect(try await names(ana) == ["Watch", "Phone"])
      identity.goAway(false)
      try await worker.sweep()
      #expect(try await names(ana) == ["Phone"])
    }
  }

  @Test("The devices of each ended session are removed in a transaction of their own, since much may wait for them")
  func removedApart() async throws {
    try await run { services, ana in
      let (tablet, watch) = (another(services, ana), another(services, ana))
      _ = try await tablet.send(CreatePushSubscription.self, try input("Tablet"))
      _ = try await watch.send(CreatePushSubscription.self, try input("Watch"))
      let sessions = [try #require(tablet.session), try #require(watch.session)]
      for session in sessions { identity.setState(of: session, .ended) }
      let store = services.store(of: .notifications)
      try await store.write {
        try $0.database.execute(
          sql: """
            CREATE TRIGGER refusal BEFORE DELETE ON push_subscriptions WHEN OLD.name = 'Watch'
            BEGIN SELECT RAISE(ABORT, 'refused'); END
            """)
      }
      await #expect(throws: (any Error).self) {
        try await PushSessionStore.check(
          sessions, ServiceClient(bus: services.gateway, service: .notifications, clock: .system), store)
      }
      #expect(try await names(ana) == ["Watch"])
    }
  }

  @Test("What identity said of sessions before a start is asked again after it, and then holds as long as ever")
  func restarted() async throws {
    try await run { services, ana in
      let tablet = another(services, ana)
      let (phone, other) = (try #require(ana.session), try #require(tablet.session))
      _ = try await ana.send(CreatePushSubscription.self, try input("Phone"))
      _ = try await tablet.send(CreatePushSubscription.self, try input("Tablet"))
      let store = services.store(of: .notifications)
      func sweep(_ start: Instant) async throws {
        try await PushSessionWorker(
          store: store, identity: ServiceClient(bus: services.gateway, service: .notifications, clock: .system),
          clock: services.clock.clock, logger: .init(label: "test"), start: start
        ).sweep()
      }
      func idle(_ start: Instant) async throws -> Set<SessionID> {
        let now = services.clock.now
        return Set(try await store.read { try PushSessionStore.idle(at: now, since: start, in: $0) })
      }
      let first = services.clock.now
      // The service's own worker may have asked before.
      let asked = try await store.write { transaction in
        try transaction.database.execute(sql: "UPDATE push_subscriptions SET checked_at = 0")
        return Set(try PushSessionStore.idle(at: first, since: first, in: transaction.database))
      }
      #expect(asked == [phone, other])
      try await sweep(first)
      #expect(try await idle(first) == [])
      // A restart, before which one of them ended.
      services.clock.advance(seconds: 1)
      let second = services.clock.now
      identity.setState(of: other, .ended)
      #expect(try await idle(second) == [phone, other])
      try await sweep(second)
      #expect(try await idle(second) == [])
      #expect(try await names(ana) == ["Phone"])
      // The clock was set back after a start: nobody is asked again and again.
      #expect(try await idle(second.adding(seconds: 3600)) == [])
      services.clock.advance(seconds: PushSessionStore.idleSeconds + 1)
      #expect(try await idle(second) == [phone])
    }
  }

  @Test(
    "An answer about a session holds from the start on, for 60 seconds, or 20 while the session is in doubt",
    arguments: [
      (0, 60_000, false, true), (0, 60_001, false, false), (0, 20_000, true, true), (0, 20_001, true, false),
      (-1, 10, false, false), (-1, 10, true, false), (11, 10, false, false),
    ])
  func answers(_ at: Int, _ now: Int, _ isPaused: Bool, _ holds: Bool) {
    let start = Instant(milliseconds: 1_000_000)
    let answer = PushSessionStore.Answer(at: start.adding(milliseconds: Int64(at)), isPaused: isPaused)
    #expect(answer.holds(at: start.adding(milliseconds: Int64(now)), since: start) == holds)
  }

  @Test(
    "Invalid settings of pushes are refused by name",
    arguments: [
      ("racha.push.allowedOrigins", "push.example.lan"), ("racha.push.allowedOrigins", "https://push.example.lan/path"),
      ("racha.push.contact", "ops@example.org"), ("racha.push.connections", "0"),
    ])
  func settings(_ key: String, _ value: String) {
    let settings = Settings([key: value])
    _ = PushSettings(settings, MailSettings(settings, Home(path: "/nonexistent")))
    let failure = #expect(throws: (any Error).self) { try settings.check() }
    #expect(failure.map { "\($0)".contains(key) } == true)
  }

  @Test("One's own push services are configured by origin, separated by commas, and push services get a contact")
  func ownServices() {
    let settings = Settings([
      "racha.push.allowedOrigins": "https://push.example.lan:8443, http://10.0.0.7", "racha.publicUrl": "https://racha.example/",
    ])
    let push = PushSettings(settings, MailSettings(settings, Home(path: "/nonexistent")))
    #expect(push.rules.ownOrigins == ["https://push.example.lan:8443", "http://10.0.0.7"])
    #expect(push.contact == "https://racha.example")
    let plain = Settings([:])
    #expect(PushSettings(plain, MailSettings(plain, Home(path: "/nonexistent"))).contact == "mailto:racha@localhost")
  }
}

extension String {
  /// Without blanks.
  fileprivate var asPath: String { replacing(" ", with: "-") }
}
