import BuiltPrograms
import Foundation
import GRDB
import IdentityContract
import InProcess
import NotificationsContract
import Operations
import ServiceKit
import SocialContract
import Storage
import Testing

@testable import NotificationsService

/// Notifications with a push service of the tests' own, which other programs check and decrypt.
@Suite("Pushes (NOT-5)", .enabled(if: PushService.python != nil), .timeLimit(.minutes(2)))
final class PushTests {
  let identity = IdentityDouble()
  let home = "/tmp/racha-push-\(UInt32.random(in: .min ... .max))"

  deinit { try? FileManager.default.removeItem(atPath: home) }

  /// Notifications with the same stores each time: it ends and begins anew in between.
  private func run(
    _ service: PushService, _ body: (ServicesInProcess) async throws -> Void
  ) async throws {
    let social: ServicesInProcess.Build = { _ in ServiceDefinition(.social, migrations: []) }
    let settings = ["racha.push.allowedOrigins": service.origin, "racha.publicUrl": "https://racha.example"]
    try await ServicesInProcess.running(
      [{ try Notifications.service($0) }, social], identity: identity, settings: settings, at: nil, home: home, body)
  }

  private func person(_ services: ServicesInProcess, language: Language = .english) async throws -> Person {
    let person = try await services.register(language: language)
    try await services.hasReceived(.notifications, of: .identity)
    return person
  }

  @discardableResult
  private func subscribe(
    _ person: Person, _ service: PushService, _ path: String, name: String? = nil, language: Language? = nil
  ) async throws -> PushSubscription {
    var subscription = try service.subscription(path)
    (subscription.name, subscription.language) = (try name.map { try PushSubscriptionName(text: $0) }, language)
    return try await person.send(CreatePushSubscription.self, subscription)
  }

  private func asked(_ account: AccountID, by name: String = "ben") throws -> FriendRequestSent {
    FriendRequestSent(
      friendRequestID: ID(), fromAccountID: AccountID(), fromUsername: try Username(text: name), toAccountID: account, at: .now)
  }

  private func log(_ person: Person) async throws -> [String] {
    try await person.send(ListDeliveries.self, .init(channel: .push)).items.map {
      [$0.kind, $0.state.rawValue, $0.reason].compactMap { $0 }.joined(separator: " ")
    }
  }

  private func untilLogged(_ services: ServicesInProcess, _ person: Person, _ wanted: [String]) async throws {
    try await services.store(of: .notifications).until(within: .seconds(20)) { try await log(person) == wanted }
  }

  private func shown(_ push: PushService.Push) throws -> JSON {
    try #require(try JSONTape(Array(push.text.utf8)).json["notification"])
  }

  /// As the store of a stopped service is: what waits is due.
  private func makeDue() async throws {
    try await DatabaseQueue(path: "\(Home(path: home).stores)/notifications.sqlite").write {
      try $0.execute(sql: "UPDATE push_requests SET next_at = 0")
    }
  }

  @Test("A notification is pushed encrypted, signed and declarative, in the account's language, and opening it marks it as read")
  func pushed() async throws {
    try await PushService.run { service in
      try await run(service) { services in
        let ana = try await person(services, language: .spanish)
        let key = try await ana.send(GetPushKey.self, .init()).publicKey
        let subscription = try await subscribe(ana, service, "/push/201/ana?up=1", name: "Phone")
        #expect(subscription.name?.description == "Phone" && subscription.isOfThisSession && !subscription.usesOldKey)
        let event = try asked(ana.id)
        try await services.publish(.social, event, event)
        let push = try await service.next()
        #expect(push.faults == [] && push.path == "/push/201/ana?up=1")
        #expect(push.key == key.description && push.sub == "https://racha.example")
        #expect(push.urgency == "normal" && (3 * 86_400 - 60...3 * 86_400).contains(push.ttl) && push.topic.utf8.count == 32)
        #expect(push.length <= 4096 && push.text.hasPrefix(#"{"web_push":8030,"#))
        let notification = try shown(push)
        #expect(notification["title"] == "Nueva solicitud de amistad" && notification["lang"] == "es")
        #expect(notification["tag"] == .string(push.topic))
        try await untilLogged(services, ana, ["friendRequestReceived sent"])
        #expect(try await ana.send(ListPushSubscriptions.self, .init()).items[0].lastSentAt != nil)

        // Opened.
        let delivery = try await ana.send(ListDeliveries.self, .init(channel: .push)).items[0].id
        #expect(notification["navigate"] == .string("https://racha.example/#delivery=\(delivery)"))
        #expect(notification["data"]?["deliveryID"] == .string(delivery.description))
        let ben = try await person(services)
        #expect(try await ben.failure(OpenPush.self, .init(deliveryID: delivery)) == "not_found")
        _ = try await ana.send(OpenPush.self, .init(deliveryID: delivery))
        _ = try await ana.send(OpenPush.self, .init(deliveryID: delivery))
        #expect(try await ana.send(ListDeliveries.self, .init(channel: .push)).items[0].openedAt != nil)
        #expect(try await ana.send(CountUnreadNotifications.self, .init()).unreadCount == 0)
        // What is written in the store says nothing of where it went once it is sent.
        #expect(try await services.store(of: .notifications).rows("push_messages") == 0)
      }
    }
  }

  @Test(
    "A notification is pushed to each device in its language, under a topic per subject; without devices nothing is logged"
  )
  func devices() async throws {
    try await PushService.run { service in
      try await run(service) { services in
        let (ana, ben) = (try await person(services), try await person(services))
        try await subscribe(ana, service, "/push/201/phone")
        try await subscribe(ana, service, "/push/200/tablet", language: .spanish)
        try await services.publish(.social, try asked(ben.id), try asked(ana.id))
        let pushes = [try await service.next(), try await service.next()].sorted { $0.path < $1.path }
        #expect(pushes.map(\.path) == ["/push/200/tablet", "/push/201/phone"] && pushes.allSatisfy { $0.faults == [] })
        #expect(try pushes.map { try shown($0)["title"] } == ["Nueva solicitud de amistad", "New friend request"])
        try await untilLogged(services, ana, ["friendRequestReceived sent"])
        #expect(try await log(ben) == [])
      }
    }
  }

  @Test(
    "A withdrawn or changed notification is replaced on devices that showed it, silently and under the same topic")
  func replaced() async throws {
    try await PushService.run { service in
      try await run(service) { services in
        let ana = try await person(services)
        try await subscribe(ana, service, "/push/201/phone")
        let event = try asked(ana.id)
        try await services.publish(.social, event)
        let first = try await service.next()
        try await untilLogged(services, ana, ["friendRequestReceived sent"])
        // It shows nothing of it.
        try await subscribe(ana, service, "/push/201/tablet")
        let ended = FriendRequestEnded(
          friendRequestID: event.friendRequestID, accountID: ana.id, state: .withdrawn, at: .now)
        try await services.publish(.social, ended, ended)
        let second = try await service.next()
        #expect(second.faults == [] && second.path == "/push/201/phone" && second.topic == first.topic)
        let notification = try shown(second)
        #expect(notification["title"] == "No longer current" && notification["silent"] == true)
        #expect(notification["tag"] == .string(first.topic) && notification["data"]?["kind"] == "withdrawn")
        #expect(try shown(first)["silent"] == nil)
        // What ended is logged as it was, and nothing else goes.
        let store = services.store(of: .notifications)
        try await store.until(within: .seconds(20)) { try await store.rows("push_messages") == 0 }
        #expect(try await log(ana) == ["friendRequestReceived sent"])
      }
    }
  }

  @Test("Answers 404 and 410 end a push subscription, and the log says that there is no device", arguments: [404, 410])
  func gone(_ status: Int) async throws {
    try await PushService.run { service in
      try await run(service) { services in
        let ana = try await person(services)
        try await subscribe(ana, service, "/push/\(status)/ana")
        try await services.publish(.social, try asked(ana.id))
        #expect(try await service.next().faults == [])
        try await untilLogged(services, ana, ["friendRequestReceived silent no_device"])
        #expect(try await ana.send(ListPushSubscriptions.self, .init()).items.isEmpty)
      }
    }
  }

  @Test("A push answered with 429 or 5xx is retried after Retry-After, despite a restart", arguments: [429, 503])
  func retried(_ status: Int) async throws {
    try await PushService.run { service in
      var (ana, first): (Person?, PushService.Push?) = (nil, nil)
      try await run(service) { services in
        let person = try await self.person(services)
        ana = person
        try await subscribe(person, service, "/push/\(status),201/ana?after=3000")
        try await services.publish(.social, try asked(person.id))
        first = try await service.next()
        let store = services.store(of: .notifications)
        try await store.until(within: .seconds(20)) {
          try await store.read {
            try Int.fetchOne($0, sql: "SELECT 1 FROM push_requests WHERE attempts = 1 AND state = 'waiting'")
          } != nil
        }
        let next = try await store.read { try Instant.fetchOne($0, sql: "SELECT next_at FROM push_requests") }
        let due = try #require(next)
        #expect(due > Instant.now.adding(seconds: 2900))
        #expect(try await log(person) == ["friendRequestReceived queued"])
      }
      try await makeDue()
      let person = try #require(ana)
      try await run(service) { services in
        let second = try await service.next()
        #expect(second.faults == [] && second.status == "201" && second.topic == first?.topic)
        let again = Person(bus: services.gateway, caller: Caller(kind: .account, account: person.id, session: person.session))
        try await untilLogged(services, again, ["friendRequestReceived sent"])
      }
    }
  }

  @Test(
    "A refused or redirected push fails with the reason, and its subscription stays",
    arguments: [413, 307])
  func refused(_ status: Int) async throws {
    try await PushService.run { service in
      try await run(service) { services in
        let ana = try await person(services)
        try await subscribe(ana, service, "/push/\(status)/ana")
        try await services.publish(.social, try asked(ana.id))
        #expect(try await service.next().path == "/push/\(status)/ana")
        try await untilLogged(services, ana, ["friendRequestReceived failed refused_\(status)"])
        let item = try await ana.send(ListDeliveries.self, .init(channel: .push)).items[0]
        #expect(item.explanation == "The push service refused it.")
        #expect(try await ana.send(ListPushSubscriptions.self, .init()).items.count == 1)
      }
    }
  }

  @Test("A push interrupted by the end of the program is sent again, under the same topic; one device counts as sent")
  func interrupted() async throws {
    try await PushService.run { service in
      var (ana, first): (Person?, PushService.Push?) = (nil, nil)
      try await run(service) { services in
        let person = try await self.person(services)
        ana = person
        try await subscribe(person, service, "/push/hang,201/ana")
        try await services.publish(.social, try asked(person.id))
        first = try await service.next()
      }
      let person = try #require(ana)
      try await run(service) { services in
        let second = try await service.next()
        #expect(second.topic == first?.topic && second.text == first?.text && second.faults == [])
        let again = Person(bus: services.gateway, caller: Caller(kind: .account, account: person.id, session: person.session))
        try await untilLogged(services, again, ["friendRequestReceived sent"])
      }
    }
  }

  @Test("A notification removed or read before its push is not pushed")
  func withdrawn() async throws {
    try await PushService.run { service in
      try await run(service) { services in
        let ana = try await person(services)
        let subscription = try await subscribe(ana, service, "/push/201/ana")
        let store = services.store(of: .notifications)
        // Its session is in doubt, so that pushes wait.
        identity.setState(of: try #require(ana.session), .inDoubt)
        try await services.publish(.social, try asked(ana.id), try asked(ana.id, by: "cleo"), try asked(ana.id, by: "dora"))
        try await store.until { try await ana.send(ListPushSubscriptions.self, .init()).items.map(\.isPaused) == [true] }
        try await services.hasReceived(.notifications, of: .social)
        let inbox = try await ana.send(ListNotifications.self, .init()).items
        _ = try await ana.send(DeleteNotification.self, .init(notificationID: inbox[2].id))
        _ = try await ana.send(MarkNotificationRead.self, .init(notificationID: inbox[1].id))
        identity.setState(of: try #require(ana.session), .live)
        // Subscribed anew, it is asked about again at once.
        #expect(try await subscribe(ana, service, "/push/201/ana").id == subscription.id)
        try await services.publish(.social, try asked(ana.id, by: "eva"))
        let texts = [try await service.next().text, try await service.next().text]
        #expect(texts.contains { $0.contains("dora") } && texts.contains { $0.contains("eva") })
        try await untilLogged(
          services, ana,
          [
            "friendRequestReceived sent", "friendRequestReceived sent", "friendRequestReceived silent read",
            "friendRequestReceived silent withdrawn",
          ])
      }
    }
  }

  @Test("Pushes held by quiet hours are sent as one, and urgent ones are sent at once with high urgency")
  func together() async throws {
    try await PushService.run { service in
      try await run(service) { services in
        let ana = try await person(services)
        try await subscribe(ana, service, "/push/201/ana")
        let minute = Int(Instant.now.milliseconds / 60_000 % 1440)
        _ = try await ana.send(
          SetQuietHours.self,
          QuietHours(
            startsAt: try #require(QuietTime(minutes: (minute + 1380) % 1440)),
            endsAt: try #require(QuietTime(minutes: (minute + 600) % 1440))))
        try await services.publish(.social, try asked(ana.id), try asked(ana.id, by: "cleo"))
        try await services.hasReceived(.notifications, of: .social)
        let alert = LoginAlertRaised(
          alertID: ID(), accountID: ana.id, level: .suspicious, device: "Firefox", place: "Tokyo", at: .now)
        try await services.publish(.identity, alert)
        let urgent = try await service.next()
        #expect(urgent.urgency == "high" && urgent.ttl > 6 * 86_400 && urgent.text.contains("loginSuspicious"))
        _ = try await ana.send(ClearQuietHours.self, .init())
        let morning = try await service.next()
        #expect(morning.faults == [] && morning.urgency == "normal")
        #expect(try shown(morning)["title"] == "What happened meanwhile: 2")
        #expect(try shown(morning)["body"] == "New friend request\nNew friend request")
        try await untilLogged(
          services, ana, ["loginSuspicious sent", "friendRequestReceived sent", "friendRequestReceived sent"])
      }
    }
  }

  @Test("Pushes wait while identity cannot say whether the session is alive, and are sent once it can")
  func identityAway() async throws {
    try await PushService.run { service in
      try await run(service) { services in
        let ana = try await person(services)
        try await subscribe(ana, service, "/push/201/ana")
        identity.goAway(true)
        try await services.publish(.social, try asked(ana.id))
        try await services.hasReceived(.notifications, of: .social)
        #expect(try await log(ana) == ["friendRequestReceived queued"])
        identity.goAway(false)
        #expect(try await service.next().faults == [])
        try await untilLogged(services, ana, ["friendRequestReceived sent"])
      }
    }
  }

  @Test("Erasing an account removes its push subscriptions and pushes")
  func erased() async throws {
    try await PushService.run { service in
      try await run(service) { services in
        let (ana, ben) = (try await person(services), try await person(services))
        try await subscribe(ana, service, "/push/503/ana")
        try await subscribe(ben, service, "/push/503/ben")
        try await services.publish(.social, try asked(ana.id), try asked(ben.id))
        _ = [try await service.next(), try await service.next()]
        try await services.delete(ana, receivedBy: .notifications)
        let store = services.store(of: .notifications)
        #expect(try await store.traces(of: ana.id) == [])
        for table in ["push_subscriptions", "push_messages", "push_message_deliveries", "push_requests"] {
          #expect(try await store.rows(table) == 1, "\(table)")
        }
      }
    }
  }
}
