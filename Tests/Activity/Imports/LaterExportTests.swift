import ActivityContract
import ActivityService
import InProcess
import Operations
import Testing

@Suite("A later export in which the current hour or day has grown (MOVE-3)")
struct LaterExportTests {
  /// Two exports of the same day, and what the later one says of it.
  struct Exports: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let name: String
    let earlier: String
    let later: String
    let steps: Int
    let walkingMeters: Double
  }

  private static let fitbit = "Id,ActivityHour,Time,StepTotal\n1,11/20/2026 8:00,x,100\n"
  private static let days = "Date,Distance (m),Step count,Walking duration (ms)\n2026-11-19,10,100,60000\n"
  private static let quarters =
    "Start time,End time,Distance (m),Step count,Walking duration (ms)\n09:00:00.000Z,09:15:00.000Z,1,10,60000\n"

  static let all = [
    Exports(
      testDescription: "hours of Fitbit", name: "hours.csv", earlier: fitbit + "1,11/20/2026 9:00,x,40\n",
      later: fitbit + "1,11/20/2026 9:00,x,300\n", steps: 400, walkingMeters: 0),
    Exports(
      testDescription: "an hour of Fitbit that had nothing", name: "hours.csv", earlier: fitbit + "1,11/20/2026 9:00,x,0\n",
      later: fitbit + "1,11/20/2026 9:00,x,3\n", steps: 103, walkingMeters: 0),
    Exports(
      testDescription: "days of Google Fit", name: "Daily Summaries.csv", earlier: days + "2026-11-20,50,500,60000\n",
      later: days + "2026-11-20,90,900,60000\n", steps: 900, walkingMeters: 90),
    Exports(
      testDescription: "quarters of an hour of Google Fit", name: "2026-11-20.csv",
      earlier: quarters + "09:15:00.000Z,09:30:00.000Z,2,5,60000\n09:30:00.000Z,09:45:00.000Z,,,\n",
      later: quarters + "09:15:00.000Z,09:30:00.000Z,20,50,60000\n09:30:00.000Z,09:45:00.000Z,3,7,60000\n", steps: 67,
      walkingMeters: 24),
  ]

  @Test(
    "An hour or day that has grown in a later export counts once, in whichever order the exports come, and earns once",
    arguments: all, [false, true])
  func grown(exports: Exports, isReversed: Bool) async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register(timeZone: "UTC")
      let files = isReversed ? [exports.later, exports.earlier] : [exports.earlier, exports.later]
      for file in files + files {
        let done = try await ana.importFile(exports.name, file)
        #expect(done.state == .done && done.counts.rejected == 0)
      }
      let day = try LocalDay(text: "2026-11-20")
      let found = try #require(try await ana.send(ListMovementDays.self, .init(from: day, to: day)).items.first)
      #expect(found.steps == exports.steps && found.earningSteps == exports.steps)
      #expect(found.walkingMeters == exports.walkingMeters)
      let again = try await ana.importFile(exports.name, exports.later)
      #expect(again.counts.accepted == 0 && again.counts.repeated == again.counts.records)
    }
  }

  @Test("If a file reports an hour several times, the largest value counts")
  func within() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register(timeZone: "UTC")
      _ = try await ana.importFile("hours.csv", Self.fitbit + "1,11/20/2026 8:00,x,150\n1,11/20/2026 8:00,x,120\n")
      #expect(try await ana.steps(from: "2026-11-01", days: 30) == 150)
    }
  }
}
