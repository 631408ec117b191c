import Foundation
public import Operations

/// Writes an `export.xml` as Apple Health does: one kind of record after the other, each from the oldest to the newest, most of them
/// heart beats and energy; steps and distances of a phone and a watch.
public struct AppleHealthExport {
  /// What a file holds that Racha takes.
  public struct Content: Sendable {
    public var bytes = 0
    public var samples = 0
    /// The steps of each day, in UTC, of the phone alone.
    public var phoneSteps: [LocalDay: Int] = [:]
  }

  private struct Kind {
    let type: String
    let unit: String
    let source: String
    let device: String
    /// Of a hundred records, so many are of this kind.
    let share: Int
    let isTaken: Bool
  }

  private static let phone = (
    "Ana’s iPhone", "name:iPhone, manufacturer:Apple Inc., model:iPhone, hardware:iPhone15,2, software:17.1"
  )
  private static let watch = (
    "Ana’s Apple\u{A0}Watch", "name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,2, software:10.1"
  )

  private static let kinds = [
    Kind(type: "HeartRate", unit: "count/min", source: watch.0, device: watch.1, share: 40, isTaken: false),
    Kind(type: "StepCount", unit: "count", source: phone.0, device: phone.1, share: 8, isTaken: true),
    Kind(type: "StepCount", unit: "count", source: watch.0, device: watch.1, share: 8, isTaken: true),
    Kind(type: "DistanceWalkingRunning", unit: "km", source: phone.0, device: phone.1, share: 8, isTaken: true),
    Kind(type: "DistanceWalkingRunning", unit: "km", source: watch.0, device: watch.1, share: 8, isTaken: true),
    Kind(type: "ActiveEnergyBurned", unit: "kcal", source: watch.0, device: watch.1, share: 28, isTaken: false),
  ]

  private let onlySteps: Bool
  private let first: Instant
  /// How long from one record of a kind to the next.
  private let stepSeconds: Int
  private var buffer: [UInt8] = []

  /// - Parameters:
  ///   - onlySteps: whether it is of the phone's steps alone, so that what each day comes to is easily known.
  ///   - first: when the first record begins.
  public init(onlySteps: Bool = false, from first: Instant, stepSeconds: Int = 600) {
    self.onlySteps = onlySteps
    self.first = first
    self.stepSeconds = stepSeconds
  }

  /// Writes about that many bytes into a file.
  public mutating func write(bytes: Int, to path: String) throws -> Content {
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    defer { try? file.close() }
    var content = Content()
    func flush(_ buffer: inout [UInt8], _ minimum: Int) throws {
      guard buffer.count >= minimum else { return }
      try file.write(contentsOf: Data(buffer))
      content.bytes += buffer.count
      buffer.removeAll(keepingCapacity: true)
    }
    put(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE HealthData [\n<!ELEMENT HealthData (ExportDate,Me,(Record|Workout)*)>\n"
    )
    put("<!ATTLIST HealthData\n  locale CDATA #REQUIRED\n>\n]>\n<HealthData locale=\"en_US\">\n")
    for kind in Self.kinds where !onlySteps || (kind.type == "StepCount" && kind.source == Self.phone.0) {
      let end = content.bytes + buffer.count + (onlySteps ? bytes : bytes / 100 * kind.share)
      var index = 0
      while content.bytes + buffer.count < end {
        let value = 3 + index &* 7919 % 401
        add(kind, index, value)
        if kind.isTaken { content.samples += 1 }
        if kind.type == "StepCount", kind.source == Self.phone.0 {
          let day = LocalDay(daysSinceEpoch: Int32((start(index).milliseconds) / 86_400_000))
          content.phoneSteps[day, default: 0] += value
        }
        index += 1
        try flush(&buffer, 1 << 20)
      }
    }
    put("</HealthData>\n")
    try flush(&buffer, 0)
    return content
  }

  private func start(_ index: Int) -> Instant { first.adding(seconds: index * stepSeconds) }

  private mutating func put(_ text: String) { buffer.append(contentsOf: text.utf8) }

  private mutating func add(_ kind: Kind, _ index: Int, _ value: Int) {
    let start = start(index)
    put(" <Record type=\"HKQuantityTypeIdentifier")
    put(kind.type)
    put("\" sourceName=\"")
    put(kind.source)
    put("\" sourceVersion=\"17.1.1\" device=\"&lt;&lt;HKDevice: 0x282a45810&gt;, ")
    put(kind.device)
    put("&gt;\" unit=\"")
    put(kind.unit)
    put("\" creationDate=\"")
    put(start.adding(seconds: 30))
    put("\" startDate=\"")
    put(start)
    put("\" endDate=\"")
    put(start.adding(seconds: stepSeconds - 7))
    put("\" value=\"")
    put(kind.unit == "km" ? "0.\(value)17" : String(value))
    guard kind.type == "HeartRate" else { return put("\"/>\n") }
    put("\">\n  <MetadataEntry key=\"HKMetadataKeyHeartRateMotionContext\" value=\"0\"/>\n </Record>\n")
  }

  /// `2016-11-20 17:57:19 +0000`
  private mutating func put(_ instant: Instant) {
    var text = Array(instant.description.utf8.prefix(19))
    text[10] = UInt8(ascii: " ")
    buffer.append(contentsOf: text)
    put(" +0000")
  }
}
