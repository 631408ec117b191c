import ActivityContract
import Client
import Cluster
import Foundation
import IdentityContract
import Operations
import Testing

/// Activity is killed at random moments while files arrive and are read, and while batches of samples come in beside them.
///
/// `deploy/racha faults` kills more often (`RACHA_FAULT_ROUNDS`, four kills a round).
@Suite("Killing activity during imports", .serialized)
struct ImportKillsTests {
  @Test("Killing activity during imports and batches loses nothing and counts nothing twice: every day's steps are the model's")
  func kills() async throws {
    let maximum = Play.rounds(3) * 4
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    let ana = try await cluster.join("ana", password: "Rio-7-lento").client
    var model: [LocalDay: Int] = [:]
    var (kills, file) = (0, 0)
    while kills < maximum {
      let path = "\(cluster.home)/export-\(file).xml"
      var export = AppleHealthExport(onlySteps: true, from: Self.beginning(file), stepSeconds: 60)
      let content = try export.write(bytes: 12_000_000, to: path)
      model.merge(content.phoneSteps, uniquingKeysWith: +)
      let isDone = Flag()
      let (left, season) = (maximum - kills, file)
      async let killed = Self.kill(cluster, ana, atMost: left, until: isDone)
      async let batches = Self.sendBatches(ana, season, until: isDone)
      let done = try await Self.importFile(path, ana)
      isDone.raise()
      #expect(done.state == .done && done.counts.accepted == content.samples, "\(done)")
      #expect(done.counts.repeated == 0 && done.counts.rejected == 0)
      kills += try await killed
      model.merge(try await batches, uniquingKeysWith: +)
      #expect(try await Self.days(of: ana, as: model) == model, "after \(kills) kills")
      try FileManager.default.removeItem(atPath: path)
      file += 1
    }
    print("imports: \(kills) kills over \(file) files, \(model.values.reduce(0, +)) steps as the model has them")
  }

  /// Each file has a season of its own.
  private static func beginning(_ file: Int) -> Instant {
    Instant(milliseconds: (1_099_958_400 + Int64(file) * 3_456_000) * 1000)
  }

  private static func importFile(_ path: String, _ ana: GatewayClient) async throws -> Import {
    let id = try ImportID(text: try await ana.upload(path, name: "export.xml"))
    return try await eventually(seconds: 300) {
      try await ana.callUntilDone(GetImport.self, .init(importID: id))
    } until: {
      $0.state.isEnded
    }
  }

  /// Kills activity at random moments until it is asked to stop. After two kills the next one waits until the reading has come on
  /// since: a file whose reading is cut off three times at the same position is taken for what cuts it off.
  private static func kill(
    _ cluster: RunningCluster, _ ana: GatewayClient, atMost maximum: Int, until isOver: Flag
  ) async throws -> Int {
    func records() async throws -> (count: Int, isRead: Bool) {
      guard let newest = try await ana.callUntilDone(ListImports.self, .init(limit: 1)).items.first,
        newest.state == .waiting || newest.state == .reading
      else { return (0, false) }
      return (newest.counts.records, true)
    }
    var count = 0
    while !isOver.isUp, count < maximum {
      for _ in 0..<min(2, maximum - count) {
        try await Task.sleep(for: .milliseconds(Int.random(in: 30...1200)))
        cluster.kill(.activity)
        count += 1
      }
      // Asked after the kills: what was read before them says nothing of what came on since.
      let before = try await records().count
      _ = try await eventually(seconds: 300) {
        try await records()
      } until: {
        isOver.isUp || !$0.isRead || $0.count > before
      }
    }
    try await cluster.waitUntilReady()
    return count
  }

  /// Sends batches of samples that no file has, each several times; returns their steps.
  private static func sendBatches(_ ana: GatewayClient, _ file: Int, until isOver: Flag) async throws -> [LocalDay: Int] {
    let first = Instant(milliseconds: (1_499_990_400 + Int64(file) * 864_000) * 1000)
    var steps: [LocalDay: Int] = [:]
    var batch = 0
    while !isOver.isUp, batch < 200 {
      let samples = (0..<200).map { index in
        let start = first.adding(seconds: (batch * 200 + index) * 20)
        return MovementSample(
          id: "batch-\(file)-\(batch)-\(index)", start: start, end: start.adding(seconds: 19), steps: index, source: "app")
      }
      for sample in samples {
        steps[LocalDay(daysSinceEpoch: Int32(sample.start.milliseconds / 86_400_000)), default: 0] += Int(sample.amount)
      }
      for _ in 0..<2 { _ = try await ana.callUntilDone(RecordMovementSamples.self, .init(samples: samples)) }
      batch += 1
    }
    return steps
  }

  /// The steps of the model's days as the service has them.
  private static func days(of ana: GatewayClient, as model: [LocalDay: Int]) async throws -> [LocalDay: Int] {
    guard var day = model.keys.min(), let last = model.keys.max() else { return [:] }
    var found: [LocalDay: Int] = [:]
    while day <= last {
      let to = day.advanced(by: 399)
      let page = try await ana.callUntilDone(ListMovementDays.self, .init(from: day, to: to))
      for item in page.items where item.steps > 0 { found[item.day] = item.steps }
      day = to.advanced(by: 1)
    }
    return found
  }
}
