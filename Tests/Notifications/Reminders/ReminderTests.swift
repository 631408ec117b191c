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

@Suite("Delivery of reminders and their answers (NOT-2)", .timeLimit(.minutes(1)))
struct ReminderTests {
  private let identity = IdentityDouble()
  private let links = ReminderLinks(secret: Array(repeating: 7, count: 32), publicURL: "https://racha.example")

  /// Stands in for activity: it only publishes.
  private static let activity: ServicesInProcess.Build = { _ in ServiceDefinition(.activity, migrations: []) }

  private func run(
    at now: String? = nil, _ carrier: WatchedCarrier = WatchedCarrier(), settings: [String: String] = [:],
    _ body: (ServicesInProcess) async throws -> Void
  ) async throws {
    let build: ServicesInProcess.Build = { environment in
      try Notifications.service(environment, MailSettings(environment.settings, environment.home), carrier)
    }
    let settings = settings.merging(["racha.publicUrl": "https://racha.example"]) { $1 }
    try await ServicesInProcess.running(
      [build, Self.activity], identity: identity, settings: settings, at: now ?? Self.morning, body)
  }

  private static let morning = "2026-11-21T07:30:00.000Z"

  private func due(
    _ account: AccountID, _ activity: ActivityID = ActivityID(), _ title: String = "Run", time: String = "07:30",
    day: String = "2026-11-21", again: Bool = false, missed: Bool = false, at: String = morning,
    endsAt: String = "2026-11-22T00:00:00.000Z"
  ) throws -> ReminderDue {
    ReminderDue(
      accountID: account, reminderID: ID(), activityID: activity, title: title, day: try LocalDay(text: day),
      time: try ReminderTime(text: time), isAgain: again, dueAt: try Instant(text: at), endsAt: try Instant(text: endsAt),
      isMissed: missed)
  }

  private func person(_ services: ServicesInProcess, language: Language = .english) async throws -> Person {
    let person = try await services.register(language: language)
    try await services.hasReceived(.notifications, of: .identity)
    return person
  }

  private func publish(_ services: ServicesInProcess, _ events: any Event...) async throws {
    for event in events { try await services.publish(.activity, event) }
    try await services.hasReceived(.notifications, of: .activity)
  }

  private func inbox(_ person: Person) async throws -> [NotificationsContract.Notification] {
    try await person.send(ListNotifications.self, .init(category: .reminders)).items
  }

  private func log(_ person: Person) async throws -> [String] {
    try await person.send(ListDeliveries.self, .init()).items.map {
      [$0.channel.rawValue, $0.kind, $0.state.rawValue, $0.reason].compactMap { $0 }.joined(separator: " ")
    }
  }

  private func answers(_ services: ServicesInProcess) async throws -> [ReminderAnswered] {
    try await services.published(by: .notifications).filter { $0.name == ReminderAnswered.spec.name }
      .map { try ReminderAnswered.decode($0.body) }
  }

  private func mailed(_ person: Person) async throws {
    _ = try await person.send(
      UpdateNotificationPreferences.self, .init(choices: [.init(category: .reminders, .email, isOn: true)]))
  }

  private func text(_ letter: Letter) -> String {
    String(decoding: letter.bytes, as: UTF8.self).replacingOccurrences(of: "=\r\n", with: "")
  }

  private func token(_ letter: Letter) throws -> String {
    let start = try #require(text(letter).range(of: "https://racha.example/reminder?token=3D"))
    return String(text(letter)[start.upperBound...].prefix { $0 != "&" })
  }

  @Test("A reminder's token names it, and changed, truncated or foreign tokens are refused")
  func tokens() throws {
    let id = ID<Reminder>()
    let device = ID<PushSubscription>()
    let (mailed, pushed) = (links.token(id), links.token(id, to: device))
    #expect(links.read(mailed) == .init(reminder: id, device: nil) && links.read(pushed) == .init(reminder: id, device: device))
    #expect(mailed == links.token(id) && mailed.utf8.count == 44 && pushed == links.token(id, to: device))
    let other = ReminderLinks(secret: Array(repeating: 8, count: 32), publicURL: "")
    for token in [mailed, pushed] {
      let bytes = try #require(Base64URL.decode(token))
      for index in bytes.indices {
        var changed = bytes
        changed[index] ^= 1
        #expect(links.read(Base64URL.encode(changed)) == nil && links.read(Base64URL.encode(Array(bytes.prefix(index)))) == nil)
      }
      #expect(other.read(token) == nil)
    }
    #expect(links.read("ñ") == nil && links.read("") == nil)
  }

  @Test(
    "A reminder is once in the inbox, in its owner's language, and answered there once, by its owner only")
  func fromInbox() async throws {
    try await run { services in
      let (ana, ben) = (try await person(services), try await person(services, language: .spanish))
      let event = try due(ana.id)
      // The same once more, as activity tells it after a restore.
      var repeated = event
      repeated.reminderID = ID()
      let other = try due(ben.id, ActivityID(), "Correr")
      try await publish(services, event, event, repeated, other)
      let (items, others) = (try await inbox(ana), try await inbox(ben))
      #expect(items.map(\.text) == ["It is time for “Run” (07:30)."] && items[0].title == "Run")
      #expect(others.map(\.text) == ["Es la hora de «Correr» (07:30)."])
      #expect(items[0].links.activityID?.description == event.activityID.description)
      let wrong = AnswerReminder.Input(notificationID: others[0].id, answer: .done)
      #expect(try await ana.failure(AnswerReminder.self, wrong) == "not_found")
      #expect(
        try await ana.failure(AnswerReminder.self, .init(notificationID: items[0].id, answer: .again, minutes: 0))
          == "invalid_fields")
      let minutes = AnswerReminder.Input(notificationID: items[0].id, answer: .done, minutes: 30)
      #expect(try await ana.failure(AnswerReminder.self, minutes) == "invalid_fields")
      let answered = try await ana.send(AnswerReminder.self, .init(notificationID: items[0].id, answer: .done))
      #expect(answered.title == "Run" && answered.answer == .done && answered.remindAt == nil)
      // Repeated, as by a client that lost what it was answered, it is the same; another answer comes too late.
      let again = try await ana.send(AnswerReminder.self, .init(notificationID: items[0].id, answer: .done))
      #expect(again == answered)
      let later = AnswerReminder.Input(notificationID: items[0].id, answer: .again, minutes: 10)
      #expect(try await ana.failure(AnswerReminder.self, later) == "reminder_answered")
      #expect(try await ben.failure(AnswerReminder.self, later) == "not_found")
      let published = try await answers(services)
      #expect(published.count == 1 && published[0].accountID == ana.id && published[0].activityID == event.activityID)
      #expect(published[0].answer == .done && published[0].day == event.day && published[0].reminderID == event.reminderID)
      #expect(try await inbox(ana).isEmpty)
      #expect(try await inbox(ben).count == 1)
      #expect(try await ana.send(CountUnreadNotifications.self, .init()).unreadCount == 0)
      // Nothing of an erased account is left.
      try await services.delete(ana, receivedBy: .notifications)
      #expect(try await services.store(of: .notifications).rows("reminders") == 1)
    }
  }

  @Test("A mailed reminder is answered by its link without login, once, until its day ends")
  func byMail() async throws {
    let carrier = WatchedCarrier()
    try await run(carrier) { services in
      let ana = try await person(services)
      try await mailed(ana)
      let (first, second, third) = (try due(ana.id), try due(ana.id, ActivityID(), "Read"), try due(ana.id, ActivityID(), "Cook"))
      try await publish(services, first, second, third)
      let letters = try await carrier.next(3).map(\.letter).sorted { text($0) < text($1) }
      func letter(_ title: String) throws -> Letter { try #require(letters.first { text($0).contains("=80=9C\(title)=") }) }
      #expect(text(try letter("Run")).contains("References: <reminder-\(first.activityID)@"))
      #expect(text(try letter("Run")).contains("List-Unsubscribe-Post"))
      let nobody = Person(bus: services.gateway, caller: Caller(kind: .anonymous))
      let run = try token(try letter("Run"))
      let found = try await nobody.send(GetReminder.self, .init(token: run))
      #expect(found.title == "Run" && found.answer == nil && "\(found.time)" == "07:30")
      #expect(try await answers(services).isEmpty)
      for _ in 1...2 {
        let minutes = AnswerReminderByLink.Input(token: run, answer: .done, minutes: 30)
        #expect(try await nobody.failure(AnswerReminderByLink.self, minutes) == "invalid_fields")
        let answered = try await nobody.send(AnswerReminderByLink.self, .init(token: run, answer: .again, minutes: 30))
        #expect(answered.remindAt == services.clock.now.adding(seconds: 1800))
      }
      #expect(try await nobody.failure(AnswerReminderByLink.self, .init(token: run, answer: .done)) == "reminder_answered")
      #expect(try await nobody.send(GetReminder.self, .init(token: run)).answer == .again)
      let read = try token(try letter("Read"))
      #expect(try await nobody.send(AnswerReminderByLink.self, .init(token: read, answer: .done)).answer == .done)
      let published = try await answers(services)
      #expect(published.map(\.answer) == [.again, .done] && published[0].remindAt == services.clock.now.adding(seconds: 1800))
      // Done elsewhere.
      let cook = try token(try letter("Cook"))
      try await publish(services, ReminderWithdrawn(accountID: ana.id, activityID: third.activityID, day: third.day))
      #expect(try await nobody.failure(AnswerReminderByLink.self, .init(token: cook, answer: .done)) == "reminder_over")
      #expect(try await inbox(ana).isEmpty)
      for wrong in ["nothing", String(run.dropLast()), run + "A"] {
        #expect(try await nobody.failure(GetReminder.self, .init(token: wrong)) == "reminder_not_found")
      }
      try await services.change(ana, receivedBy: .notifications) { $0.suspendedUntil = .endOfTime }
      #expect(try await nobody.failure(AnswerReminderByLink.self, .init(token: read, answer: .done)) == "reminder_not_found")
    }
  }

  @Test("A reminder link expires when its day ends")
  func expired() async throws {
    let carrier = WatchedCarrier()
    try await run(carrier) { services in
      let ana = try await person(services)
      try await mailed(ana)
      try await publish(services, try due(ana.id))
      let token = try token(try await carrier.next(1)[0].letter)
      let item = try #require(try await inbox(ana).first)
      try services.clock.set("2026-11-22T00:00:00.000Z")
      let nobody = Person(bus: services.gateway, caller: Caller(kind: .anonymous))
      #expect(try await nobody.failure(GetReminder.self, .init(token: token)) == "reminder_over")
      #expect(try await nobody.failure(AnswerReminderByLink.self, .init(token: token, answer: .done)) == "reminder_over")
      #expect(try await ana.failure(AnswerReminder.self, .init(notificationID: item.id, answer: .done)) == "reminder_over")
      #expect(try await answers(services).isEmpty)
    }
  }

  @Test("A missed reminder is logged once for each active channel with the reason, and alerts nobody")
  func missed() async throws {
    try await run { services in
      let ana = try await person(services)
      try await mailed(ana)
      let event = try due(ana.id, missed: true)
      try await publish(services, event, event)
      #expect(try await log(ana).sorted() == ["email reminderDue silent late", "inbox reminderDue silent late"])
      #expect(try await inbox(ana).isEmpty)
      #expect(try await services.store(of: .notifications).rows("reminders") == 0)
      // Notifications itself was away.
      try await publish(services, try due(ana.id, at: "2026-11-21T07:00:00.000Z"))
      #expect(try await inbox(ana).isEmpty)
      #expect(try await log(ana).count { $0 == "inbox reminderDue silent late" } == 2)
    }
  }

  @Test("A newer reminder of an activity replaces the former one, and no other activity's")
  func replaced() async throws {
    try await run { services in
      let ana = try await person(services)
      let (run, read) = (ActivityID(), ActivityID())
      try await publish(
        services, try due(ana.id, run), try due(ana.id, read, "Read"), try due(ana.id, run, time: "08:00"),
        try due(ana.id, run, time: "08:00", again: true, at: "2026-11-21T08:30:00.000Z"))
      #expect(try await inbox(ana).map(\.title) == ["Run", "Read"])
      #expect(try await ana.send(CountUnreadNotifications.self, .init()).unreadCount == 2)
    }
  }

  @Test("Reminders held by quiet hours are sent in the morning, unless their day is done or over by then")
  func quietHours() async throws {
    let carrier = WatchedCarrier()
    let night = "2026-11-21T22:30:00.000Z"
    try await run(at: night, carrier) { services in
      let ana = try await person(services)
      try await mailed(ana)
      _ = try await ana.send(
        SetQuietHours.self, QuietHours(startsAt: QuietTime(text: "22:00"), endsAt: QuietTime(text: "23:30")))
      func held(_ title: String, endsAt: String = "2026-11-22T00:00:00.000Z") throws -> ReminderDue {
        try due(ana.id, ActivityID(), title, at: night, endsAt: endsAt)
      }
      let over = try held("Over", endsAt: "2026-11-21T23:00:00.000Z")
      let (done, open) = (try held("Done"), try held("Open"))
      try await publish(services, over, done, open)
      // Nothing waits until it is of no use.
      #expect(try await log(ana).count { $0 == "email reminderDue held quiet_hours" } == 2)
      #expect(try await log(ana).count { $0 == "email reminderDue silent late" } == 1)
      try await publish(services, ReminderWithdrawn(accountID: ana.id, activityID: done.activityID, day: done.day))
      try services.clock.set("2026-11-21T23:30:00.000Z")
      _ = try await ana.send(ClearQuietHours.self, .init())
      let letter = try await carrier.next(1)[0].letter
      #expect(text(letter).contains("=80=9COpen="))
      try await services.store(of: .notifications).until(within: .seconds(10)) {
        try await log(ana).contains("email reminderDue sent")
      }
      let mails = try await log(ana).filter { $0.hasPrefix("email") }.sorted()
      #expect(mails == ["email reminderDue sent", "email reminderDue silent late", "email reminderDue silent withdrawn"])
    }
  }

  @Test("A reminder's push has a button for each answer, and the token for it", .enabled(if: PushService.python != nil))
  func pushed() async throws {
    try await PushService.run { service in
      try await run(settings: ["racha.push.allowedOrigins": service.origin]) { services in
        let ana = try await person(services, language: .spanish)
        _ = try await ana.send(CreatePushSubscription.self, try service.subscription("/push/201/ana"))
        try await publish(services, try due(ana.id, ActivityID(), "Correr"))
        let push = try await service.next()
        #expect(push.ttl <= 4 * 3600)
        let shown = try #require(try JSONTape(Array(push.text.utf8)).json["notification"])
        #expect(shown["title"] == "Correr" && shown["tag"] == .string(push.topic))
        guard case .string(let token) = shown["data"]?["reminderToken"], case .array(let actions) = shown["actions"] else {
          Issue.record("no answers")
          return
        }
        #expect(actions.map { $0["action"] } == ["done", "again"])
        #expect(actions.map { $0["title"] } == ["Hecho", "Recordármelo más tarde"])
        #expect(actions[0]["navigate"] == .string("https://racha.example/reminder?token=\(token)&answer=done"))
        let nobody = Person(bus: services.gateway, caller: Caller(kind: .anonymous))
        #expect(try await nobody.send(AnswerReminderByLink.self, .init(token: token, answer: .done)).title == "Correr")
      }
    }
  }
}
