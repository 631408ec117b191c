import ActivityContract
import ActivityService
import Foundation
import InProcess
import Operations
import ServiceKit
import Testing

@Suite("Google Fit's two formats of a day, both imported")
struct GoogleFitTests {
  /// A day in Madrid as Google Takeout writes it.
  private struct Takeout {
    let day: LocalDay
    var quarters = "Start time,End time,Distance (m),Step count,Walking duration (ms),Running duration (ms)\n"
    /// The same day among others: with more steps and metres than its quarters have.
    let days: String
    var steps = 0
    var (walking, running) = (0, 0)
    var count = 0

    init(_ text: String) throws {
      day = try LocalDay(text: text)
      days = """
        Date,Distance (m),Step count,Cycling duration (ms),Walking duration (ms),Running duration (ms)
        \(day.advanced(by: -1)),,,,,
        \(day),9000.5,12000,,600000,60000

        """
      var start = Self.midnight(day)
      let end = Self.midnight(day.advanced(by: 1))
      while start < end {
        let next = start.adding(seconds: 900)
        // Most quarters are blank, as most of a day is.
        let (steps, meters) = count % 5 == 3 ? ("\(count * 3)", "\(count).25") : ("", "")
        let durations = meters.isEmpty ? "," : count % 2 == 0 ? "60000," : ",60000"
        quarters += "\(Self.time(start)),\(Self.time(next)),\(meters),\(steps),\(durations)\n"
        if count % 5 == 3 {
          self.steps += count * 3
          if count % 2 == 0 { walking += count * 1000 + 250 } else { running += count * 1000 + 250 }
        }
        count += 1
        start = next
      }
    }

    /// In 2026.
    private static func offset(_ instant: Instant) -> Int {
      (1_774_746_000..<1_792_890_000).contains(instant.milliseconds / 1000) ? 2 : 1
    }

    private static func midnight(_ day: LocalDay) -> Instant {
      let utc = Instant(milliseconds: Int64(day.daysSinceEpoch) * 86_400_000)
      return utc.adding(seconds: -3600 * offset(utc.adding(seconds: -7200)))
    }

    private static func time(_ instant: Instant) -> String {
      let offset = offset(instant)
      return "\(instant.adding(seconds: 3600 * offset).description.dropFirst(11).prefix(8)).000+0\(offset):00"
    }
  }

  /// A day without the reasons for which it earns nothing: of several accounts with the same movement only the first has it to itself.
  private struct Measured: Hashable {
    let day: LocalDay
    let steps: Int
    let walking: Int
    let running: Int

    init(_ day: MovementDay) {
      self.day = day.day
      steps = day.steps
      walking = Int((day.walkingMeters * 1000).rounded())
      running = Int((day.runningMeters * 1000).rounded())
    }
  }

  private static func days(of person: Person, around day: LocalDay, _ days: Int = 2) async throws -> [Measured] {
    try await person.send(ListMovementDays.self, .init(from: day.advanced(by: -days), to: day.advanced(by: days))).items
      .map(Measured.init)
  }

  @Test(
    "Google Fit's two formats of a day give the same, in either order, on days of 24, 23 and 25 hours",
    arguments: ["2026-03-10", "2026-03-29", "2026-10-25"], [0, 4])
  func eitherOrder(_ day: String, _ dayStartHour: Int) async throws {
    let takeout = try Takeout(day)
    #expect(takeout.count == ["2026-03-10": 96, "2026-03-29": 92, "2026-10-25": 100][day])
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let files = [("\(takeout.day).csv", takeout.quarters), ("Daily Summaries.csv", takeout.days)]
      var found: [[Measured]] = []
      for order in [[0], [0, 1], [1, 0], [0, 1, 0, 1], [1, 1, 0, 0]] {
        let ana = try await services.register(timeZone: "Europe/Madrid", dayStartHour: dayStartHour)
        for (position, index) in order.enumerated() {
          let done = try await ana.importFile(files[index].0, files[index].1)
          #expect(done.state == .done && done.counts.rejected == 0)
          #expect((done.counts.accepted == 0) == order[..<position].contains(index))
        }
        found.append(try await Self.days(of: ana, around: takeout.day))
      }
      #expect(Set(found).count == 1)
      #expect(found[0].map(\.steps).reduce(0, +) == takeout.steps)
      #expect(found[0].map(\.walking).reduce(0, +) == takeout.walking)
      #expect(found[0].map(\.running).reduce(0, +) == takeout.running)
      // What the summaries say is what counts where there is nothing else, and all of it on its day.
      let ben = try await services.register(timeZone: "Europe/Madrid", dayStartHour: dayStartHour)
      _ = try await ben.importFile(files[1].0, files[1].1)
      let alone = try await Self.days(of: ben, around: takeout.day)
      #expect(alone.map(\.day) == [takeout.day] && alone.map(\.steps) == [12_000] && alone.map(\.walking) == [9_000_500])
    }
  }

  @Test("Google Fit's two formats give 6,282 steps on Melbourne's day of 25 hours, like the day's file alone")
  func real() async throws {
    guard let quarters = try RealFile.read("googlefit/2017-04-02.csv"),
      let days = try RealFile.read("googlefit/daily_summaries.csv")
    else { return }
    let day = try LocalDay(text: "2017-04-02")
    for dayStartHour in [0, 4] {
      try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
        var found: [[Measured]] = []
        for isDayFirst in [true, false] {
          let ana = try await services.register(timeZone: "Australia/Melbourne", dayStartHour: dayStartHour)
          for isDay in [isDayFirst, !isDayFirst, isDayFirst] {
            _ = try await ana.importFile(isDay ? "2017-04-02.csv" : "daily_summaries.csv", isDay ? quarters : days)
          }
          found.append(try await Self.days(of: ana, around: day, 30))
          // All other days are as the summaries say.
          let published = try Self.summaries(days)[day] ?? 0
          #expect(try await ana.steps() == 3_159_539 - published + 6282)
        }
        #expect(found[0] == found[1])
        if dayStartHour == 0 { #expect(found[0].first { $0.day == day }?.steps == 6282) }
      }
    }
  }

  /// The steps of the summaries' days, by other means than the reader's.
  private static func summaries(_ bytes: [UInt8]) throws -> [LocalDay: Int] {
    var days: [LocalDay: Int] = [:]
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).dropFirst() {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      let day = try LocalDay(text: String(fields[0]))
      days[day] = Int(fields[6])
    }
    return days
  }
}
