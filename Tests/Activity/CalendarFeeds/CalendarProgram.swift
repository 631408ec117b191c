import ActivityContract
import Foundation
import Operations

/// A calendar program that shares no code with ours: Python's icalendar library (`expand.py`).
struct CalendarProgram: Decodable {
  struct Event: Decodable {
    let uid: String
    let summary: String
    let description: String
    let categories: [String]
    let isDay: Bool
    let seconds: Int
    let starts: [String]
    let alarms: [[String]]
  }

  let name: String
  /// Seconds from UTC at noon of each of the days asked for, as the file itself defines the zone.
  let zones: [String: [Int]]
  let events: [Event]

  /// The interpreter that has the packages of `Tests/requirements.txt`, if there is one.
  static let python: String? = {
    let named = ProcessInfo.processInfo.environment["RACHA_TEST_PYTHON"] ?? ".venv/bin/python"
    return FileManager.default.isExecutableFile(atPath: named) ? named : nil
  }()

  struct Refused: Error {
    let status: Int32
  }

  /// What such a program shows of a file from one day to another, and the offsets of its zones on some days; if absent, on these two.
  static func show(_ file: [UInt8], from first: String, to last: String, zonesOn days: [String]? = nil) throws -> CalendarProgram
  {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("racha-\(UInt64.random(in: .min ... .max)).ics")
    try Data(file).write(to: path)
    defer {
      do {
        try FileManager.default.removeItem(at: path)
      } catch {
        // What is left in the folder for temporary files harms nothing.
      }
    }
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("expand.py").path
    let process = Process()
    process.executableURL = URL(fileURLWithPath: python ?? "python3")
    process.arguments = [script, first, last] + (days ?? [first, last])
    let output = Pipe()
    process.standardInput = try FileHandle(forReadingFrom: path)
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Refused(status: process.terminationStatus) }
    return try JSONDecoder().decode(CalendarProgram.self, from: data)
  }
}
