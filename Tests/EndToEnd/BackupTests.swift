import ActivityContract
import Client
import Cluster
import Foundation
import GRDB
import Logging
import Messaging
import Operations
import ServiceKit
import Testing

@Suite("A backup of a cluster during writes", .serialized)
struct BackupTests {
  @Test("A cluster's backup is consistent: no store has an effect of something that its publisher's store lacks (OPS-3)")
  func moment() async throws {
    let cluster = try RunningCluster(settings: Play.settings.merging(["RACHA_COINS_EARNING_DAYS": "30"]) { _, new in new })
    defer { cluster.stop() }
    try await cluster.start()
    let zone = NoonZone()
    var random = SystemRandomNumberGenerator()
    let file = try HourlySteps.generated(people: 6, days: 28, random: &random)
    let players = try await withThrowingTaskGroup(of: Player.self) { group in
      for (index, hours) in file.people.values.enumerated() {
        group.addTask { try await Player.join("walker\(index)", hours, zone, cluster) }
      }
      return try await group.reduce(into: [Player]()) { $0.append($1) }
    }
    let isOver = Flag()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for player in players {
        group.addTask {
          // An hour at a time, so that coins are earned all along.
          for sample in player.samples.shuffled() where !isOver.isUp {
            _ = try await player.client.callUntilDone(RecordMovementSamples.self, .init(samples: [sample]))
          }
        }
      }
      group.addTask {
        defer { isOver.raise() }
        var earned: [Int] = []
        for backup in 0..<Play.rounds(12) {
          let folder = "\(cluster.home)/backup-\(backup)"
          try cluster.administer("backup", folder)
          earned.append(try check(folder))
        }
        #expect(earned.first ?? 0 < earned.last ?? 0, "coins were earned meanwhile")
      }
      try await group.waitForAll()
    }
  }

  @Test("A cluster's backup fails if one service cannot hold its writes, and leaves no others held (OPS-3)")
  func refused() async throws {
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    let settings = Settings([:])
    let bus = ZeroMQBus(
      .gateway, endpoints: try BusSettings.endpoints(settings, Home(path: cluster.home), for: .gateway),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    try bus.start()
    let client = ServiceClient(bus: bus, service: .gateway, clock: .system)
    let social = try await client.request(HoldStore.self, .init(), to: .social).hold
    #expect(throws: RunningCluster.NotReady.self) { try cluster.administer("backup", "\(cluster.home)/first") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(cluster.home)/first") == [])
    for service in [ServiceName.identity, .activity, .rewards, .notifications] {
      let hold = try await client.request(HoldStore.self, .init(), to: service).hold
      _ = try await client.request(ReleaseStore.self, .init(hold: hold), to: service)
    }
    // Unless the machine was so slow that it ended by itself.
    do { _ = try await client.request(ReleaseStore.self, .init(hold: social), to: .social) } catch is Failure {}
    await bus.stop(within: .seconds(1))
    try cluster.administer("backup", "\(cluster.home)/second")
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(cluster.home)/second").count == 5)
  }

  /// How many coins' transfers the backup's dashboards count, after the comparison of its stores.
  private func check(_ folder: String) throws -> Int {
    let stores = [ServiceName.identity, .activity, .rewards, .social, .notifications]
    let heads = try stores.map { service in
      let head = try read(folder, service) {
        try Int.fetchOne($0, sql: "SELECT max(number) FROM outbox") ?? 0
      }
      return (service.rawValue, head)
    }
    let published = Dictionary(uniqueKeysWithValues: heads)
    for subscriber in stores {
      let cursors = try read(folder, subscriber) {
        try Row.fetchAll($0, sql: "SELECT publisher, number FROM subscription_cursors")
      }
      for cursor in cursors {
        let (publisher, number): (String, Int) = (cursor["publisher"], cursor["number"])
        #expect(number <= published[publisher] ?? 0, "\(subscriber) received more of \(publisher) than was published: \(folder)")
      }
    }
    let counted = try read(folder, .activity) { try Data.fetchSet($0, sql: "SELECT transfer_id FROM dashboard_transfers") }
    let made = try read(folder, .rewards) { try Data.fetchSet($0, sql: "SELECT transfer_id FROM transfers") }
    #expect(counted.subtracting(made).count == 0, "the dashboard counts what the ledger lacks: \(folder)")
    return counted.count
  }

  private func read<T>(_ folder: String, _ service: ServiceName, _ body: (Database) throws -> T) throws -> T {
    var configuration = Configuration()
    configuration.readonly = true
    return try DatabaseQueue(path: "\(folder)/\(service.rawValue).sqlite", configuration: configuration).read(body)
  }
}
