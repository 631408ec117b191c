import ActivityContract
import Foundation
import InProcess
import Operations
import Sampling
import ServiceKit
import Testing

@testable import ActivityService

@Suite("Recurrence rules (RFC 5545)")
struct RecurrenceRuleTests {
  @Test(
    "Recurrence rules express each kind of schedule",
    arguments: [
      (Schedule.daily, "FREQ=DAILY"), (.everyNDays(3), "FREQ=DAILY;INTERVAL=3"), (.timesAWeek(3), "FREQ=DAILY"),
      (.weekdays([1, 3, 7]), "FREQ=WEEKLY;BYDAY=MO,WE,SU"), (.monthDays([1, 15]), "FREQ=MONTHLY;BYMONTHDAY=1,15"),
      // A day that the month lacks means its last.
      (.monthDays([31]), "FREQ=MONTHLY;BYMONTHDAY=-1"), (.monthDays([1, 31]), "FREQ=MONTHLY;BYMONTHDAY=1,-1"),
      (.monthDays([30]), "FREQ=MONTHLY;BYMONTHDAY=28,29,30;BYSETPOS=-1"),
      (.monthDays([5, 29, 30]), "FREQ=MONTHLY;BYMONTHDAY=5,28,29,30;BYSETPOS=1,3,-1"),
      (.nthWeekdays([.init(nth: 1, weekday: 1), .init(nth: -1, weekday: 5)]), "FREQ=MONTHLY;BYDAY=1MO,-1FR"),
    ])
  func rules(schedule: Schedule, rule: String) {
    #expect(RecurrenceRule.text(PlannedDays(schedule, anchor: .placeholder).schedule) == rule)
  }

  private func schedule(_ kind: Schedule.Kind, _ generator: inout SeededGenerator) -> Schedule {
    func some(_ range: ClosedRange<Int>) -> [Int] {
      (0..<Int.random(in: 1...4, using: &generator)).map { _ in Int.random(in: range, using: &generator) }
    }
    switch kind {
    case .daily: return .daily
    case .weekdays: return .weekdays(some(1...7))
    // Mostly the days that some months lack.
    case .monthDays: return .monthDays(some(Bool.random(using: &generator) ? 1...31 : 27...31))
    case .everyNDays: return .everyNDays(Int.random(in: 2...365, using: &generator))
    case .timesAWeek: return .timesAWeek(Int.random(in: 1...7, using: &generator))
    case .nthWeekdays:
      return .nthWeekdays(
        some(1...5).map { NthWeekday(nth: $0 == 5 && .random(using: &generator) ? -1 : $0, weekday: some(1...7)[0]) })
    }
  }

  @Test(
    "Python's icalendar expands recurrence rules to exactly the planned days, for each kind, with starts, ends and pauses",
    .enabled(if: CalendarProgram.python != nil, "needs RACHA_TEST_PYTHON with icalendar"), arguments: Schedule.Kind.allCases)
  func expanded(kind: Schedule.Kind) throws {
    var generator = SeededGenerator(UInt64(kind.rawValue.count))
    let window = (try LocalDay(text: "2023-12-01"))...(try LocalDay(text: "2028-03-31"))
    let offsets = TimeZones().offsets("Europe/Madrid")
    var expected: [String: [LocalDay]] = [:]
    var events: [CalendarEvent] = []
    for number in 0..<60 {
      let start = window.lowerBound.advanced(by: Int.random(in: -400...900, using: &generator))
      let end = number % 3 == 0 ? start.advanced(by: Int.random(in: 0...700, using: &generator)) : nil
      let reminders = try number % 2 == 0 ? [] : [ReminderTime(text: "07:30"), ReminderTime(text: "21:05")]
      let activity = Activity(
        id: ActivityID(), title: "\(number)", reason: nil, category: .other, goal: .check, schedule: schedule(kind, &generator),
        startDay: start, endDay: end, reminders: reminders, createdAt: Instant(milliseconds: 0))
      let version = ActivityVersion(
        fromDay: ActivityVersionStore.beginning, planned: PlannedDays(activity.schedule, anchor: start), startDay: start,
        endDay: end,
        measure: GoalMeasure(.check), unit: nil)
      let next = number % 5 == 0 ? start.advanced(by: Int.random(in: 0...500, using: &generator)) : nil
      let pause = start.advanced(by: Int.random(in: 0...200, using: &generator))
      let pauses = number % 4 == 0 ? [pause...pause.advanced(by: Int.random(in: 0...100, using: &generator))] : []
      let days = window.filter { day in
        version.isPlanned(on: day) && next.map { day < $0 } ?? true && !pauses.contains { $0.contains(day) }
      }
      let event = CalendarEvent(
        activity, version, until: next, rest: pauses, today: window.upperBound, changedAt: Instant(milliseconds: 0))
      if let event { events.append(event) }
      expected["\(number)"] = event == nil ? nil : days
      if event == nil { #expect(days.isEmpty) }
    }
    let zone = FeedZone(name: "Europe/Madrid", offsets: offsets, dayStartHour: 0)
    let file = CalendarFeed(zone: zone, events: events).file(named: "x", today: window.upperBound)
    let shown = try CalendarProgram.show(
      file.content.bytes, from: window.lowerBound.description, to: window.upperBound.description)
    #expect(shown.events.count == events.count && events.count > 40)
    for event in shown.events {
      let days = expected[event.summary, default: []].map { event.isDay ? "\($0)" : "\($0)T07:30" }
      #expect(event.starts == days, "\(kind) \(event.summary)")
    }
  }
}
