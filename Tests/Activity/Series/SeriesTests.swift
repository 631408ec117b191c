import ActivityContract
import InProcess
import Operations
import Testing

@testable import ActivityService

@Suite("The bar chart of an activity (ACT-11)")
struct SeriesTests {
  private func running(_ body: (Person, Activity) async throws -> Void) async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-20T12:00:00.000Z") { services in
      let ana = try await services.register()
      let read = try await ana.makeActivity(goal: .quantity(10, unit: "pages"), startDay: "2026-11-09")
      for (day, pages) in [("09", 10.0), ("10", 12), ("12", 4), ("16", 10), ("18", 11), ("20", 5)] {
        _ = try await ana.send(
          RecordEntry.self, .init(activityID: read.id, day: try DayName(text: "2026-11-\(day)"), amount: pages))
      }
      try await body(ana, read)
    }
  }

  @Test("H CU-33 6: the bar chart shows the present week, a bar a day")
  func week() async throws {
    try await running { ana, read in
      let series = try await ana.send(GetSeries.self, .init(activityID: read.id))
      #expect(series.period == .week && series.unit == "pages" && series.firstDay.description == "2026-11-16")
      #expect(series.bars.map(\.amount) == [10, 0, 11, 0, 5, 0, 0])
      #expect(series.bars.map(\.share) == [1, 0, 1, 0, 0.5, nil, nil])
      #expect(series.bars.map(\.goalAmount) == [10, 10, 10, 10, 10, 10, 10])
      #expect(series.bars.allSatisfy { $0.firstDay == $0.lastDay && $0.durationSeconds == nil })
      #expect(series.total.amount == 26 && series.total.goalAmount == 70 && series.total.dueDays == 5)
      #expect(series.total.doneDays == 2 && series.total.share == 0.5)
      let before = try await ana.send(GetSeries.self, .init(activityID: read.id, day: series.previousDay.map(DayName.day)))
      #expect(before.bars.map(\.amount) == [10, 12, 0, 4, 0, 0, 0] && before.nextDay == series.firstDay)
      let after = try await ana.send(GetSeries.self, .init(activityID: read.id, day: series.nextDay.map(DayName.day)))
      #expect(after.total.dueDays == 0 && after.total.share == nil && after.total.goalAmount == 70)
    }
  }

  @Test("H CU-33 7a: the bar chart shows a month, a bar a day")
  func month() async throws {
    try await running { ana, read in
      let series = try await ana.send(GetSeries.self, .init(activityID: read.id, period: .month))
      #expect(series.bars.count == 30 && series.bars[7].dueDays == 0 && series.bars[7].goalAmount == 0)
      #expect(series.bars[8].amount == 10 && series.bars[9].share == 1 && series.bars[11].share == 0.4)
      #expect(series.total.amount == 52 && series.total.dueDays == 12 && series.total.doneDays == 4)
      // 4 whole days, 0.4 and 0.5 of twelve.
      #expect(series.total.share == 0.408)
      #expect(series.previousDay?.description == "2026-10-31" && series.nextDay?.description == "2026-12-01")
    }
  }

  @Test("H CU-33 7b: the bar chart shows a quarter, a bar a week")
  func quarter() async throws {
    try await running { ana, read in
      let series = try await ana.send(GetSeries.self, .init(activityID: read.id, period: .quarter))
      #expect(series.firstDay.description == "2026-09-28" && series.lastDay.description == "2027-01-03")
      #expect(series.bars.count == 14)
      #expect(series.bars[6].firstDay.description == "2026-11-09" && series.bars[6].amount == 26)
      #expect(series.bars[6].dueDays == 7 && series.bars[6].doneDays == 2 && series.bars[7].dueDays == 5)
      #expect(series.total.amount == 52)
      let before = try await ana.send(
        GetSeries.self, .init(activityID: read.id, period: .quarter, day: series.previousDay.map(DayName.day)))
      #expect(before.lastDay.description == "2026-09-27" && before.bars.count == 13 && before.nextDay == series.firstDay)
    }
  }

  @Test("The bar chart's quarters of ten years follow each other without a gap")
  func quarters() throws {
    var day = try LocalDay(text: "2020-01-01")
    for _ in 0..<40 {
      let range = CalendarRange(SeriesPeriod.quarter, around: day)
      #expect((12...14).contains(range.weeks.count) && range.days.lowerBound.weekday == 1 && range.days.upperBound.weekday == 7)
      #expect(CalendarRange(SeriesPeriod.quarter, around: range.days.upperBound) == range)
      let next = try #require(range.nextDay)
      #expect(CalendarRange(SeriesPeriod.quarter, around: next).days.lowerBound == next)
      day = next
    }
  }

  @Test("The bar chart of a limit counts a day whole unless it is exceeded, and not at all while it is open")
  func limit() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-20T12:00:00.000Z") { services in
      let ana = try await services.register()
      let screen = try await ana.makeActivity(goal: .duration(seconds: 3600, .atMost), startDay: "2026-11-16")
      for (day, seconds) in [("16", 3600), ("17", 3601), ("20", 60)] {
        _ = try await ana.send(
          RecordEntry.self, .init(activityID: screen.id, day: try DayName(text: "2026-11-\(day)"), durationSeconds: seconds))
      }
      let series = try await ana.send(GetSeries.self, .init(activityID: screen.id))
      #expect(series.bars.map(\.share) == [1, 0, 1, 1, nil, nil, nil])
      #expect(series.bars.map(\.dueDays) == [1, 1, 1, 1, 0, 0, 0] && series.total.share == 0.75)
      #expect(series.total.doneDays == 3 && series.total.durationSeconds == 7261 && series.unit == nil)
      let week = try await ana.send(GetCalendar.self, .init(activityID: screen.id, format: .week))
      #expect(week.days.map(\.state) == [.done, .failed, .done, .done, .pending, .pending, .pending])
      #expect(try await ana.streak(of: screen) == Streak(current: 2, longest: 2))
      // Today beyond the limit fails at once, and cannot be completed.
      _ = try await ana.send(IncrementEntry.self, .init(activityID: screen.id, day: .today, durationSeconds: 3541))
      #expect(try await ana.streak(of: screen) == Streak(current: 0, longest: 2))
      #expect(try await ana.send(GetSeries.self, .init(activityID: screen.id)).bars[4].share == 0)
      #expect(try await ana.send(GetDay.self, .init(day: .today)).activities.map(\.state) == [.failed])
      let done = RecordEntry.Input(activityID: screen.id, day: .today, isDone: true)
      #expect(try await ana.refusedFields(RecordEntry.self, done) == ["isDone limit_exceeded"])
    }
  }

  @Test("The bar chart of a times-a-week activity counts only its weekly number of days as due")
  func timesAWeek() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-20T12:00:00.000Z") { services in
      let ana = try await services.register()
      let swim = try await ana.makeActivity(schedule: .timesAWeek(2), startDay: "2026-11-02")
      for day in ["03", "05", "06", "10", "17"] { _ = try await ana.record(swim, on: "2026-11-\(day)") }
      let series = try await ana.send(GetSeries.self, .init(activityID: swim.id, period: .quarter))
      #expect(series.bars[5...8].map(\.share) == [1, 0.5, 0.5, nil])
      #expect(series.bars[5...8].map(\.doneDays) == [3, 1, 1, 0] && series.bars[5].dueDays == 2)
      #expect(series.total.share == 0.667 && series.bars[5].amount == nil)
    }
  }
}
