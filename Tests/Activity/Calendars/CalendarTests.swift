import ActivityContract
import InProcess
import Operations
import Testing

@testable import ActivityService

@Suite("The calendar of an activity (ACT-9)")
struct CalendarTests {
  /// An activity since Monday the 9th, done on four days, and half of one.
  private func running(_ body: (Person, Activity) async throws -> Void) async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-20T12:00:00.000Z") { services in
      let ana = try await services.register()
      let read = try await ana.makeActivity(
        goal: .quantity(10, unit: "pages"), schedule: .weekdays([1, 2, 3, 4, 5]), startDay: "2026-11-09")
      for (day, pages) in [("09", 10.0), ("10", 12), ("12", 4), ("16", 10), ("18", 11)] {
        _ = try await ana.send(
          RecordEntry.self, .init(activityID: read.id, day: try DayName(text: "2026-11-\(day)"), amount: pages))
      }
      try await body(ana, read)
    }
  }

  private func shown(_ calendar: ActivityCalendar) -> [String] {
    calendar.days.map { "\($0.day.parts.day)\($0.state.map { " \($0)" } ?? "")" }
  }

  @Test("H CU-31 6: an activity's calendar shows the current month unless another is requested")
  func month() async throws {
    try await running { ana, read in
      let calendar = try await ana.send(GetCalendar.self, .init(activityID: read.id))
      #expect(calendar.format == .month && calendar.firstDay.description == "2026-11-01")
      #expect(calendar.lastDay.description == "2026-11-30" && calendar.days.count == 30)
      #expect(
        shown(calendar)[7...22] == [
          "8", "9 done", "10 done", "11 failed", "12 partly", "13 failed", "14", "15", "16 done", "17 failed", "18 done",
          "19 failed", "20 pending", "21", "22", "23 pending",
        ])
      #expect(calendar.days[11].amount == 4 && calendar.days[10].amount == nil)
      let before = try await ana.send(
        GetCalendar.self, .init(activityID: read.id, format: .month, day: calendar.previousDay.map(DayName.day)))
      #expect(before.firstDay.description == "2026-10-01" && before.lastDay.description == "2026-10-31")
      #expect(before.days.allSatisfy { $0.state == nil } && before.nextDay == calendar.firstDay)
      let after = try await ana.send(GetCalendar.self, .init(activityID: read.id, day: calendar.nextDay.map(DayName.day)))
      #expect(after.firstDay.description == "2026-12-01" && after.previousDay == calendar.lastDay)
    }
  }

  @Test("H CU-31 7a: an activity's calendar shows two weeks, the day's own and the one before")
  func twoWeeks() async throws {
    try await running { ana, read in
      let calendar = try await ana.send(GetCalendar.self, .init(activityID: read.id, format: .twoWeeks))
      #expect(calendar.firstDay.description == "2026-11-09" && calendar.days.count == 14)
      #expect(
        shown(calendar) == [
          "9 done", "10 done", "11 failed", "12 partly", "13 failed", "14", "15", "16 done", "17 failed", "18 done", "19 failed",
          "20 pending", "21", "22",
        ])
      let after = try await ana.send(
        GetCalendar.self, .init(activityID: read.id, format: .twoWeeks, day: calendar.nextDay.map(DayName.day)))
      #expect(after.firstDay == calendar.lastDay.advanced(by: 1) && after.days.count == 14)
      let before = try await ana.send(
        GetCalendar.self, .init(activityID: read.id, format: .twoWeeks, day: calendar.previousDay.map(DayName.day)))
      #expect(before.lastDay == calendar.firstDay.advanced(by: -1) && before.days.count == 14)
    }
  }

  @Test("H CU-31 7b: an activity's calendar shows a week from Monday to Sunday")
  func week() async throws {
    try await running { ana, read in
      let calendar = try await ana.send(GetCalendar.self, .init(activityID: read.id, format: .week))
      #expect(shown(calendar) == ["16 done", "17 failed", "18 done", "19 failed", "20 pending", "21", "22"])
      let before = try await ana.send(
        GetCalendar.self, .init(activityID: read.id, format: .week, day: calendar.previousDay.map(DayName.day)))
      #expect(shown(before) == ["9 done", "10 done", "11 failed", "12 partly", "13 failed", "14", "15"])
    }
  }

  @Test("In the calendar of a times-a-week activity, a day without progress has failed only if its week has")
  func timesAWeek() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-20T12:00:00.000Z") { services in
      let ana = try await services.register()
      let swim = try await ana.makeActivity(schedule: .timesAWeek(2), startDay: "2026-11-02")
      for day in ["03", "05", "10", "17"] { _ = try await ana.record(swim, on: "2026-11-\(day)") }
      let calendar = try await ana.send(GetCalendar.self, .init(activityID: swim.id))
      let states = calendar.days.map(\.state)
      // Kept, missed, and the present one.
      #expect(states[1...7] == [.free, .done, .free, .done, .free, .free, .free])
      #expect(states[8...14] == [.failed, .done, .failed, .failed, .failed, .failed, .failed])
      #expect(states[15...21] == [.free, .done, .free, .free, .pending, .pending, .pending])
      for (number, state) in [(2, DayState.free), (3, .done), (9, .failed), (16, .free), (20, .pending)] {
        let day = try #require(LocalDay(year: 2026, month: 11, day: number))
        #expect(try await ana.send(GetDay.self, .init(day: .day(day))).activities.map(\.state) == [state])
      }
    }
  }

  @Test("In the calendar of a times-a-week activity, the other days are free once the week's goal is reached, today included")
  func weekReached() async throws {
    // A Friday.
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-20T12:00:00.000Z") { services in
      let ana = try await services.register()
      let swim = try await ana.makeActivity(
        goal: .quantity(2, unit: "km"), schedule: .timesAWeek(2), startDay: "2026-11-02")
      func record(_ day: String, _ amount: Double) async throws {
        _ = try await ana.send(
          RecordEntry.self, .init(activityID: swim.id, day: try DayName(text: day), amount: amount))
      }
      /// The week from Monday to Sunday, as the calendar, the list of activities and each day's list show it.
      func week() async throws -> [DayState?] {
        let calendar = try await ana.send(GetCalendar.self, .init(activityID: swim.id, format: .week)).days.map(\.state)
        let listed = try await ana.send(ListActivities.self, .init()).items[0]
        #expect(listed.week.map(\.state) == calendar && listed.state == calendar[4])
        for (number, state) in calendar.enumerated() {
          let day = try #require(LocalDay(year: 2026, month: 11, day: 16 + number))
          #expect(try await ana.send(GetDay.self, .init(day: .day(day))).activities.map(\.state) == [state], "\(day)")
        }
        return calendar
      }
      try await record("2026-11-17", 2)
      try await record("2026-11-18", 1)
      #expect(try await week() == [.free, .done, .partly, .free, .pending, .pending, .pending])
      try await record("2026-11-18", 2)
      #expect(try await week() == [.free, .done, .done, .free, .free, .free, .free])
      // Doing more of it is no less.
      try await record("today", 1)
      #expect(try await week() == [.free, .done, .done, .free, .partly, .free, .free])
      try await record("today", 2)
      #expect(try await week() == [.free, .done, .done, .free, .done, .free, .free])
      _ = try await ana.send(DeleteEntry.self, .init(activityID: swim.id, day: .today))
      _ = try await ana.send(DeleteEntry.self, .init(activityID: swim.id, day: try DayName(text: "2026-11-17")))
      #expect(try await week() == [.free, .free, .done, .free, .pending, .pending, .pending])
      // Next week asks anew.
      let monday = try ListedDay(text: "2026-11-23")
      #expect(try await ana.send(GetDay.self, .init(day: monday)).activities.map(\.state) == [.pending])
    }
  }

  @Test("A calendar can be read only of one's own activities and for plannable days")
  func refused() async throws {
    try await running { ana, read in
      #expect(try await ana.failure(GetCalendar.self, .init(activityID: ActivityID())) == "activity_not_found")
      #expect(
        try await ana.refusedFields(GetCalendar.self, .init(activityID: read.id, day: .day(LocalDay(text: "2200-01-01"))))
          == ["day out_of_range"])
      let first = try await ana.send(GetCalendar.self, .init(activityID: read.id, day: .init(text: "1970-01-01")))
      #expect(first.previousDay == nil && first.nextDay != nil)
      let last = try await ana.send(GetCalendar.self, .init(activityID: read.id, day: .init(text: "2199-12-31")))
      #expect(last.previousDay != nil && last.nextDay == nil)
    }
  }

  @Test("Another account's calendar is not found")
  func strangers() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let walk = try await ana.makeActivity()
      #expect(try await ben.failure(GetCalendar.self, .init(activityID: walk.id)) == "activity_not_found")
      #expect(try await ben.failure(GetSeries.self, .init(activityID: walk.id)) == "activity_not_found")
    }
  }
}
