import ActivityContract
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

@Suite("When a weekly summary is due (NOT-3)")
struct WeeklySummaryRulesTests {
  @Test(
    "A weekly summary is due at eight on Monday in the account's time zone, also across a clock change",
    arguments: [
      ("UTC", 0, "2026-11-16", "2026-11-23T08:00:00.000Z"), ("America/New_York", 6, "2026-11-16", "2026-11-23T13:00:00.000Z"),
      ("Asia/Kolkata", 0, "2026-11-16", "2026-11-23T02:30:00.000Z"),
      ("Europe/Madrid", 0, "2026-10-19", "2026-10-26T07:00:00.000Z"),
      ("Europe/Madrid", 0, "2026-03-23", "2026-03-30T06:00:00.000Z"),
    ])
  func due(zone: String, hour: Int, monday: String, expected: String) throws {
    let calendar = LocalCalendar(TimeZones().offsets(zone), dayStartHour: hour)
    #expect(WeeklySummaryRules.due(try LocalDay(text: monday), calendar).description == expected)
  }

  @Test("Only the last of several missed weekly summaries is sent")
  func missed() throws {
    let first = try LocalDay(text: "2026-11-16")
    for (today, week) in [("2026-11-23", "2026-11-16"), ("2026-11-29", "2026-11-16"), ("2026-12-08", "2026-11-30")] {
      #expect(WeeklySummaryRules.week(dueFrom: first, today: try LocalDay(text: today)).description == week)
    }
  }
}

@Suite("Weekly summaries (NOT-3)", .timeLimit(.minutes(1)))
final class WeeklySummaryTests {
  private static let note = "racha.example/register\n12\nq3PkXnkqLcm0Qk5d3mZ0mZ0mZ0m4=\n\n— racha.example/register AbCdEf==\n"
  let identity = IdentityDouble()
  let weeks = WeekDoubles()
  let home = "/tmp/racha-weeks-\(UInt32.random(in: .min ... .max))"

  deinit { try? FileManager.default.removeItem(atPath: home) }

  private func run(
    at now: String, _ carrier: WatchedCarrier = WatchedCarrier(), _ body: (ServicesInProcess) async throws -> Void
  ) async throws {
    let build: ServicesInProcess.Build = { environment in
      try Notifications.service(environment, MailSettings(environment.settings, environment.home), carrier)
    }
    try await ServicesInProcess.running(
      [build] + weeks.builds, identity: identity, settings: ["racha.publicUrl": "https://racha.example"], at: now, home: home,
      body)
  }

  private func again(_ person: Person, _ services: ServicesInProcess) -> Person {
    Person(bus: services.gateway, caller: Caller(kind: .account, account: person.id, session: SessionID(), isVerified: true))
  }

  /// Those who take part, known since the week before the one that is told.
  private func join(_ languages: [Language], zones: [String] = []) async throws -> [Person] {
    var people: [Person] = []
    try await run(at: "2026-11-18T12:00:00.000Z") { services in
      for (index, language) in languages.enumerated() {
        people.append(
          try await services.register(timeZone: index < zones.count ? zones[index] : "UTC", language: language))
      }
      try await services.hasReceived(.notifications, of: .identity)
      try await untilPlanned(services)
      // Some looks are made without anything being due.
      #expect(weeks.asked == 0)
    }
    return people
  }

  /// Until nobody is to be looked at before a later time.
  private func untilPlanned(_ services: ServicesInProcess) async throws {
    let now = services.clock.now
    let store = services.store(of: .notifications)
    try await store.until {
      try await store.read { database in
        try Int.fetchOne(database, sql: "SELECT count(*) FROM weekly_summaries WHERE due_at <= ?", arguments: [now]) == 0
      }
    }
  }

  private func texts(_ person: Person, _ services: ServicesInProcess) async throws -> [String] {
    try await again(person, services).send(ListNotifications.self, .init(category: .goals)).items.map(\.text)
  }

  /// What it says to who reads Spanish.
  private func spanish(_ person: Person, _ services: ServicesInProcess) async throws -> [String] {
    try await again(person, services).send(ListNotifications.self, .init(category: .goals)).items.compactMap {
      $0.parameters["summary.es"]?.description
    }
  }

  @Test(
    "On Monday each account gets one summary of its week in its language, despite restarts, and none of an empty week"
  )
  func once() async throws {
    let people = try await join([.english, .spanish, .english])
    let (ana, bea, idle) = (people[0], people[1], people[2])
    weeks.set(
      ana.id, steps: 43_210, kept: [KeptStreak(title: "Run", current: 12, unit: .days)], broken: ["Read"], earned: 430,
      spent: 250,
      balance: 1200, accepted: 1)
    weeks.set(bea.id, steps: 500)
    weeks.setCheckpoint(Self.note)
    try await run(at: "2026-11-23T07:59:00.000Z") { services in
      try await untilPlanned(services)
      #expect(weeks.asked == 0)
    }
    for now in ["2026-11-23T08:00:00.000Z", "2026-11-23T08:00:01.000Z", "2026-11-29T23:00:00.000Z"] {
      try await run(at: now) { services in
        try await untilPlanned(services)
        #expect(
          try await texts(ana, services) == [
            "2026-11-16 to 2026-11-22: Steps: 43,210, on 5 of 7 days. Entries done: 7. Streaks kept: 1. Streaks broken: 1. "
              + "Coins earned: 430. Coins spent: 250. Balance: 1,200. Your challenges that friends accepted: 1."
          ])
        #expect(try await spanish(bea, services) == ["Pasos: 500, en 5 de 7 días."])
        #expect(try await texts(idle, services).isEmpty)
        let item = try #require(try await again(ana, services).send(ListNotifications.self, .init()).items.first)
        #expect(item.kind == "weeklySummary" && item.links.registerCheckpoint == Self.note)
      }
    }
    #expect(weeks.time(of: ana.id) == ["2026-11-16T00:00:00.000Z", "2026-11-23T00:00:00.000Z"])
    // The next one comes with the next Monday; of weeks that were missed the last one.
    try await run(at: "2026-12-14T09:00:00.000Z") { services in
      try await untilPlanned(services)
      let texts = try await texts(ana, services)
      #expect(texts.count == 2 && texts[0].hasPrefix("2026-12-07 to 2026-12-13: "))
    }
  }

  @Test("A service that does not answer is asked repeatedly, and then its part of the summary is marked as unavailable")
  func away() async throws {
    // Where what the others know is nothing to be told, it is waited for longer.
    #expect(WeeklySummaryRules.retry(attempts: 4, isEmpty: false, at: .now) == nil)
    #expect(WeeklySummaryRules.retry(attempts: 23, isEmpty: true, at: Instant(milliseconds: 0))?.milliseconds == 3_600_000)
    #expect(WeeklySummaryRules.retry(attempts: 24, isEmpty: true, at: .now) == nil)
    let people = try await join([.english, .spanish])
    let (ana, bea) = (people[0], people[1])
    weeks.set(ana.id, steps: 1000, earned: 10, balance: 10)
    weeks.set(bea.id, steps: 1000, earned: 10, balance: 10)
    weeks.goAway([.rewards])
    for now in ["08:00:00", "08:01:00", "08:06:00", "08:26:00"] {
      try await run(at: "2026-11-23T\(now).000Z") { services in
        try await untilPlanned(services)
        #expect(try await texts(ana, services).isEmpty, "\(now)")
      }
    }
    weeks.goAway([.rewards, .social])
    try await run(at: "2026-11-23T09:26:00.000Z") { services in
      try await untilPlanned(services)
      #expect(
        try await texts(ana, services) == [
          "2026-11-16 to 2026-11-22: Steps: 1,000, on 5 of 7 days. Coins: not available. Challenges: not available."
        ])
      #expect(
        try await spanish(bea, services) == ["Pasos: 1000, en 5 de 7 días. Monedas: no disponibles. Desafíos: no disponibles."])
    }
    // Once it answers, the next one is whole.
    weeks.goAway([])
    try await run(at: "2026-11-30T08:00:00.000Z") { services in
      try await untilPlanned(services)
      #expect(try await texts(ana, services).first?.hasSuffix("Coins earned: 10. Balance: 10.") == true)
    }
  }

  @Test("A weekly summary is mailed only if chosen, with names of streaks and the register's checkpoint")
  func mailed() async throws {
    let people = try await join([.english, .spanish])
    let (ana, bea) = (people[0], people[1])
    for person in people {
      let streak = KeptStreak(title: "Run at evil.example", current: 12, unit: .days)
      weeks.set(person.id, steps: 1000, kept: [streak], broken: ["Read"])
    }
    weeks.setCheckpoint(Self.note)
    let carrier = WatchedCarrier()
    try await run(at: "2026-11-22T12:00:00.000Z") { services in
      let choice = NotificationChoice(kind: "weeklySummary", .email, isOn: true)
      _ = try await again(ana, services).send(UpdateNotificationPreferences.self, .init(choices: [choice]))
    }
    try await run(at: "2026-11-23T08:00:00.000Z", carrier) { services in
      try await untilPlanned(services)
      let letter = try await carrier.next(1)[0].letter
      let text = String(decoding: letter.bytes, as: UTF8.self).replacingOccurrences(of: "=\r\n", with: "")
      for line in [
        "This was your week from 2026-11-16 to 2026-11-22:", "- Kept: Run at evil example, 12 days in a row", "- Broken: Read",
        "racha.example/register\r\n12\r\n",
      ] { #expect(text.contains(line), "\(line)") }
      let store = services.store(of: .notifications)
      try await store.until {
        try await store.read { try String.fetchAll($0, sql: "SELECT kind || ' ' || state FROM mails") }
          == ["weeklySummary delivered"]
      }
      #expect(try await texts(bea, services).count == 1)
    }
  }

  @Test("A weekly summary's week ends in the account's time zone, and suspended and erased accounts get none")
  func where_() async throws {
    let people = try await join(
      [.english, .english, .english], zones: ["America/Los_Angeles", "Pacific/Kiritimati", "UTC"])
    for person in people { weeks.set(person.id, steps: 1000) }
    try await run(at: "2026-11-22T17:59:00.000Z") { services in
      try await services.change(again(people[2], services), receivedBy: .notifications) { $0.suspendedUntil = .endOfTime }
      try await untilPlanned(services)
      #expect(weeks.asked == 0)
    }
    try await run(at: "2026-11-22T18:00:00.000Z") { services in
      try await untilPlanned(services)
      #expect(try await texts(people[1], services).count == 1)
      #expect(weeks.time(of: people[1].id) == ["2026-11-15T10:00:00.000Z", "2026-11-22T10:00:00.000Z"])
      // It flies to where that Monday comes once more: it was told.
      try await services.move(again(people[1], services), to: "America/Los_Angeles", receivedBy: .notifications)
    }
    try await run(at: "2026-11-23T16:00:00.000Z") { services in
      try await untilPlanned(services)
      #expect(try await texts(people[0], services).count == 1)
      #expect(try await texts(people[1], services).count == 1)
      let kinds = try await services.store(of: .notifications).read {
        try String.fetchAll($0, sql: "SELECT kind FROM notifications")
      }
      #expect(kinds == ["weeklySummary", "weeklySummary"])
      try await services.delete(again(people[0], services), receivedBy: .notifications)
      #expect(try await services.store(of: .notifications).rows("weekly_summaries") == 2)
    }
  }
}
