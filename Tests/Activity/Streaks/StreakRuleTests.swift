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
      // A day that is not planned does not count, nor one that is yet to come.
      (.weekdays([1, 3, 5]), [16, 17, 18], 18, 2, 2), (.daily, [21, 22, 23], 21, 1, 1),
    ])
  func table(schedule: Schedule, done: [Int], today: Int, current: Int, longest: Int) throws {
    let streak = StreakRule.streak(
      done: try done.map(november), planned: PlannedDays(schedule), start: try november(1), today: try november(today))
    #expect(streak == Streak(current: current, longest: longest))
  }

  @Test("agree with walking through every day, in 20,000 generated cases")
  func agreesWithWalking() throws {
    var random = SeededGenerator(2026)
    for _ in 0..<20_000 {
      let planned = randomDays(&random)
      let start = LocalDay(daysSinceEpoch: Int32.random(in: 19_000...21_000, using: &random))
      let today = start.advanced(by: Int.random(in: -3...120, using: &random))
      let share = Double.random(in: 0...1, using: &random)
      var done: [LocalDay] = []
      for day in start.advanced(by: -3)..<max(start, today.advanced(by: 3))
      where Double.random(in: 0..<1, using: &random) < share { done.append(day) }
      let streak = StreakRule.streak(done: done, planned: planned, start: start, today: today)
      try #require(streak == walk(Set(done), planned, start, today), "\(planned) \(start) \(today) \(done)")
    }
  }

  /// The slow and obvious way: look at every day from the first to today.
  private func walk(_ done: Set<LocalDay>, _ planned: PlannedDays, _ start: LocalDay, _ today: LocalDay) -> Streak {
    var run = 0
    var longest = 0
    guard start <= today else { return Streak(current: 0, longest: 0) }
    for day in start...today where planned.contains(day) {
      if done.contains(day) {
        run += 1
        longest = max(longest, run)
      } else if day < today {
        run = 0
      }
    }
    return Streak(current: run, longest: longest)
  }

  private func randomDays(_ random: inout SeededGenerator) -> PlannedDays {
    switch Int.random(in: 0...2, using: &random) {
    case 0: PlannedDays(.daily)
    case 1: PlannedDays(.weekdays((0..<Int.random(in: 1...4, using: &random)).map { _ in Int.random(in: 1...7, using: &random) }))
    default:
      PlannedDays(.monthDays((0..<Int.random(in: 1...6, using: &random)).map { _ in Int.random(in: 1...31, using: &random) }))
    }
  }

  private func november(_ day: Int) throws -> LocalDay { try #require(LocalDay(year: 2026, month: 11, day: day)) }
}
