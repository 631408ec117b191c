import ActivityContract
import InProcess
import Operations
import Sampling
import Testing

@testable import ActivityService

@Suite("The rules of days and streaks")
struct PlanModelTests {
  /// How many cases each of the arguments generates.
  static let cases = 2500

  @Test(
    "The rules of days and streaks agree with evaluating each day by itself, in 10,000 generated activities",
    arguments: [2026, 4, 31, 1] as [UInt64])
  func agree(seed: UInt64) async throws {
    var random = SeededGenerator(seed)
    for number in 0..<PlanModelTests.cases {
      // Services in other tests wait for the same few threads.
      if number % 20 == 0 { await Task.yield() }
      let model = PlanModel(&random)
      let (plan, today, entries) = (model.plan, model.today, model.entries)
      let record = StreakRules.record(plan, entries, today: today)
      try #require(record.streak == model.streak, "\(model.description)")
      try #require(abs(record.strength - model.strength) < 1e-9, "\(model.description)")

      let around = today.advanced(by: Int.random(in: -40...10, using: &random))
      let format = CalendarFormat.allCases.randomElement(using: &random)!
      let calendar = ActivityCalendar(format, CalendarRange(format, around: around), plan, entries, today: today)
      let wrong = calendar.days.first { $0.state != model.state($0.day) }
      try #require(wrong == nil, "\(model.description)")
    }
  }

  @Test("Half a century of daily entries is evaluated in negligible time")
  func decades() {
    let start = LocalDay(daysSinceEpoch: 0)
    let version = ActivityVersion(
      ActivityTerms(goal: .check, schedule: .daily, startDay: start), from: ActivityVersionStore.beginning, anchor: start)
    let entries = (0..<20_000).map { DayProgress(day: start.advanced(by: $0), progress: 1) }
    let today = start.advanced(by: 20_000)
    let time = ContinuousClock().measure {
      #expect(StreakRules.record(Plan([version]), entries, today: today).streak == Streak(current: 20_000, longest: 20_000))
    }
    // A debug build on a busy machine.
    #expect(time < .seconds(2), "\(time)")
  }
}
