import Foundation
import Operations
import Testing

@testable import ServiceKit

@Suite("Offsets of time zones")
struct ZoneOffsetsTests {
  static let zones = [
    "Europe/Madrid", "America/New_York", "America/Havana", "Australia/Lord_Howe", "Africa/Casablanca", "Africa/Cairo",
    "America/Santiago", "Asia/Beirut", "Pacific/Auckland", "Pacific/Apia", "Asia/Kathmandu", "America/St_Johns",
  ]

  @Test(
    "Offsets of time zones agree with Foundation at every half hour of 2024 to 2027, and one millisecond before", arguments: zones
  )
  func agreeWithFoundation(name: String) throws {
    let zone = try #require(TimeZone(identifier: name))
    let offsets = ZoneOffsets(zone)
    var wrong: [Int64] = []
    for moment in stride(from: Int64(1_704_067_200_000), to: 1_830_297_600_000, by: 1_800_000) {
      for milliseconds in [moment - 1, moment] {
        let span = offsets.span(at: milliseconds)
        let seconds = (Double(milliseconds) / 1000).rounded(.down)
        let expected = Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: seconds))) * 1000
        if !span.range.contains(milliseconds) || span.offset != expected { wrong.append(milliseconds) }
      }
    }
    #expect(wrong.isEmpty)
  }

  @Test(
    "Twenty years of offsets are kept as a span for each change, from whatever day on they were asked for",
    arguments: ["Europe/Madrid", "Africa/Casablanca", "Asia/Kathmandu"])
  func kept(name: String) throws {
    let zone = try #require(TimeZone(identifier: name))
    let offsets = ZoneOffsets(zone)
    let (day, middle, farthest): (Int64, Int64, Int64) = (86_400, 18_262, 3_650)
    for distance in 0...farthest {
      for number in [middle - distance, middle + distance] { _ = offsets.span(at: number * day * 1000 + 1) }
    }
    let changes = ZoneChangesTests.changes(of: zone, from: (middle - farthest) * day, to: (middle + farthest + 1) * day)
    #expect(offsets.keptSpans == changes.count + 1)
    // As feeds of calendars ask: weekly.
    let weekly = ZoneOffsets(zone)
    for number in stride(from: middle - farthest, through: middle + farthest, by: 7) { _ = weekly.span(at: number * day * 1000) }
    #expect(weekly.keptSpans == changes.count + 1)
  }

  @Test("However many single days are asked for, a bounded number is kept, and the offsets are right")
  func bounded() throws {
    let zone = try #require(TimeZone(identifier: "America/New_York"))
    let offsets = ZoneOffsets(zone)
    var (most, wrong): (Int, [Int64]) = (0, [])
    for noon in stride(from: Int64(43_200), to: 22_000 * 86_400, by: 30 * 86_400) {
      let expected = Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(noon)))) * 1000
      if offsets.span(at: noon * 1000).offset != expected { wrong.append(noon) }
      most = max(most, offsets.keptSpans)
    }
    #expect(wrong == [] && most == KnownOffsets.maxSpans)
  }

  @Test("An offset that lasted a week is known, though days before and after it were asked for first")
  func week() throws {
    let offsets = ZoneOffsets(try #require(TimeZone(identifier: "America/Recife")))
    let found = try ["2000-10-06", "2000-10-17", "2000-10-10"].map { day in
      offsets.span(at: try Instant(text: "\(day)T12:00:00.000Z").milliseconds).offset / 3_600_000
    }
    #expect(found == [-3, -3, -2])
  }

  @Test("A span stays as it is when a part of it is added once more")
  func again() {
    var known = KnownOffsets()
    for range in [0..<100, 100..<200, 0..<100, 50..<60] as [Range<Int64>] { known.add(OffsetSpan(range: range, offset: 1)) }
    #expect(known.spans == [OffsetSpan(range: 0..<200, offset: 1)])
  }

  @Test("Offsets of time zones know that Samoa left out 30 December 2011")
  func dateLine() throws {
    let calendar = LocalCalendar(TimeZones().offsets("Pacific/Apia"), dayStartHour: 0)
    #expect(calendar.day(of: try Instant(text: "2011-12-30T09:59:59.999Z")).description == "2011-12-29")
    #expect(calendar.day(of: try Instant(text: "2011-12-30T10:00:00.000Z")).description == "2011-12-31")
  }

  @Test("An unknown time zone has the offset of UTC")
  func unknownZone() throws {
    let calendar = LocalCalendar(TimeZones().offsets("Nowhere/Land"), dayStartHour: 0)
    #expect(calendar.day(of: try Instant(text: "2026-11-21T23:59:59.999Z")).description == "2026-11-21")
  }

  @Test(
    "Offsets of time zones give the local day, which begins at the account's hour",
    arguments: [
      ("Europe/Madrid", 0, "2026-11-20T23:00:00.000Z", "2026-11-21"),
      ("Europe/Madrid", 0, "2026-11-20T22:59:59.999Z", "2026-11-20"),
      ("Europe/Madrid", 4, "2026-11-21T02:59:59.999Z", "2026-11-20"),
      ("Europe/Madrid", 4, "2026-11-21T03:00:00.000Z", "2026-11-21"),
      // The night of the change to winter time: 03:00 local is 02:00 UTC.
      ("Europe/Madrid", 3, "2026-10-25T01:59:59.999Z", "2026-10-24"),
      ("Europe/Madrid", 3, "2026-10-25T02:00:00.000Z", "2026-10-25"),
      ("Asia/Kathmandu", 0, "2026-11-20T18:15:00.000Z", "2026-11-21"),
      ("Pacific/Kiritimati", 0, "2026-11-20T10:00:00.000Z", "2026-11-21"),
      ("America/Los_Angeles", 0, "1969-12-31T23:00:00.000Z", "1969-12-31"),
    ])
  func localDay(zone: String, hour: Int, instant: String, day: String) throws {
    let calendar = LocalCalendar(TimeZones().offsets(zone), dayStartHour: hour)
    #expect(calendar.day(of: try Instant(text: instant)).description == day)
  }
}
