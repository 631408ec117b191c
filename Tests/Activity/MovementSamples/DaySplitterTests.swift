import Foundation
import InProcess
import Operations
import Sampling
import ServiceKit
import Testing

@testable import ActivityService

@Suite("Splitting samples over local days")
struct DaySplitterTests {
  struct Case: Sendable {
    let zone: String
    var hour = 0
    let start: String
    let end: String
    let steps: Int
    let days: [String: Int]
  }

  static let cases = [
    Case(zone: "UTC", start: "2026-11-21T08:00:00Z", end: "2026-11-21T09:00:00Z", steps: 900, days: ["2026-11-21": 900]),
    Case(zone: "UTC", start: "2026-11-21T23:00:00Z", end: "2026-11-22T00:00:00Z", steps: 900, days: ["2026-11-21": 900]),
    Case(zone: "UTC", start: "2026-11-22T00:00:00Z", end: "2026-11-22T00:00:00Z", steps: 7, days: ["2026-11-22": 7]),
    Case(
      zone: "UTC", start: "2026-11-21T23:30:00Z", end: "2026-11-22T00:30:00Z", steps: 101,
      days: ["2026-11-21": 50, "2026-11-22": 51]),
    Case(
      zone: "Europe/Madrid", start: "2026-11-21T22:45:00Z", end: "2026-11-21T23:45:00Z", steps: 100,
      days: ["2026-11-21": 25, "2026-11-22": 75]),
    Case(
      zone: "Europe/Madrid", hour: 4, start: "2026-11-22T02:45:00Z", end: "2026-11-22T03:45:00Z", steps: 100,
      days: ["2026-11-21": 25, "2026-11-22": 75]),
    // 29 March 2026 has 23 hours in Madrid: 24 hours from half an hour before it touch three days.
    Case(
      zone: "Europe/Madrid", start: "2026-03-28T22:30:00Z", end: "2026-03-29T22:30:00Z", steps: 2400,
      days: ["2026-03-28": 50, "2026-03-29": 2300, "2026-03-30": 50]),
    // In Havana the clock goes back from 01:00 to 00:00: the day has 25 hours.
    Case(
      zone: "America/Havana", start: "2026-11-01T03:00:00Z", end: "2026-11-02T03:00:00Z", steps: 2400,
      days: ["2026-10-31": 100, "2026-11-01": 2300]),
    // Samoa left out 30 December 2011.
    Case(
      zone: "Pacific/Apia", start: "2011-12-30T09:00:00Z", end: "2011-12-30T11:00:00Z", steps: 200,
      days: ["2011-12-29": 100, "2011-12-31": 100]),
    Case(
      zone: "UTC", start: "2026-11-21T23:59:59.999Z", end: "2026-11-22T23:59:59.999Z", steps: 1,
      days: ["2026-11-21": 0, "2026-11-22": 1]),
  ]

  @Test("Splitting a sample gives each local day its share", arguments: cases)
  func table(example: Case) throws {
    var splitter = DaySplitter(LocalCalendar(TimeZones().offsets(example.zone), dayStartHour: example.hour))
    let days = split(try Instant(text: example.start), try Instant(text: example.end), example.steps, by: &splitter)
    #expect(Dictionary(uniqueKeysWithValues: days.map { ($0.0.description, $0.1) }) == example.days)
  }

  @Test(
    "Splitting samples agrees with counting every minute, around every change of the clock from 2024 to 2027",
    arguments: ZoneOffsetsTests.zones)
  func agreesWithCounting(name: String) throws {
    let zone = try #require(TimeZone(identifier: name))
    let changes = clockChanges(of: zone)
    var random = SeededGenerator(name.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
    let zones = TimeZones()
    for _ in 0..<1000 {
      let hour = Int.random(in: 0...6, using: &random)
      let anchor =
        changes.randomElement(using: &random) ?? 1_704_067_200 + Int64.random(in: 0..<2_000_000, using: &random) * 60
      let length = Int64.random(in: 0...(Bool.random(using: &random) ? 120 : 1440), using: &random)
      let start = anchor / 60 - Int64.random(in: 0...1440, using: &random)
      let steps = Int.random(in: 0...30_000, using: &random)
      var splitter = DaySplitter(LocalCalendar(zones.offsets(name), dayStartHour: hour))
      let days = split(
        Instant(milliseconds: start * 60_000), Instant(milliseconds: (start + length) * 60_000), steps, by: &splitter)
      let expected = model(zone, hour, start, length, steps)
      try #require(
        days.map(\.0) == expected.map(\.0) && days.map(\.1) == expected.map(\.1), "\(name) \(hour) \(start) \(length) \(steps)")
      try #require(days.reduce(0) { $0 + $1.1 } == steps)
    }
  }

  private func split(_ start: Instant, _ end: Instant, _ steps: Int, by splitter: inout DaySplitter) -> [(LocalDay, Int)] {
    let spread = splitter.spread(steps, start: start, end: end)
    var days: [(LocalDay, Int)] = []
    spread.forEachPiece { piece in
      let share = spread.share(of: piece, from: piece.from, until: piece.until)
      if days.last?.0 == piece.day { days[days.count - 1].1 += share } else { days.append((piece.day, share)) }
    }
    return days
  }

  /// The slow and obvious way: which day is each minute in? Every zone has changed on whole minutes since 1973.
  private func model(_ zone: TimeZone, _ hour: Int, _ start: Int64, _ length: Int64, _ steps: Int) -> [(LocalDay, Int)] {
    var minutes: [LocalDay: Int] = [:]
    for minute in length == 0 ? start..<(start + 1) : start..<(start + length) {
      let local =
        minute * 60 + Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(minute * 60)))) - Int64(hour) * 3600
      minutes[LocalDay(daysSinceEpoch: Int32((Double(local) / 86400).rounded(.down))), default: 0] += 1
    }
    var elapsed = 0
    var given = 0
    return minutes.sorted { $0.key < $1.key }.map { day, count in
      elapsed += count
      let upToHere = steps * elapsed / max(1, Int(length))
      defer { given = upToHere }
      return (day, upToHere - given)
    }
  }

  private func clockChanges(of zone: TimeZone) -> [Int64] {
    var changes: [Int64] = []
    var last = zone.secondsFromGMT(for: Date(timeIntervalSince1970: 1_704_067_200))
    for zeroLengthSample in stride(from: Int64(1_704_067_200), to: 1_830_297_600, by: 900) {
      let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(zeroLengthSample)))
      if offset != last { changes.append(zeroLengthSample) }
      last = offset
    }
    return changes
  }
}
