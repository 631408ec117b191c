import Foundation
import InProcess
import Operations
import ServiceKit
import Testing

@testable import ActivityService

@Suite("Local days over every change of the clocks")
struct ZoneChangesTests {
  static let zones = [
    "Europe/Madrid", "America/New_York", "America/Havana", "Australia/Lord_Howe", "Africa/Casablanca", "Africa/Cairo",
    "America/Santiago", "Asia/Beirut", "Pacific/Auckland", "America/Scoresbysund",
  ]

  /// The seconds at which the zone's offset changes, found by asking Foundation every hour and halving.
  static func changes(of zone: TimeZone, from start: Int64, to end: Int64) -> [Int64] {
    func offset(_ second: Int64) -> Int { zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second))) }
    return stride(from: start, to: end, by: 3600).compactMap { hour in
      guard offset(hour) != offset(hour + 3600) else { return nil }
      var (low, high) = (hour, hour + 3600)
      while high - low > 1 {
        let middle = (low + high) / 2
        if offset(middle) == offset(hour) { low = middle } else { high = middle }
      }
      return high
    }
  }

  private static let span = (from: Int64(1_704_067_200), to: Int64(1_830_297_600))

  @Test("Clocks of 2024 to 2027: the offset changes at the millisecond at which Foundation changes it", arguments: zones)
  func offsets(name: String) throws {
    let zone = try #require(TimeZone(identifier: name))
    let offsets = ZoneOffsets(zone)
    let changes = ZoneChangesTests.changes(of: zone, from: ZoneChangesTests.span.from, to: ZoneChangesTests.span.to)
    #expect(changes.count >= 6)
    for change in changes {
      let (before, after) = (offsets.span(at: change * 1000 - 1), offsets.span(at: change * 1000))
      #expect(before.range.upperBound == change * 1000 && after.range.lowerBound == change * 1000)
      #expect(before.offset == Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(change - 1)))) * 1000)
      #expect(after.offset == Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(change)))) * 1000)
    }
  }

  @Test("Clocks of 2024 to 2027: local days follow each other, each once, as a wall clock shows them", arguments: zones)
  func days(name: String) async throws {
    let zone = try #require(TimeZone(identifier: name))
    let offsets = ZoneOffsets(zone)
    var wall = Calendar(identifier: .gregorian)
    wall.timeZone = zone
    var wrong: [String] = []
    for change in ZoneChangesTests.changes(of: zone, from: ZoneChangesTests.span.from, to: ZoneChangesTests.span.to) {
      await Task.yield()
      var last: [LocalDay?] = Array(repeating: nil, count: 7)
      for second in stride(from: change - 93_600, through: change + 93_600, by: 1800) {
        for milliseconds in [second * 1000 - 1, second * 1000] {
          // Foundation rounds dates to some microseconds: whole seconds are safe.
          let shown = Date(timeIntervalSince1970: (Double(milliseconds) / 1000).rounded(.down))
          let parts = wall.dateComponents([.year, .month, .day, .hour], from: shown)
          let date = try #require(LocalDay(year: parts.year!, month: parts.month!, day: parts.day!))
          for hour in 0...6 {
            let day = LocalCalendar(offsets, dayStartHour: hour).day(of: Instant(milliseconds: milliseconds))
            let isRight = day == (parts.hour! < hour ? date.advanced(by: -1) : date)
            let follows = last[hour].map { (0...1).contains($0.distance(to: day)) } ?? true
            if !isRight || !follows { wrong.append("day of hour \(hour) at \(milliseconds): \(day)") }
            last[hour] = day
          }
        }
      }
    }
    #expect(wrong == [])
  }

  @Test(
    "Clocks that moved across the date line: the day that was skipped there is lost",
    arguments: [
      ("Pacific/Apia", ["2011-12-30"]), ("Pacific/Fakaofo", ["2011-12-30"]), ("Pacific/Kwajalein", ["1993-08-21"]),
      ("Pacific/Kiritimati", ["1994-12-31"]), ("Pacific/Auckland", []), ("Europe/Madrid", []), ("America/Anchorage", []),
    ])
  func dateLine(name: String, lost: [String]) throws {
    let offsets = ZoneOffsets(try #require(TimeZone(identifier: name)))
    let calendar = LocalCalendar(offsets, dayStartHour: 0)
    #expect(calendar.lostDays.map(\.description) == lost)
    for day in calendar.lostDays {
      for second in stride(from: Int64(day.daysSinceEpoch - 2) * 86_400, to: Int64(day.daysSinceEpoch + 2) * 86_400, by: 600) {
        #expect(calendar.day(of: Instant(milliseconds: second * 1000)) != day)
      }
    }
    // With a later start of the day, some of it is had, and some of the one before is not.
    for jump in offsets.dateLineJumps where !lost.isEmpty {
      let early = LocalCalendar(offsets, dayStartHour: 6)
      let day = try LocalDay(text: lost[0])
      #expect(early.lostDays == [day.advanced(by: -1), day])
      #expect(early.day(of: Instant(milliseconds: jump.at - 1)) == day.advanced(by: -1))
      #expect(early.day(of: Instant(milliseconds: jump.at)) == day)
    }
  }
}
