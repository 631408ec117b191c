import ActivityContract
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@testable import ActivityService

@Suite("An account's week of activities (NOT-3)")
struct ActivityWeekTests {
  @Test("A week counts its steps, done entries, and continued or broken streaks, and nothing before or after it")
  func week() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-08T20:00:00.000Z") { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let run = try await ana.makeActivity(title: "Run", startDay: "2026-11-08")
      let read = try await ana.makeActivity(title: "Read", startDay: "2026-11-08")
      _ = try await ana.makeActivity(title: "Never", startDay: "2026-11-08")
      try services.clock.set("2026-11-23T20:00:00.000Z")
      for day in 8...23 {
        let day = "2026-11-\(day < 10 ? "0" : "")\(day)"
        _ = try await ana.record(run, on: day)
        // On Wednesday it is not read.
        if day != "2026-11-18" { _ = try await ana.record(read, on: day) }
      }
      try await ana.walk("before", 1000, "2026-11-15T08:00:00Z")
      try await ana.walk("monday", 3000, "2026-11-16T08:00:00Z")
      try await ana.walk("sunday", 4000, "2026-11-22T08:00:00Z")
      try await ana.walk("after", 1000, "2026-11-23T08:00:00Z")
      let monday = try LocalDay(text: "2026-11-16")
      let input = GetActivityWeeks.Input(weeks: [ana, ben].map { WeekOfAccount(accountID: $0.id, firstDay: monday) })
      let found = try await services.store(of: .activity).read { database in
        try input.weeks.map { try ActivityWeekHandlers(calendars: AccountCalendars()).week($0, database) }
      }
      #expect(
        found[0]
          == ActivityWeek(
            accountID: ana.id, steps: 7000, walkedDays: 2, doneEntries: 13,
            keptStreaks: [KeptStreak(title: "Run", current: 15, unit: .days)], keptStreakCount: 1, brokenStreaks: ["Read"],
            brokenStreakCount: 1))
      #expect(found[1].steps == 0 && found[1].keptStreaks.isEmpty && found[1].brokenStreaks.isEmpty)
      // Clients may not ask.
      #expect(try await ana.failure(GetActivityWeeks.self, input) != nil)
    }
  }

  @Test("A streak of weeks is broken with its Sunday, and goes on where enough days of the week were done")
  func weeks() throws {
    let first = try LocalDay(text: "2026-11-02")
    let version = ActivityVersion(
      ActivityTerms(goal: .check, schedule: .timesAWeek(2), startDay: first), from: ActivityVersionStore.beginning, anchor: first)
    let plan = Plan([version])
    func progress(_ days: [Int]) -> [DayProgress] { days.map { DayProgress(day: first.advanced(by: $0), progress: 1) } }
    let second = first.advanced(by: 7)...first.advanced(by: 13)
    let kept = StreakRules.week(second, plan, progress([0, 1, 8, 12]))
    #expect(kept.streak.current == 2 && !kept.isBroken)
    let broken = StreakRules.week(second, plan, progress([0, 1, 8]))
    #expect(broken.streak.current == 0 && broken.isBroken)
    // There was none to break.
    #expect(!StreakRules.week(second, plan, progress([0])).isBroken)
  }
}
