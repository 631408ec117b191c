import Foundation
import Operations
import ServiceKit
import Testing

@testable import ActivityService

@Suite("Time zones of an iCalendar feed (RFC 5545, VTIMEZONE)")
struct ZoneDefinitionTests {
  private static let zones = [
    "Europe/Madrid", "America/New_York", "America/Sao_Paulo", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia",
    "Africa/Casablanca",
    "America/St_Johns", "Asia/Tehran", "UTC",
  ]

  @Test("Time zones of an iCalendar feed contain every change of the offset", arguments: zones)
  func changes(name: String) throws {
    let offsets = TimeZones().offsets(name)
    let first = try Instant(text: "2010-01-01T00:00:00.000Z").milliseconds
    let last = try Instant(text: "2028-01-01T00:00:00.000Z").milliseconds
    let zone = ZoneDefinition(name, offsets, over: first..<last)
    var offset = zone.first
    var changes = zone.changes[...]
    for hour in stride(from: first, to: last, by: 3_600_000) {
      while let change = changes.first, change.at <= hour {
        #expect(change.before == offset)
        offset = change.after
        changes = changes.dropFirst()
      }
      #expect(offsets.span(at: hour).offset == offset, "\(name) at \(Instant(milliseconds: hour))")
    }
  }

  @Test(
    "Python's icalendar reads the time zones of an iCalendar feed with the right offsets",
    .enabled(if: CalendarProgram.python != nil, "needs RACHA_TEST_PYTHON with icalendar"), arguments: zones)
  func read(name: String) throws {
    let offsets = TimeZones().offsets(name)
    let range =
      try Instant(text: "2019-01-01T00:00:00.000Z").milliseconds..<Instant(text: "2031-01-01T00:00:00.000Z").milliseconds
    let zone = ZoneDefinition(name, offsets, over: range)
    var file = ICalendarText()
    for line in ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:test", "X-WR-CALNAME:x"] { file.line(line) }
    file.append(zone.text)
    file.line("END:VCALENDAR")
    let days = (2020...2029).flatMap { ["\($0)-01-15", "\($0)-07-15"] }
    let expected = try days.map { Int(offsets.span(at: try Instant(text: "\($0)T12:00:00.000Z").milliseconds).offset / 1000) }
    let shown = try CalendarProgram.show(file.bytes, from: days[0], to: days[19], zonesOn: days)
    #expect(shown.zones[name] == expected, "\(name)")
  }

  @Test(
    "A local time that comes twice is its first instant, and one that is skipped is the instant after the gap",
    arguments: [
      ("2026-11-21T07:30:00.000Z", "2026-11-21T06:30:00.000Z"), ("2026-07-01T07:30:00.000Z", "2026-07-01T05:30:00.000Z"),
      // The clocks leap from 2 to 3 and go back from 3 to 2.
      ("2026-03-29T01:59:00.000Z", "2026-03-29T00:59:00.000Z"), ("2026-03-29T02:30:00.000Z", "2026-03-29T01:30:00.000Z"),
      ("2026-03-29T03:00:00.000Z", "2026-03-29T01:00:00.000Z"), ("2026-10-25T02:30:00.000Z", "2026-10-25T00:30:00.000Z"),
      ("2026-10-25T03:00:00.000Z", "2026-10-25T02:00:00.000Z"), ("2026-10-24T12:00:00.000Z", "2026-10-24T10:00:00.000Z"),
    ])
  func instants(local: String, instant: String) throws {
    let offsets = TimeZones().offsets("Europe/Madrid")
    #expect(
      Instant(milliseconds: offsets.instant(ofLocal: try Instant(text: local).milliseconds)).description == instant)
  }
}
