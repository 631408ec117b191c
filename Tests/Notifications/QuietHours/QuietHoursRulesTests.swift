import Foundation
import NotificationsContract
import Operations
import ServiceKit
import Testing

@testable import NotificationsService

@Suite("Quiet hours in local time (NOT-4)")
struct QuietHoursRulesTests {
  private static func hours(_ start: String, _ end: String) throws -> QuietHours {
    QuietHours(startsAt: try QuietTime(text: start), endsAt: try QuietTime(text: end))
  }

  private static let madrid = TimeZone(identifier: "Europe/Madrid")!

  /// Local times are Madrid's: an hour before UTC in winter, two in summer.
  @Test(
    "Quiet hours end at their end, across midnight and clock changes",
    arguments: [
      // Outside, at the very start, over midnight, at the very end.
      ("22:00", "07:00", "2026-11-21T20:59:59.999Z", nil),
      ("22:00", "07:00", "2026-11-21T21:00:00.000Z", "2026-11-22T06:00:00.000Z"),
      ("22:00", "07:00", "2026-11-22T03:00:00.000Z", "2026-11-22T06:00:00.000Z"),
      ("22:00", "07:00", "2026-11-22T06:00:00.000Z", nil),
      // Within a day.
      ("13:00", "15:30", "2026-11-21T12:30:00.000Z", "2026-11-21T14:30:00.000Z"),
      ("13:00", "15:30", "2026-11-21T11:59:00.000Z", nil),
      // The night of 2026-03-29 is an hour shorter, that of 2026-10-25 an hour longer.
      ("22:00", "07:00", "2026-03-28T22:00:00.000Z", "2026-03-29T05:00:00.000Z"),
      ("22:00", "07:00", "2026-10-24T21:00:00.000Z", "2026-10-25T06:00:00.000Z"),
      // An end that the clocks skip: at 02:00 they show 03:00.
      ("22:00", "02:30", "2026-03-28T22:00:00.000Z", "2026-03-29T01:00:00.000Z"),
      // An end that they show twice: the hour is quiet again when it comes back.
      ("22:00", "02:30", "2026-10-24T22:00:00.000Z", "2026-10-25T00:30:00.000Z"),
      ("02:00", "03:00", "2026-10-25T00:30:00.000Z", "2026-10-25T02:00:00.000Z"),
    ] as [(String, String, String, String?)])
  func ends(start: String, end: String, now: String, expected: String?) throws {
    let found = QuietHoursRules.end(
      of: try Self.hours(start, end), at: try Instant(text: now), ZoneOffsets(Self.madrid))
    #expect(found?.description == expected)
  }

  @Test("The end of quiet hours equals that of a minute-by-minute search, in ten zones, at every clock change of 2024 to 2027")
  func model() throws {
    let zones = [
      "UTC", "Europe/Madrid", "America/New_York", "America/Santiago", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu",
      "Africa/Casablanca", "Pacific/Chatham", "America/St_Johns",
    ]
    let all = [try Self.hours("22:00", "07:00"), try Self.hours("01:30", "02:30"), try Self.hours("12:00", "12:01")]
    for name in zones {
      let zone = try #require(TimeZone(identifier: name))
      let offsets = ZoneOffsets(zone)
      var changes: [Int64] = [1_735_689_600_000]
      var date = Date(timeIntervalSince1970: 1_704_067_200)
      while let next = zone.nextDaylightSavingTimeTransition(after: date), next.timeIntervalSince1970 < 1_830_297_600 {
        changes.append(Int64(next.timeIntervalSince1970) * 1000)
        date = next
      }
      for (hours, change) in all.flatMap({ hours in changes.map { (hours, $0) } }) {
        for step in stride(from: Int64(-26), through: 3, by: 1) {
          let now = Instant(milliseconds: change + step * 1_800_000 + 17_000)
          let found = QuietHoursRules.end(of: hours, at: now, offsets)
          #expect(found == Self.slowEnd(hours, now, zone), "\(name) \(hours) \(now)")
        }
      }
    }
  }

  /// Looks at each minute's beginning, as a person at a clock would.
  private static func slowEnd(_ hours: QuietHours, _ now: Instant, _ zone: TimeZone) -> Instant? {
    func isQuiet(_ milliseconds: Int64) -> Bool {
      let seconds =
        milliseconds / 1000 + Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(milliseconds / 1000))))
      let minute = Int(((seconds % 86_400) + 86_400) % 86_400) / 60
      let (start, end) = (hours.startsAt.minutes, hours.endsAt.minutes)
      return start < end ? (start..<end).contains(minute) : minute >= start || minute < end
    }
    guard isQuiet(now.milliseconds) else { return nil }
    var minute = now.milliseconds - now.milliseconds % 60_000 + 60_000
    while isQuiet(minute) { minute += 60_000 }
    return Instant(milliseconds: minute)
  }
}
