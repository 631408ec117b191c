import ActivityContract
import Operations
import Testing

@testable import ActivityService

@Suite("Schedules")
struct PlannedDaysTests {
  @Test(
    "plan their days",
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
    ])
  func plan(schedule: Schedule, day: String, isPlanned: Bool) throws {
    #expect(PlannedDays(schedule).contains(try LocalDay(text: day)) == isPlanned)
  }

  @Test("are given back in order, each day once")
  func canonical() {
    #expect(PlannedDays(.weekdays([5, 1, 5])).schedule == .weekdays([1, 5]))
    #expect(PlannedDays(.monthDays([31, 1])).schedule == .monthDays([1, 31]))
    #expect(PlannedDays(.daily).schedule == .daily)
  }

  @Test("find the planned days around a day")
  func around() throws {
    let planned = PlannedDays(.monthDays([31]))
    #expect(planned.next(after: try LocalDay(text: "2026-01-31")).description == "2026-02-28")
    #expect(planned.last(before: try LocalDay(text: "2026-02-28")).description == "2026-01-31")
  }

  @Test("refuse what does not belong together, each field by name")
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
  }
}
