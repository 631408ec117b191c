import ActivityContract
import BuiltPrograms
import Foundation
import GRDB
import IdentityContract
import InProcess
import NotificationsContract
import Operations
import ServiceKit
import Storage
import Testing

@testable import NotificationsService

/// Reminders on several devices, with a push service of the tests' own.
@Suite(
  "Reminders answered elsewhere (NOT-2, NOT-5)", .enabled(if: PushService.python != nil), .timeLimit(.minutes(2)))
final class AnsweredElsewhereTests {
  private static let activity: ServicesInProcess.Build = { _ in ServiceDefinition(.activity, migrations: []) }
  let identity = IdentityDouble()

  private func run(_ body: (ServicesInProcess, PushService, Person) async throws -> Void) async throws {
    try await PushService.run { service in
      try await ServicesInProcess.running(
        [{ try Notifications.service($0) }, Self.activity], identity: identity,
        settings: ["racha.push.allowedOrigins": service.origin], at: nil
      ) { services in
        let ana = try await services.register()
        try await services.hasReceived(.notifications, of: .identity)
        try await body(services, service, ana)
      }
    }
  }

  private func subscribe(_ person: Person, _ service: PushService, _ path: String) async throws {
    _ = try await person.send(CreatePushSubscription.self, try service.subscription(path))
  }

  private func due(
    _ account: AccountID, _ activity: ActivityID, _ title: String, time: String = "07:30", day: String = "2026-11-21"
  ) throws -> ReminderDue {
    ReminderDue(
      accountID: account, reminderID: ID(), activityID: activity, title: title, day: try LocalDay(text: day),
      time: try ReminderTime(text: time), dueAt: .now, endsAt: Instant.now.adding(seconds: 7200))
  }

  /// The next pushes, by where they went: what each device shows, without a sound or with one.
  private func next(_ count: Int, _ service: PushService) async throws -> [String: JSON] {
    var found: [String: JSON] = [:]
    for _ in 0..<count {
      let push = try await service.next()
      #expect(push.faults == [])
      let shown = try #require(try JSONTape(Array(push.text.utf8)).json["notification"])
      #expect(shown["tag"] == .string(push.topic))
      let device = try #require(push.path.split(separator: "/").last.map(String.init))
      found[device] = shown
    }
    return found
  }

  private func untilIdle(_ services: ServicesInProcess) async throws {
    let store = services.store(of: .notifications)
    try await store.until(within: .seconds(20)) { try await store.rows("push_messages") == 0 }
  }

  private func log(_ person: Person) async throws -> [String] {
    try await person.send(ListDeliveries.self, .init(channel: .push)).items.map {
      [$0.kind, $0.state.rawValue, $0.reason].compactMap { $0 }.joined(separator: " ")
    }
  }

  @Test(
    "Answering a reminder on one device replaces it on others by 'no longer current', once and silently",
    arguments: ReminderReply.allCases)
  func onOneDevice(_ reply: ReminderReply) async throws {
    try await run { services, service, ana in
      try await subscribe(ana, service, "/push/201/phone")
      try await subscribe(ana, service, "/push/201/tablet")
      let (run, read) = (ActivityID(), ActivityID())
      let first = try due(ana.id, run, "Run")
      try await services.publish(.activity, first, try due(ana.id, read, "Read"))
      // Each device shows both.
      var pushes: [PushService.Push] = []
      for _ in 0..<4 { pushes.append(try await service.next()) }
      try await untilIdle(services)
      let onPhone = try pushes.filter { $0.path.hasSuffix("phone") }.map {
        try #require(try JSONTape(Array($0.text.utf8)).json["notification"])
      }
      let shown = try #require(onPhone.first { $0["title"] == "Run" })
      guard case .string(let token) = shown["data"]?["reminderToken"] else {
        Issue.record("no token")
        return
      }
      let nobody = Person(bus: services.gateway, caller: Caller(kind: .anonymous))
      for _ in 0..<2 { _ = try await nobody.send(AnswerReminderByLink.self, .init(token: token, answer: reply)) }
      // As activity tells it once the entry is written.
      try await services.publish(.activity, ReminderWithdrawn(accountID: ana.id, activityID: run, day: first.day))
      try await services.hasReceived(.notifications, of: .activity)
      let tablet = try await next(1, service)
      #expect(tablet["tablet"]?["title"] == "No longer current" && tablet["tablet"]?["silent"] == true)
      #expect(tablet["tablet"]?["data"]?["reminderToken"] == nil)
      try await untilIdle(services)
      // Nothing else went to either, and the other activity's reminder stands.
      _ = try await ana.send(AnswerReminder.self, .init(notificationID: onlyNotification(of: ana), answer: .done))
      let both = try await next(2, service)
      #expect(both["phone"]?["title"] == "No longer current" && both["tablet"]?["title"] == "No longer current")
      #expect(both["phone"]?["tag"] != shown["tag"])
      try await untilIdle(services)
      #expect(try await log(ana) == ["reminderDue sent", "reminderDue sent"])
    }
  }

  private func onlyNotification(of person: Person) async throws -> ID<NotificationsContract.Notification> {
    let items = try await person.send(ListNotifications.self, .init(category: .reminders)).items
    try #require(items.count == 1)
    return items[0].id
  }

  @Test(
    "If a day's second reminder has not reached a device, 'done' replaces the first there, and the second is never sent"
  )
  func halfway() async throws {
    try await run { services, service, ana in
      try await subscribe(ana, service, "/push/201/phone")
      try await subscribe(ana, service, "/push/201,503,201/tablet")
      let activity = ActivityID()
      try await services.publish(.activity, try due(ana.id, activity, "Run"))
      _ = try await next(2, service)
      try await untilIdle(services)
      let second = try due(ana.id, activity, "Run", time: "08:00")
      try await services.publish(.activity, second)
      // The tablet's push service has no time for it.
      _ = try await next(2, service)
      let store = services.store(of: .notifications)
      try await store.until(within: .seconds(20)) {
        try await store.read {
          try Int.fetchOne(
            $0,
            sql: """
              SELECT count(*) FROM push_requests r JOIN push_messages m ON m.message_id = r.message_id
              WHERE r.attempts = 1 AND r.state = 'waiting' AND m.was_sent = 1
              """)
        } == 1
      }
      try await services.publish(.activity, ReminderWithdrawn(accountID: ana.id, activityID: activity, day: second.day))
      let both = try await next(2, service)
      for device in ["phone", "tablet"] {
        #expect(both[device]?["title"] == "No longer current" && both[device]?["silent"] == true, "\(device)")
      }
      try await untilIdle(services)
      #expect(try await log(ana) == ["reminderDue sent", "reminderDue sent"])
      // A repetition finds nothing shown.
      try await services.publish(.activity, ReminderWithdrawn(accountID: ana.id, activityID: activity, day: second.day))
      try await services.hasReceived(.notifications, of: .activity)
      #expect(try await store.rows("push_messages") == 0)
    }
  }

  @Test("A newer reminder supersedes a replacement that could not be pushed yet, which is not sent later")
  func newer() async throws {
    try await run { services, service, ana in
      try await subscribe(ana, service, "/push/201,503,201/phone")
      let activity = ActivityID()
      let first = try due(ana.id, activity, "Run")
      try await services.publish(.activity, first)
      _ = try await next(1, service)
      try await untilIdle(services)
      try await services.publish(.activity, ReminderWithdrawn(accountID: ana.id, activityID: activity, day: first.day))
      #expect(try await next(1, service)["phone"]?["title"] == "No longer current")
      let store = services.store(of: .notifications)
      try await store.until(within: .seconds(20)) {
        try await store.read { try Int.fetchOne($0, sql: "SELECT 1 FROM push_requests WHERE state = 'waiting'") } != nil
      }
      try await services.publish(.activity, try due(ana.id, activity, "Run", time: "20:00"))
      #expect(try await next(1, service)["phone"]?["title"] == "Run")
      try await untilIdle(services)
    }
  }

  @Test("A device on which a reminder was opened before it was answered in the app gets no replacement; another does")
  func opened() async throws {
    try await run { services, service, ana in
      let other = Person(
        bus: services.gateway, caller: Caller(kind: .account, account: ana.id, session: SessionID(), isVerified: true))
      try await subscribe(ana, service, "/push/201/phone")
      try await subscribe(other, service, "/push/201/tablet")
      try await services.publish(.activity, try due(ana.id, ActivityID(), "Run"))
      _ = try await next(2, service)
      try await untilIdle(services)
      let delivery = try await ana.send(ListDeliveries.self, .init(channel: .push)).items[0].id
      _ = try await ana.send(OpenPush.self, .init(deliveryID: delivery))
      _ = try await ana.send(AnswerReminder.self, .init(notificationID: onlyNotification(of: ana), answer: .done))
      let one = try await next(1, service)
      #expect(one["tablet"]?["title"] == "No longer current")
      try await untilIdle(services)
      // What comes next is the next there is.
      try await services.publish(.activity, try due(ana.id, ActivityID(), "Read"))
      #expect(Set(try await next(2, service).values.map { $0["title"] }) == ["Read"])
    }
  }

  @Test("Completing the day before leaves today's newer reminder on devices")
  func dayBefore() async throws {
    try await run { services, service, ana in
      try await subscribe(ana, service, "/push/201/phone")
      let activity = ActivityID()
      let yesterday = try due(ana.id, activity, "Run", time: "23:00", day: "2026-11-20")
      for event in [yesterday, try due(ana.id, activity, "Run", time: "00:30")] {
        try await services.publish(.activity, event)
        _ = try await next(1, service)
        try await untilIdle(services)
      }
      try await services.publish(.activity, ReminderWithdrawn(accountID: ana.id, activityID: activity, day: yesterday.day))
      try await services.hasReceived(.notifications, of: .activity)
      #expect(try await services.store(of: .notifications).rows("push_messages") == 0)
    }
  }
}
