import ActivityContract
import Foundation
import Operations
import ServiceKit
import Testing

@testable import ActivityService

@Suite("When a reminder is due (NOT-2)")
struct ReminderRulesTests {
  /// Ten zones, each with changes of its own: by half an hour, at midnight, in Ramadan, in the south, across the year.
  private static let zones = [
    "Europe/Madrid", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "Asia/Beirut", "America/Santiago",
    "Pacific/Auckland", "America/Havana", "Africa/Cairo", "Atlantic/Azores",
  ]
  private static let times = [0, 30, 60, 75, 90, 120, 135, 150, 165, 180, 210, 720, 1380, 1410, 1425]

  /// What a clock on the wall shows at each quarter of an hour around a change, as Foundation says: clocks change on one.
  private struct WallClock {
    /// The minutes of UTC, and what the wall shows then, both since 1970.
    let shown: [(utc: Int64, wall: Int64)]
    private let first: [Int64: Int64]

    init(_ zone: TimeZone, around day: Int64, days: Int64) {
      shown = stride(from: (day - days) * 1440, to: (day + days) * 1440, by: 15).map { minute in
        (minute, minute + Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(minute) * 60))) / 60)
      }
      first = Dictionary(shown.map { ($0.wall, $0.utc) }, uniquingKeysWith: { first, _ in first })
    }

    /// When the wall shows it first, or where it never does, when it has jumped over it.
    func minute(showing wall: Int64) -> Int64? {
      if let found = first[wall] { return found }
      return zip(shown, shown.dropFirst()).first { $0.wall < wall && $1.wall > wall }?.1.utc
    }
  }

  private static func changes(of zone: TimeZone) -> [Int64] {
    func offset(_ day: Int64) -> Int { zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(day) * 86_400)) }
    // 2024-01-01 to 2027-12-31.
    return (19_723..<21_184).filter { offset($0) != offset($0 + 1) }
  }

  @Test(
    "Around each clock change of 2024 to 2027 a reminder comes once a day: at the first of two times, or when skipped",
    arguments: zones)
  func summerTime(name: String) throws {
    let zone = try #require(TimeZone(identifier: name))
    let changes = Self.changes(of: zone)
    #expect(changes.count >= 8, "\(changes.count)")
    for change in changes {
      let wall = WallClock(zone, around: change, days: 4)
      for dayStart in [0, 2, 6] {
        let calendar = LocalCalendar(ZoneOffsets(zone), dayStartHour: dayStart)
        for minutes in Self.times {
          let time = try #require(ReminderTime(minutes: minutes))
          var last = Instant(milliseconds: (change - 2) * 86_400_000)
          var lastDay: LocalDay?
          for _ in 0..<4 {
            let next = ReminderRules.next(time, after: last, lastDay: lastDay, calendar)
            if let lastDay { #expect(next.day == lastDay.advanced(by: 1), "\(name) \(time) \(lastDay)") }
            let date = Int64(next.day.daysSinceEpoch) + (minutes < dayStart * 60 ? 1 : 0)
            let expected = try #require(wall.minute(showing: date * 1440 + Int64(minutes)))
            #expect(next.dueAt.milliseconds == expected * 60_000, "\(name) \(time) \(next.day), day from \(dayStart)")
            (last, lastDay) = (next.dueAt, next.day)
          }
        }
      }
    }
  }

  private func calendar(_ zone: String, dayStart: Int = 0) throws -> LocalCalendar {
    LocalCalendar(ZoneOffsets(try #require(TimeZone(identifier: zone))), dayStartHour: dayStart)
  }

  @Test(
    "A reminder at a skipped time comes as the clocks are put forward, and one at a repeated time the first time",
    arguments: [
      ("2026-03-29", "02:30", "2026-03-29T01:00:00.000Z"), ("2026-03-29", "03:00", "2026-03-29T01:00:00.000Z"),
      ("2026-10-25", "02:30", "2026-10-25T00:30:00.000Z"), ("2026-10-25", "03:00", "2026-10-25T02:00:00.000Z"),
    ])
  func examples(day: String, time: String, expected: String) throws {
    let found = ReminderRules.instant(
      of: try ReminderTime(text: time), on: try LocalDay(text: day), try calendar("Europe/Madrid"))
    #expect(found == (try Instant(text: expected)))
  }

  @Test("A time in the hours before the day starts belongs to the day before")
  func nightOwls() throws {
    let found = ReminderRules.next(
      try ReminderTime(text: "01:15"), after: try Instant(text: "2026-11-21T12:00:00.000Z"), lastDay: nil,
      try calendar("UTC", dayStart: 3))
    #expect(try found.day.description == "2026-11-21" && found.dueAt == Instant(text: "2026-11-22T01:15:00.000Z"))
  }

  @Test("No reminder is repeated on a day when its owner travels west, and the next one follows at once when travelling east")
  func travelling() throws {
    let (day, time) = (try LocalDay(text: "2026-11-21"), try ReminderTime(text: "07:30"))
    let came = ReminderRules.instant(of: time, on: day, try calendar("Europe/Madrid"))
    let west = ReminderRules.next(time, after: came, lastDay: day, try calendar("America/New_York"))
    #expect(try west.day == day.advanced(by: 1) && west.dueAt == Instant(text: "2026-11-22T12:30:00.000Z"))
    let east = ReminderRules.next(time, after: came, lastDay: day, try calendar("Asia/Tokyo"))
    #expect(try east.day == day.advanced(by: 1) && east.dueAt == Instant(text: "2026-11-21T22:30:00.000Z"))
  }

  @Test("A reminder can be answered until its day ends, but for at least two hours and at most a day")
  func ends() throws {
    func end(_ time: String, dayStart: Int = 0) throws -> String {
      let (day, calendar) = (try LocalDay(text: "2026-11-21"), try calendar("UTC", dayStart: dayStart))
      let due = ReminderRules.instant(of: try ReminderTime(text: time), on: day, calendar)
      return ReminderRules.end(of: .init(day: day, dueAt: due), calendar).description
    }
    #expect(try end("07:30") == "2026-11-22T00:00:00.000Z")
    #expect(try end("23:30") == "2026-11-22T01:30:00.000Z")
    #expect(try end("06:00", dayStart: 6) == "2026-11-22T06:00:00.000Z")
  }

  @Test(
    "No reminder comes for what is done, lost, skipped, paused, free or not planned, during a timer, or during a suspension")
  func decisions() throws {
    let due = try Instant(text: "2026-11-21T07:30:00.000Z")
    func decide(lateMilliseconds: Int64 = 0, _ change: (inout ReminderRules.Facts) -> Void = { _ in }) -> ReminderRules.Decision {
      var facts = ReminderRules.Facts()
      change(&facts)
      return ReminderRules.decide(facts, dueAt: due, at: due.adding(milliseconds: lateMilliseconds), lateSeconds: 1800)
    }
    #expect(decide() == .send)
    #expect(decide { $0.isPlanned = false } == .nothing)
    #expect(decide { $0.isFree = true } == .nothing)
    #expect(decide { $0.isPaused = true } == .nothing)
    #expect(decide { $0.isSkipped = true } == .nothing)
    #expect(decide { $0.outcome = .kept } == .nothing)
    #expect(decide { $0.outcome = .missed } == .nothing)
    #expect(decide { $0.hasRunningTimer = true } == .nothing)
    #expect(decide { $0.isSuspended = true } == .nothing)
    #expect(decide(lateMilliseconds: 1_799_999) == .send && decide(lateMilliseconds: 1_800_000) == .missed)
    #expect(decide(lateMilliseconds: 1_800_000) { $0.outcome = .kept } == .nothing)
  }
}
