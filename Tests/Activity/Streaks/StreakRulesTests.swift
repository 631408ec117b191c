import ActivityContract
import Foundation
import InProcess
import Operations
import Testing

@testable import ActivityService

@Suite("Streaks")
struct StreakRulesTests {
  @Test(
    "H CU-32: a streak counts planned days in a row",
    arguments: [
      // (schedule, done days of November 2026, today, current, longest); the 21st is a Saturday.
      (Schedule.daily, [], 21, 0, 0),
      (.daily, [21], 21, 1, 1), (.daily, [20], 21, 1, 1), (.daily, [19], 21, 0, 1), (.daily, [18, 19, 20], 21, 3, 3),
      (.daily, [18, 19, 20, 21], 21, 4, 4), (.daily, [10, 11, 12, 20], 21, 1, 3),
      // Monday, Wednesday, Friday: the days between neither add nor break.
      (.weekdays([1, 3, 5]), [16, 18, 20], 21, 3, 3), (.weekdays([1, 3, 5]), [16, 18, 20], 23, 3, 3),
      (.weekdays([1, 3, 5]), [16, 18, 20], 24, 0, 3), (.weekdays([1, 3, 5]), [16, 20], 21, 1, 1),
      // A day that is not planned does not count.
      (.weekdays([1, 3, 5]), [16, 17, 18], 18, 2, 2),
      // Entries of days to come are of an account that travelled back over the date line: they count.
      (.daily, [20, 21, 22], 21, 3, 3), (.daily, [20, 22], 21, 2, 2),
    ])
  func table(schedule: Schedule, done: [Int], today: Int, current: Int, longest: Int) throws {
    let start = try november(1)
    let version = ActivityVersion(
      ActivityTerms(goal: .check, schedule: schedule, startDay: start), from: ActivityVersionStore.beginning, anchor: start)
    let progress = try done.map { DayProgress(day: try november($0), progress: 1) }
    let streak = StreakRules.record(Plan([version]), progress, today: try november(today)).streak
    #expect(streak == Streak(current: current, longest: longest))
  }

  @Test(
    "H CU-32: a streak counts weeks where so many days of each are asked for",
    arguments: [
      // (times, done days of November 2026, today, current, longest); weeks begin on the 2nd, 9th, 16th and 23rd.
      (2, [], 21, 0, 0), (2, [3, 4], 8, 1, 1), (2, [3, 4], 9, 1, 1), (2, [3, 4, 10, 15], 16, 2, 2),
      // The present week is open until it is kept.
      (2, [3, 4, 10, 15, 16], 22, 2, 2), (2, [3, 4, 10, 15, 16, 22], 22, 3, 3), (2, [3, 4, 10, 16, 17], 18, 1, 1),
      // More than asked for is no further week.
      (1, [3, 4, 5, 6, 7], 8, 1, 1),
      // Of the week of the start only Sunday the 1st is left: it can be kept by one, and is not asked for two.
      (1, [1, 2], 2, 2, 2), (2, [1, 2, 3], 3, 1, 1), (1, [2, 9], 9, 2, 2),
    ])
  func weeks(times: Int, done: [Int], today: Int, current: Int, longest: Int) throws {
    let start = try november(1)
    let version = ActivityVersion(
      ActivityTerms(goal: .check, schedule: .timesAWeek(times), startDay: start), from: ActivityVersionStore.beginning,
      anchor: start)
    let progress = try done.map { DayProgress(day: try november($0), progress: 1) }
    let streak = StreakRules.record(Plan([version]), progress, today: try november(today)).streak
    #expect(streak == Streak(current: current, longest: longest, unit: .weeks))
  }

  @Test("H CU-32: a week that pauses and skipped days leave too short neither adds to a streak nor breaks it")
  func pausedWeeks() throws {
    let start = try november(2)
    let version = ActivityVersion(
      ActivityTerms(goal: .check, schedule: .timesAWeek(3), startDay: start), from: ActivityVersionStore.beginning, anchor: start)
    let progress = try [2, 3, 4, 16, 17, 18].map { DayProgress(day: try november($0), progress: 1) }
    func streak(_ plan: Plan) throws -> Int { StreakRules.record(plan, progress, today: try november(23)).streak.current }
    #expect(try streak(Plan([version])) == 1)
    #expect(try streak(Plan([version], pauses: [november(9)...november(12)])) == 1)
    #expect(try streak(Plan([version], pauses: [november(9)...november(13)])) == 2)
    #expect(try streak(Plan([version], pauses: [november(9)...november(12)], skips: [november(15)])) == 2)
  }

  @Test(
    "A habit's strength has a half-life of 13 days for a daily activity, and of longer the rarer it is planned",
    arguments: [
      (Schedule.daily, 13.0), (.weekdays([1]), 34.39), (.timesAWeek(7), 13), (.timesAWeek(1), 34.39), (.monthDays([1]), 71.72),
      (.everyNDays(4), 26),
    ])
  func halfLife(schedule: Schedule, days: Double) {
    let planned = PlannedDays(schedule, anchor: .placeholder)
    let unit: Streak.Unit = planned.timesAWeek == nil ? .days : .weeks
    let span = unit == .weeks ? 7 : 1 / planned.share
    // What remains of the strength after that many days.
    let rest = pow(StreakRules.rest(unit, planned), days / span)
    #expect(abs(rest - 0.5) < 0.001)
  }

  @Test("A single missed day takes a twentieth of a habit's strength, and a day gives back as much of what is missing")
  func strength() throws {
    let start = LocalDay(daysSinceEpoch: 20_000)
    let version = ActivityVersion(
      ActivityTerms(goal: .check, schedule: .daily, startDay: start), from: ActivityVersionStore.beginning, anchor: start)
    func strength(missed: Set<Int>, days: Int) -> Double {
      let progress = (0..<days).filter { !missed.contains($0) }.map { DayProgress(day: start.advanced(by: $0), progress: 1) }
      return StreakRules.record(Plan([version]), progress, today: start.advanced(by: days)).strength
    }
    #expect(strength(missed: [], days: 0) == 0)
    #expect(abs(strength(missed: [], days: 13) - 0.5) < 1e-9 && abs(strength(missed: [], days: 26) - 0.75) < 1e-9)
    #expect(strength(missed: [], days: 365) > 0.999)
    #expect(abs(strength(missed: [364], days: 365) - 0.948) < 0.001)
    #expect(strength(missed: [364], days: 400) > 0.99)
    #expect(strength(missed: Set(300..<365), days: 365) < 0.04)
  }

  private func november(_ day: Int) throws -> LocalDay { try #require(LocalDay(year: 2026, month: 11, day: day)) }
}
