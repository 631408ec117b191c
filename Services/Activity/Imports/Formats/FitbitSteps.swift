import ActivityContract
import Operations

/// Fitbit's present `steps_2026-06-01.csv`: `timestamp,steps,data source`, one row per minute with steps, with the device that counted
/// them.
final class FitbitSteps: CSVRows {
  static let columns = ["timestamp", "steps"]

  private let time: Int
  private let steps: Int
  private let device: Int?
  private var lastSource: (device: String, source: ImportedSource)?

  init(_ names: [String]) throws(FormatFault) {
    guard let time = names.firstIndex(of: "timestamp"), let steps = names.firstIndex(of: "steps") else { throw .unrecognized }
    self.time = time
    self.steps = steps
    device = names.firstIndex(of: "data source")
  }

  func records(_ row: CSVRow) -> [ImportedRecord] {
    guard let start = TextValues.read(row.fields[time], TextValues.instant) else { return [row.record(.fault(.badTime))] }
    guard let count = FitbitMinute.count(row.fields[steps]) else { return [row.record(.fault(.badNumber))] }
    guard count > 0 else { return [] }
    return [row.record(.sample(FitbitMinute.sample(start, count, source(device.map { row.fields[$0] } ?? ""))))]
  }

  private func source(_ device: String) -> ImportedSource {
    if device.isBlank { return FitbitMinute.source }
    if let lastSource, lastSource.device == device { return lastSource.source }
    let source = ImportedSource(name: "Fitbit", device: device)
    lastSource = (device, source)
    return source
  }
}

/// A minute's steps, shared by both of Fitbit's formats.
enum FitbitMinute {
  /// For files without a device. Not the source of the hourly steps, so that only one report of the same steps counts.
  static let source = ImportedSource(name: "Fitbit, minutes")

  static func count(_ text: String) -> Int? { Int(text).flatMap { (0...100_000).contains($0) ? $0 : nil } }

  /// Two devices may count the same minute, so the sample's source includes the device.
  static func sample(_ start: Instant, _ count: Int, _ source: ImportedSource) -> ImportedSample {
    ImportedSample(
      kind: .steps, span: .instants(start, start.adding(seconds: 60)), amount: count, source: source, isManual: false,
      isTotal: true)
  }
}
