import ActivityContract
import InProcess
import Operations
import Testing

@testable import ActivityService

@Suite("Streaks")
struct StreakRuleTests {
  @Test(
    "count planned days in a row",
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
      ActivityTerms(goal: .check, schedule: schedule, startDay: start), from: ActivityVersions.beginning, anchor: start)
    let progress = try done.map { DayProgress(day: try november($0), progress: 1) }
    let streak = StreakRule.record(Plan([version]), progress, today: try november(today)).streak
    #expect(streak == Streak(current: current, longest: longest))
  }

  private func november(_ day: Int) throws -> LocalDay { try #require(LocalDay(year: 2026, month: 11, day: day)) }
}
