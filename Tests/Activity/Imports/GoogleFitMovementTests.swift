import ActivityContract
import ActivityService
import ImportFormats
import InProcess
import Operations
import Testing

@Suite("The kinds of movement of Google Fit's distances (MOVE-3)")
struct GoogleFitMovementTests {
  private static func days(_ column: String, _ distance: Int = 9000, steps: Int = 100) -> String {
    "Date,Distance (m),Step count,\(column) duration (ms),Inactive duration (ms)\n2026-11-18,\(distance),\(steps),60000,60000\n"
  }

  @Test(
    "A distance of Google Fit gets the kind of its duration: biking is cycling, and not walking",
    arguments: [
      ("Biking", ImportedSample.Kind.cyclingDistance), ("Cycling", .cyclingDistance), ("Mountain biking", .cyclingDistance),
      ("Running", .runningDistance), ("Jogging", .runningDistance), ("Treadmill running", .runningDistance),
      ("Walking", .walkingDistance), ("Paced walking", .walkingDistance), ("Hiking", .walkingDistance), ("Swimming", nil),
      ("In vehicle", nil), ("Skiing", nil),
    ] as [(String, ImportedSample.Kind?)])
  func kinds(_ column: String, _ kind: ImportedSample.Kind?) throws {
    let (records, _) = try TemporaryFile("Daily activity metrics.csv", Self.days(column)).read()
    #expect(records.samples.filter { $0.kind != .steps }.map(\.kind) == (kind.map { [$0] } ?? []))
    #expect(records.faults.isEmpty)
  }

  @Test("A distance of Google Fit without any duration counts as walked if that is plausible, and is listed otherwise")
  func none() throws {
    let text =
      "Date,Distance (m),Step count,Inactive duration (ms)\n2026-11-17,4000,6000,60000\n2026-11-18,50000,600,60000\n2026-11-19,0,,1\n"
    let (records, _) = try TemporaryFile("Daily activity metrics.csv", text).read()
    #expect(records.samples.filter { $0.kind == .walkingDistance }.map(\.amount) == [4_000_000, 0])
    #expect(records.faults == ["3 unknownMovement"])
  }

  /// A day whose quarters have short walks that Fit noted no duration for, one on a drive, and the row of the day in the table of all.
  private static let quarters = """
    Start time,End time,Distance (m),Step count,Walking duration (ms),Inactive duration (ms)
    08:00:00.000Z,08:15:00.000Z,1000,1300,600000,
    08:15:00.000Z,08:30:00.000Z,310.5,420,,900000
    08:30:00.000Z,08:45:00.000Z,120,,,900000
    08:45:00.000Z,09:00:00.000Z,1900,1200,,900000
    09:00:00.000Z,09:15:00.000Z,12000,,,900000

    """
  private static let table =
    "Date,Distance (m),Step count,Walking duration (ms),Inactive duration (ms)\n2026-11-18,3330.5,2920,600000,3600000\n"

  @Test(
    "Google Fit's file of one day takes nothing from what its table of all days adds, in either order",
    arguments: [[0, 1], [1, 0]])
  func nothingLost(order: [Int]) async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register(timeZone: "UTC")
      let day = try LocalDay(text: "2026-11-18")
      for index in order {
        let file = [("Daily activity metrics.csv", Self.table), ("2026-11-18.csv", Self.quarters)][index]
        #expect(try await ana.importFile(file.0, file.1).counts.rejected == 0)
      }
      let found = try await ana.send(ListMovementDays.self, .init(from: day, to: day)).items
      // What is left of the day has no quarters here, so its share of the table stands; the drive is none of it.
      #expect(found.allSatisfy { $0.walkingMeters >= 3330.5 && $0.walkingMeters < 6600 }, "\(found)")
      let ben = try await services.register(timeZone: "UTC")
      _ = try await ben.importFile("2026-11-18.csv", Self.quarters)
      #expect(try await ben.send(ListMovementDays.self, .init(from: day, to: day)).items.map(\.walkingMeters) == [3330.5])
    }
  }
}
