import Operations
import Testing

@testable import SocialService

@Suite("The days of recurring tasks (TASK-1)")
struct TaskSeriesRulesTests {
  private func day(_ text: String) throws -> LocalDay { try LocalDay(text: text) }

  @Test(
    "The first planned day from a day on is found, and none after the last day",
    arguments: [
      (Schedule.daily, "2026-11-21", nil, "2026-11-21"), (.weekdays([1]), "2026-11-21", nil, "2026-11-23"),
      (.weekdays([1]), "2026-11-21", "2026-11-22", nil), (.weekdays([1]), "2026-11-21", "2026-11-23", "2026-11-23"),
      (.monthDays([31]), "2027-02-01", nil, "2027-02-28"), (.everyNDays(365), "2026-11-02", nil, "2027-11-01"),
      (.nthWeekdays([.init(nth: 5, weekday: 7)]), "2026-12-01", nil, "2027-01-31"), (.daily, "2199-12-31", nil, "2199-12-31"),
      (.daily, "2200-01-01", nil, nil),
    ] as [(Schedule, String, String?, String?)])
  func first(schedule: Schedule, from: String, until: String?, expected: String?) throws {
    let planned = PlannedDays(schedule, anchor: try day("2026-11-01"))
    let found = TaskSeriesRules.firstDay(planned, from: try day(from), until: try until.map(day))
    #expect(found?.description == expected)
  }

  @Test(
    "Only the last planned day that has begun gets an occurrence",
    arguments: [
      // Not yet, today, and yesterday while the server was down.
      (Schedule.daily, "2026-11-22", "2026-11-21", nil, nil, "2026-11-22"),
      (.daily, "2026-11-21", "2026-11-21", nil, "2026-11-21", "2026-11-22"),
      (.daily, "2026-11-20", "2026-11-21", nil, "2026-11-21", "2026-11-22"),
      // After months: one, on the last planned day.
      (.daily, "2026-03-01", "2026-11-21", nil, "2026-11-21", "2026-11-22"),
      (.weekdays([1]), "2026-03-02", "2026-11-21", nil, "2026-11-16", "2026-11-23"),
      (.everyNDays(365), "2020-11-02", "2026-11-21", nil, "2026-11-01", "2027-11-01"),
      // Behind the last day.
      (.daily, "2026-11-01", "2026-11-21", "2026-11-10", "2026-11-10", nil),
      (.daily, "2026-11-12", "2026-11-21", "2026-11-10", nil, nil),
    ] as [(Schedule, String, String, String?, String?, String?)])
  func step(
    schedule: Schedule, next: String, today: String, until: String?, occurrence: String?, following: String?
  ) throws {
    let planned = PlannedDays(schedule, anchor: try day("2026-11-01"))
    let step = TaskSeriesRules.step(planned, next: try day(next), today: try day(today), until: try until.map(day))
    #expect(step.occurrence?.description == occurrence && step.next?.description == following)
  }

  @Test("Checked daily, each planned day has one occurrence, and no other day has one")
  func everyDay() throws {
    let schedules: [Schedule] = [
      .daily, .weekdays([2, 6]), .monthDays([15, 31]), .everyNDays(3), .nthWeekdays([.init(nth: -1, weekday: 5)]),
    ]
    for schedule in schedules {
      let start = try day("2026-11-01")
      let planned = PlannedDays(schedule, anchor: start)
      var next = TaskSeriesRules.firstDay(planned, from: start, until: nil)
      for offset in 0..<800 {
        let today = start.advanced(by: offset)
        let step = TaskSeriesRules.step(planned, next: try #require(next), today: today, until: nil)
        #expect(step.occurrence == (planned.contains(today) ? today : nil), "\(schedule) \(today)")
        next = step.next
      }
    }
  }
}
