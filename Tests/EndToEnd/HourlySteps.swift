import Foundation
import Operations

/// Hours of steps of several people: from a Fitbit export, or made up in the same form.
struct HourlySteps {
  struct Hour {
    /// Day of the file, 0 for its last one and negative before.
    let day: Int
    let hour: Int
    let steps: Int
  }

  /// Hours by person.
  private(set) var people: [String: [Hour]] = [:]

  /// The real file beside the project, or nil where it is not there.
  static func real() throws -> HourlySteps? {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let candidates = [root, URL(fileURLWithPath: FileManager.default.currentDirectoryPath)].map {
      $0.deletingLastPathComponent().appendingPathComponent("shared/data/fitbit/hourlySteps.csv").path
    }
    guard let path = candidates.first(where: { FileManager.default.fileExists(atPath: $0) }) else { return nil }
    return try HourlySteps(csv: String(contentsOfFile: path, encoding: .utf8))
  }

  /// A file of the same form with other people.
  static func generated(people: Int, days: Int, random: inout some RandomNumberGenerator) throws -> HourlySteps {
    var csv = "Id,ActivityHour,Time,StepTotal\n"
    for person in 0..<people {
      for day in 0..<days {
        for hour in 0..<24 where Int.random(in: 0..<10, using: &random) > 0 {
          let steps = hour < 7 ? 0 : Int.random(in: 0...2600, using: &random)
          csv += "\(1000 + person),3/\(day + 1)/2016 \(hour):00,\(hour):00:00,\(steps)\n"
        }
      }
    }
    return try HourlySteps(csv: csv)
  }

  /// Reads lines of `Id,M/D/YYYY H:00,time,steps`.
  init(csv: String) throws {
    struct Malformed: Error { let line: Substring }
    var rows: [(id: String, day: LocalDay, hour: Int, steps: Int)] = []
    for line in csv.split(whereSeparator: \.isNewline).dropFirst() {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      let moment = fields.count == 4 ? fields[1].split(separator: " ") : []
      let date = moment.first?.split(separator: "/").compactMap { Int($0) } ?? []
      guard moment.count == 2, date.count == 3, let day = LocalDay(year: date[2], month: date[0], day: date[1]),
        let hour = Int(moment[1].prefix { $0 != ":" }), let steps = Int(fields[3])
      else { throw Malformed(line: line) }
      rows.append((String(fields[0]), day, hour, steps))
    }
    let last = rows.map(\.day).max() ?? .placeholder
    for row in rows {
      people[row.id, default: []].append(Hour(day: last.distance(to: row.day), hour: row.hour, steps: row.steps))
    }
  }

  var hours: Int { people.values.map(\.count).reduce(0, +) }
  var steps: Int { people.values.flatMap { $0 }.map(\.steps).reduce(0, +) }
}
