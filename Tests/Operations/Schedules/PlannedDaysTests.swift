import Operations
import Testing

@Suite("Schedules")
struct PlannedDaysTests {
  @Test(
    "Schedules plan their days",
    arguments: [
      (Schedule.daily, "2026-11-21", true),
      // 2026-11-21 is a Saturday.
      (.weekdays([6]), "2026-11-21", true), (.weekdays([6]), "2026-11-22", false), (.weekdays([7]), "2026-11-22", true),
      (.weekdays([1, 3, 5]), "2026-11-23", true), (.weekdays([1, 3, 5]), "2026-11-24", false),
      (.monthDays([21]), "2026-11-21", true), (.monthDays([21]), "2026-11-20", false),
      // The 31st in a shorter month means its last day.
      (.monthDays([31]), "2026-11-30", true), (.monthDays([31]), "2026-10-30", false), (.monthDays([31]), "2026-10-31", true),
      (.monthDays([29]), "2026-02-28", true), (.monthDays([29]), "2028-02-28", false), (.monthDays([29]), "2028-02-29", true),
      (.monthDays([1]), "2026-02-28", false), (.monthDays([30, 31]), "2026-02-28", true), (.monthDays([28]), "2026-02-28", true),
      // Counted from 2026-11-01, in both directions.
      (.everyNDays(3), "2026-11-01", true), (.everyNDays(3), "2026-11-02", false), (.everyNDays(3), "2026-11-04", true),
      (.everyNDays(3), "2026-10-29", true), (.everyNDays(3), "2026-10-30", false), (.everyNDays(365), "2027-11-01", true),
      // Any day of the week may be used.
      (.timesAWeek(2), "2026-11-21", true),
      (.nthWeekdays([.init(nth: 1, weekday: 1)]), "2026-11-02", true),
      (.nthWeekdays([.init(nth: 1, weekday: 1)]), "2026-11-09", false),
      (.nthWeekdays([.init(nth: 3, weekday: 6)]), "2026-11-21", true),
      (.nthWeekdays([.init(nth: 3, weekday: 7)]), "2026-11-21", false),
      (.nthWeekdays([.init(nth: 5, weekday: 7)]), "2026-11-29", true),
      (.nthWeekdays([.init(nth: 5, weekday: 6)]), "2026-11-28", false),
      (.nthWeekdays([.init(nth: -1, weekday: 6)]), "2026-11-28", true),
      (.nthWeekdays([.init(nth: -1, weekday: 6)]), "2026-11-21", false),
      (.nthWeekdays([.init(nth: 4, weekday: 6)]), "2026-11-28", true),
    ])
  func plan(schedule: Schedule, day: String, isPlanned: Bool) throws {
    #expect(PlannedDays(schedule, anchor: try LocalDay(text: "2026-11-01")).contains(try LocalDay(text: day)) == isPlanned)
  }

  @Test("Schedules are normalized: in order, each day once")
  func canonical() {
    func canonical(_ schedule: Schedule) -> Schedule { PlannedDays(schedule, anchor: .placeholder).schedule }
    #expect(canonical(.weekdays([5, 1, 5])) == .weekdays([1, 5]))
    #expect(canonical(.monthDays([31, 1])) == .monthDays([1, 31]))
    #expect(canonical(.daily) == .daily)
    #expect(canonical(.everyNDays(365)) == .everyNDays(365))
    #expect(canonical(.timesAWeek(3)) == .timesAWeek(3))
    #expect(
      canonical(.nthWeekdays([.init(nth: -1, weekday: 7), .init(nth: 5, weekday: 7), .init(nth: 1, weekday: 1)]))
        == .nthWeekdays([.init(nth: 1, weekday: 1), .init(nth: 5, weekday: 7), .init(nth: -1, weekday: 7)]))
  }

  @Test("Schedules with fields that do not fit are refused, each field by name")
  func checks() throws {
    func problems(_ schedule: String) throws -> [String] {
      do {
        _ = try Schedule.decode(Array(schedule.utf8))
        return []
      } catch {
        return error.fields.map { "\($0.field) \($0.code)" }
      }
    }
    #expect(try problems(#"{"kind":"daily"}"#) == [])
    #expect(try problems(#"{"kind":"daily","weekdays":[1]}"#) == ["weekdays not_for_schedule"])
    #expect(try problems(#"{"kind":"weekdays"}"#) == ["weekdays required"])
    #expect(try problems(#"{"kind":"weekdays","weekdays":[]}"#) == ["weekdays wrong_count"])
    #expect(try problems(#"{"kind":"weekdays","weekdays":[1,8]}"#) == ["weekdays[1] out_of_range"])
    #expect(try problems(#"{"kind":"monthDays","monthDays":[0,31]}"#) == ["monthDays[0] out_of_range"])
    #expect(
      try problems(#"{"kind":"monthDays","weekdays":[1]}"#) == ["weekdays not_for_schedule", "monthDays required"])
    #expect(try problems(#"{"kind":"everyNDays"}"#) == ["everyDays required"])
    #expect(try problems(#"{"kind":"everyNDays","everyDays":1}"#) == ["everyDays out_of_range"])
    #expect(try problems(#"{"kind":"everyNDays","everyDays":366}"#) == ["everyDays out_of_range"])
    #expect(try problems(#"{"kind":"timesAWeek","timesAWeek":8}"#) == ["timesAWeek out_of_range"])
    #expect(try problems(#"{"kind":"timesAWeek","everyDays":2}"#) == ["everyDays not_for_schedule", "timesAWeek required"])
    #expect(try problems(#"{"kind":"nthWeekdays","nthWeekdays":[]}"#) == ["nthWeekdays wrong_count"])
    #expect(
      try problems(#"{"kind":"nthWeekdays","nthWeekdays":[{"nth":0,"weekday":1},{"nth":6,"weekday":8}]}"#)
        == ["nthWeekdays[0].nth no_such_nth", "nthWeekdays[1].nth no_such_nth", "nthWeekdays[1].weekday out_of_range"])
  }
}
