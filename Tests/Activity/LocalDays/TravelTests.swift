import ActivityContract
import Foundation
import InProcess
import Operations
import Sampling
import ServiceKit
import Testing

@testable import ActivityService

@Suite("Travelling")
struct TravelTests {
  @Test(
    "A change of zone loses the days whose end it skips, and one of which it skips more than half",
    arguments: [
      ("2026-11-21T20:00", "2026-11-21T23:00", []), ("2026-11-21T20:00", "2026-11-20T20:00", []),
      ("2026-11-21T20:00", "2026-11-22T03:00", ["2026-11-21"]), ("2026-11-21T23:50", "2026-11-22T12:00", ["2026-11-21"]),
      ("2026-11-21T23:50", "2026-11-22T12:01", ["2026-11-21", "2026-11-22"]),
      ("2026-11-21T23:30", "2026-11-23T00:30", ["2026-11-21", "2026-11-22"]),
      ("2026-11-21T00:00", "2026-11-22T00:00", ["2026-11-21"]),
    ])
  func lost(before: String, after: String, days: [String]) throws {
    func local(_ text: String) throws -> Int64 { try Instant(text: "\(text):00.000Z").milliseconds }
    #expect(LocalCalendar.lost(from: try local(before), to: try local(after)).map(\.description) == days)
  }

  @Test(
    "Travelling breaks no streak, wherever and whenever, and no entry moves, doubles or is lost",
    arguments: [1, 2, 3, 4] as [UInt64])
  func traveller(seed: UInt64) async throws {
    let names = [
      "Pacific/Kiritimati", "Pacific/Honolulu", "Pacific/Pago_Pago", "Pacific/Apia", "Europe/Madrid", "Asia/Tokyo",
      "America/Los_Angeles", "Pacific/Auckland", "Pacific/Chatham", "Etc/GMT+12", "Asia/Kathmandu",
    ]
    let zones = TimeZones()
    var random = SeededGenerator(seed)
    for _ in 0..<10 {
      await Task.yield()
      var calendar = LocalCalendar(zones.offsets("UTC"), dayStartHour: 0)
      var now = Instant(milliseconds: Int64.random(in: 1_700_000_000...1_800_000_000, using: &random) * 1000)
      let start = calendar.day(of: now)
      let version = ActivityVersion(
        ActivityTerms(goal: .check, schedule: .daily, startDay: start), from: ActivityVersionStore.beginning, anchor: start)
      var lost: Set<LocalDay> = []
      var done: Set<LocalDay> = []
      for _ in 0..<400 {
        now = Instant(milliseconds: now.milliseconds + 3 * 3_600_000)
        if Int.random(in: 0..<12, using: &random) == 0 {
          let next = LocalCalendar(
            zones.offsets(names.randomElement(using: &random)!), dayStartHour: Int.random(in: 0...6, using: &random))
          lost.formUnion(LocalCalendar.lost(from: calendar.local(now), to: next.local(now)))
          calendar = next
        }
        // Done in the evening of each day, however late the traveller came into it.
        let day = calendar.day(of: now)
        let hour = (calendar.local(now) - Int64(day.daysSinceEpoch) * LocalCalendar.dayLength) / 3_600_000
        if hour >= 20, day >= start { done.insert(day) }
        let entries = done.sorted().map { DayProgress(day: $0, progress: 1) }
        let plan = Plan([version], lostDays: lost.union(calendar.lostDays))
        let streak = StreakRules.record(plan, entries, today: day).streak
        try #require(streak == Streak(current: done.count, longest: done.count), "\(day) \(entries) \(lost)")
      }
    }
  }

  @Test("Travelling to and fro over the date line leaves every entry where it was, and keeps the streak")
  func dateLine() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-20T22:00:00.000Z") { services in
      let ana = try await services.register(timeZone: "Pacific/Kiritimati")
      let walk = try await ana.makeActivity(startDay: "2026-11-20")
      func record(_ day: String) async throws { _ = try await ana.record(walk, on: day) }
      try await record("2026-11-20")
      try await record("2026-11-21")
      #expect(try await ana.streak(of: walk) == Streak(current: 2, longest: 2))
      // Noon of the 21st in Kiritimati is noon of the 20th in Honolulu.
      try await services.move(ana, to: "Pacific/Honolulu", receivedBy: .activity)
      #expect(try await ana.send(GetDay.self, .init(day: .today)).day.description == "2026-11-20")
      #expect(try await ana.streak(of: walk) == Streak(current: 2, longest: 2))
      #expect(try await ana.send(GetDay.self, .init(day: .day(LocalDay(text: "2026-11-21")))).activities[0].state == .done)
      // The 21st comes once more, and is done already.
      try services.clock.set("2026-11-21T20:00:00.000Z")
      #expect(try await ana.send(GetDay.self, .init(day: .today)).activities.map(\.state) == [.done])
      // Back on the evening of the 22nd, which is that of the 23rd there: most of the 23rd is gone, and the end of the 22nd.
      try services.clock.set("2026-11-23T06:00:00.000Z")
      try await services.move(ana, to: "Pacific/Kiritimati", receivedBy: .activity)
      try services.clock.set("2026-11-24T00:00:00.000Z")
      try await record("today")
      #expect(try await ana.streak(of: walk) == Streak(current: 3, longest: 3))
      let calendar = try await ana.send(GetCalendar.self, .init(activityID: walk.id, format: .week))
      #expect(calendar.days.map(\.state) == [.skipped, .done, .pending, .pending, .pending, .pending, .pending])
      #expect(try await services.store(of: .activity).rows("entries") == 3)
    }
  }

  @Test("Samoa's 30 December 2011, which was skipped there, breaks no streak of accounts in Samoa")
  func samoa() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2011-12-30T09:00:00.000Z") { services in
      let tala = try await services.register(timeZone: "Pacific/Apia")
      let walk = try await tala.makeActivity(startDay: "2011-12-28")
      #expect(try await tala.send(GetDay.self, .init(day: .today)).day.description == "2011-12-29")
      for day in ["2011-12-28", "2011-12-29"] { _ = try await tala.record(walk, on: day) }
      // Two hours later.
      try services.clock.set("2011-12-30T11:00:00.000Z")
      #expect(try await tala.send(GetDay.self, .init(day: .today)).day.description == "2011-12-31")
      _ = try await tala.record(walk, on: "today")
      #expect(try await tala.streak(of: walk) == Streak(current: 3, longest: 3))
      #expect(
        try await tala.send(GetDay.self, .init(day: .day(LocalDay(text: "2011-12-30")))).activities.map(\.state) == [.skipped])
    }
  }
}

extension Person {
  func record(_ activity: Activity, on day: String) async throws -> Entry {
    try await send(RecordEntry.self, .init(activityID: activity.id, day: DayName(text: day), isDone: true))
  }

  func streak(of activity: Activity) async throws -> Streak {
    try await send(GetActivity.self, .init(activityID: activity.id)).streak
  }
}
