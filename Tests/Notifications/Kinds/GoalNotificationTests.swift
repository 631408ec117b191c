import ActivityContract
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

@Suite("Reminders of goals and congratulations (NOT-3; E UC-07)", .timeLimit(.minutes(1)))
final class GoalNotificationTests {
  let identity = IdentityDouble()
  let home = "/tmp/racha-goals-\(UInt32.random(in: .min ... .max))"

  deinit { try? FileManager.default.removeItem(atPath: home) }

  private func run(
    at now: String = "2026-11-21T12:00:00.000Z", _ carrier: WatchedCarrier = WatchedCarrier(),
    _ body: (ServicesInProcess) async throws -> Void
  ) async throws {
    let build: ServicesInProcess.Build = { environment in
      try Notifications.service(environment, MailSettings(environment.settings, environment.home), carrier)
    }
    let others: [ServicesInProcess.Build] = [
      { _ in ServiceDefinition(.activity, migrations: []) }, { _ in ServiceDefinition(.social, migrations: []) },
    ]
    try await ServicesInProcess.running([build] + others, identity: identity, at: now, home: home, body)
  }

  private func person(_ services: ServicesInProcess, _ language: Language = .english) async throws -> Person {
    let person = try await services.register(language: language)
    try await services.hasReceived(.notifications, of: .identity)
    return person
  }

  private func again(_ person: Person, _ services: ServicesInProcess) -> Person {
    Person(bus: services.gateway, caller: Caller(kind: .account, account: person.id, session: SessionID(), isVerified: true))
  }

  private func event(
    _ person: Person, _ steps: Int, of goal: Int, _ period: GoalPeriod = .day, _ day: String = "2026-11-21", isOver: Bool = false
  ) throws -> StepGoalProgressed {
    StepGoalProgressed(
      accountID: person.id, period: period, firstDay: try LocalDay(text: day), goal: goal, steps: steps,
      isReached: steps >= goal, isOver: isOver)
  }

  private func cleared(_ person: Person, _ period: GoalPeriod = .day) -> StepGoalChanged {
    StepGoalChanged(accountID: person.id, period: period, goal: nil, revision: 9)
  }

  private func texts(_ person: Person, _ services: ServicesInProcess) async throws -> [String] {
    try await services.hasReceived(.notifications, of: .activity)
    return try await person.send(ListNotifications.self, .init(category: .goals)).items.map(\.text)
  }

  private func log(_ person: Person, _ channel: NotificationChannel) async throws -> [String] {
    try await person.send(ListDeliveries.self, .init(channel: channel)).items.map {
      [$0.kind, $0.state.rawValue, $0.reason].compactMap { $0 }.joined(separator: " ")
    }
  }

  /// By mail, which needs no device to be watched.
  private func mailGoals(_ person: Person) async throws {
    _ = try await person.send(UpdateNotificationPreferences.self, .init(choices: [.init(category: .goals, .email, isOn: true)]))
  }

  private func setQuietHours(_ person: Person) async throws {
    _ = try await person.send(
      SetQuietHours.self, QuietHours(startsAt: QuietTime(text: "22:00"), endsAt: QuietTime(text: "07:00")))
  }

  @Test(
    "UC-07 1 to 7: nearing a daily or weekly goal sends a reminder, reaching it congratulations, each once and in the inbox"
  )
  func main() async throws {
    try await run { services in
      let (ana, bea) = (try await person(services), try await person(services, .spanish))
      let near = try event(ana, 9000, of: 10_000)
      try await services.publish(.activity, near, near, try event(ana, 19_000, of: 20_000, .week, "2026-11-16"))
      #expect(
        try await texts(ana, services) == [
          "You are close to your weekly goal of 20,000 steps. Steps to go: 1,000.",
          "You are close to your daily goal of 10,000 steps. Steps to go: 1,000.",
        ])
      let reached = try event(ana, 10_050, of: 10_000)
      try await services.publish(.activity, reached, reached, try event(bea, 12_500, of: 12_500))
      // The reminder is no longer true.
      #expect(
        try await texts(ana, services) == [
          "Congratulations! You reached 10,000 steps today!",
          "You are close to your weekly goal of 20,000 steps. Steps to go: 1,000.",
        ])
      #expect(try await texts(bea, services) == ["¡Enhorabuena! ¡Has alcanzado 12.500 pasos hoy!"])
      // What came late says of which day, and reminds of none that is over.
      try await services.publish(
        .activity, try event(ana, 9000, of: 10_000, .day, "2026-11-20", isOver: true),
        try event(ana, 10_000, of: 10_000, .day, "2026-11-19", isOver: true),
        try event(ana, 20_000, of: 20_000, .week, "2026-11-16"))
      #expect(
        try await texts(ana, services).prefix(2) == [
          "Congratulations! You reached 20,000 steps this week!", "Congratulations! You reached 10,000 steps on 2026-11-19!",
        ])
    }
  }

  @Test("UC-07 AF-01: switched-off goal notifications are logged as silent, and alert nobody")
  func switchedOff() async throws {
    try await run { services in
      let ana = try await person(services)
      _ = try await ana.send(UpdateNotificationPreferences.self, .init(choices: [.init(category: .goals, .inbox, isOn: false)]))
      try await services.publish(.activity, try event(ana, 9000, of: 10_000), try event(ana, 10_000, of: 10_000))
      #expect(try await texts(ana, services).isEmpty)
      #expect(try await log(ana, .inbox) == ["stepGoalReached silent switched_off", "stepGoalNear silent switched_off"])
    }
  }

  @Test("UC-07 AF-02: an undeliverable goal notification waits until it can be delivered")
  func unreachable() async throws {
    let carrier = WatchedCarrier { _ throws(MailFailure) in throw .connection }
    var account: Person?
    try await run(at: "2026-11-21T12:00:00.000Z", carrier) { services in
      let ana = try await person(services)
      account = ana
      try await mailGoals(ana)
      try await services.publish(.activity, try event(ana, 10_000, of: 10_000))
      #expect(try await carrier.next(1)[0].failure == .connection)
      #expect(try await log(ana, .email) == ["stepGoalReached queued"])
    }
    let ana = try #require(account)
    let working = WatchedCarrier()
    try await run(at: "2026-11-21T14:00:00.000Z", working) { services in
      let letter = try await working.next(1)[0].letter
      let text = String(decoding: letter.bytes, as: UTF8.self).replacingOccurrences(of: "=\r\n", with: "")
      #expect(text.contains("Congratulations! You reached 10,000 steps today!"))
      let again = again(ana, services)
      try await services.store(of: .notifications).until { try await log(again, .email) == ["stepGoalReached sent"] }
    }
  }

  @Test(
    "UC-07 AF-03: clearing a goal removes its reminder from the inbox and the queue; what was reached stays"
  )
  func goalCleared() async throws {
    let carrier = WatchedCarrier()
    var account: Person?
    try await run(at: "2026-11-21T22:30:00.000Z") { services in
      let ana = try await person(services)
      account = ana
      try await mailGoals(ana)
      try await setQuietHours(ana)
      try await services.publish(
        .activity, try event(ana, 10_000, of: 10_000), try event(ana, 19_000, of: 20_000, .week, "2026-11-16"),
        try event(ana, 30_000, of: 30_000, .week, "2026-11-09", isOver: true))
      #expect(try await texts(ana, services).count == 3)
      #expect(
        try await log(ana, .email) == [
          // In the morning 'today' would be another day.
          "stepGoalReached held quiet_hours", "stepGoalNear held quiet_hours", "stepGoalReached silent late",
        ])
      try await services.publish(.activity, cleared(ana, .week))
      #expect(try await texts(ana, services).count == 2)
      #expect(
        try await log(ana, .email) == [
          "stepGoalReached silent withdrawn", "stepGoalNear silent withdrawn", "stepGoalReached silent late",
        ])
      try await services.publish(.activity, cleared(ana))
      #expect(try await texts(ana, services).count == 2)
    }
    // In the morning nothing is mailed.
    let ana = try #require(account)
    try await run(at: "2026-11-22T07:00:00.000Z", carrier) { services in
      #expect(try await log(again(ana, services), .email).allSatisfy { $0.contains(" silent ") })
      let mails = try await services.store(of: .notifications).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM mails") }
      #expect(mails == 0)
    }
  }

  @Test("A reminder of a daily goal held by quiet hours past its day is not sent, and one of a weekly goal is")
  func overNight() async throws {
    try await run(at: "2026-11-20T22:30:00.000Z") { services in
      let ana = try await person(services)
      try await mailGoals(ana)
      try await setQuietHours(ana)
      try await services.publish(
        .activity, try event(ana, 9000, of: 10_000, .day, "2026-11-20"), try event(ana, 19_000, of: 20_000, .week, "2026-11-16"))
      #expect(try await texts(ana, services).count == 2)
      #expect(try await log(ana, .email) == ["stepGoalNear held quiet_hours", "stepGoalNear silent late"])
    }
  }

  @Test("A daily notification held by quiet hours is dropped after its day, and logged as late")
  func lengthened() async throws {
    try await run(at: "2026-11-21T20:30:00.000Z") { services in
      let ana = try await person(services)
      try await mailGoals(ana)
      func set(until end: String) async throws {
        _ = try await ana.send(
          SetQuietHours.self, QuietHours(startsAt: QuietTime(text: "20:00"), endsAt: QuietTime(text: end)))
      }
      try await set(until: "23:00")
      try await services.publish(
        .activity, try event(ana, 9000, of: 10_000), try event(ana, 19_000, of: 20_000, .week, "2026-11-16"))
      #expect(try await texts(ana, services).count == 2)
      #expect(try await log(ana, .email) == ["stepGoalNear held quiet_hours", "stepGoalNear held quiet_hours"])
      try await set(until: "07:00")
      let store = services.store(of: .notifications)
      try await store.until(within: .seconds(10)) {
        // The week's waits until Sunday morning; it is of the week.
        try await log(ana, .email) == ["stepGoalNear held quiet_hours", "stepGoalNear silent late"]
      }
      let late = try await ana.send(ListDeliveries.self, .init(channel: .email)).items.last
      #expect(late?.explanation == "It was too late to send it.")
    }
  }

  @Test("A goal notification that arrives after its day goes to the inbox, and is neither mailed nor pushed")
  func afterItsDay() async throws {
    try await run(at: "2026-11-22T00:10:00.000Z") { services in
      let ana = try await person(services)
      try await mailGoals(ana)
      try await services.publish(.activity, try event(ana, 9000, of: 10_000), try event(ana, 10_000, of: 10_000))
      #expect(try await texts(ana, services) == ["Congratulations! You reached 10,000 steps today!"])
      #expect(try await log(ana, .email) == ["stepGoalReached silent late", "stepGoalNear silent late"])
    }
  }

  @Test("An inactivity notice is sent once, and removed when the account moves again or turns notices off")
  func inactivity() async throws {
    try await run { services in
      let ana = try await person(services)
      let notice = ID<InactivityNotice>()
      let noticed = InactivityDetected(noticeID: notice, accountID: ana.id, days: 3, at: services.clock.now)
      try await services.publish(.activity, noticed, noticed)
      #expect(try await texts(ana, services) == ["Days without any movement: 3. A short walk counts, too."])
      try await services.publish(.activity, InactivityEnded(noticeID: notice, accountID: ana.id))
      #expect(try await texts(ana, services).isEmpty)
    }
  }

  @Test("A member leaving a team and a declined challenge are reported in the inbox only")
  func inboxOnly() async throws {
    try await run { services in
      let ana = try await person(services)
      try await mailGoals(ana)
      try await services.publish(
        .social,
        TeamMemberLeft(
          accountID: ana.id, noticeID: ID(), teamID: ID(), teamName: TeamName(text: "Foxes"), memberAccountID: AccountID(),
          memberUsername: Username(text: "ben"), at: services.clock.now))
      try await services.hasReceived(.notifications, of: .social)
      let items = try await ana.send(ListNotifications.self, .init(category: .teams)).items
      #expect(items.map(\.text) == ["ben has left “Foxes”."])
      try await services.publish(
        .social,
        FriendChallengeChanged(
          friendChallengeID: ID(), accountID: ana.id, direction: .sent, otherAccountID: AccountID(),
          otherUsername: Username(text: "ben"), activityTitle: "Walk", activityID: nil, state: .rejected, revision: 2,
          at: services.clock.now))
      try await services.hasReceived(.notifications, of: .social)
      let declined = try await ana.send(ListNotifications.self, .init(category: .challenges)).items
      #expect(declined.map(\.kind) == ["friendChallengeRejected"])
      #expect(declined.map(\.text) == ["ben declined your challenge “Walk”."])
      // Nobody is called for it, unless they choose so.
      let preferences = try await ana.send(GetNotificationPreferences.self, .init()).items
      let usual = try #require(preferences.first { $0.kind == "friendChallengeRejected" })
      #expect([usual.inbox, usual.email, usual.push] == [.on, .off, .off])
    }
  }
}
