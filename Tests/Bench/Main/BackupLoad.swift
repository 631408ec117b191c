import ActivityContract
import Client
import Cluster
import Foundation
import GRDB
import Operations
import Synchronization

/// How long writes take while the stores are copied, against how long they take before, in turns (OPS-3).
///
/// As much as that cannot be written through the gateway in a bench: while the services are away, each store is given a table of filler,
/// activity's half of it.
struct BackupLoad {
  let cluster: RunningCluster
  let people: People
  let report: Report
  /// Of all stores together.
  let megabytes: Int
  let rounds: Int

  private static let services: [ServiceName] = [.activity, .identity, .social, .rewards, .notifications]
  /// Clients that write, each of which waits for its answer before it writes again.
  private static let writers = 4
  private static let quietSeconds = 10

  func measure() async throws {
    try await fill()
    let activities = try await people.makeActivities(Self.writers)
    var (alone, beside, seconds): ([Waits], [Waits], [Double]) = ([], [], [])
    for round in 0..<max(1, rounds) {
      let quiet = try await writing(to: activities) { try await Task.sleep(for: .seconds(Self.quietSeconds)) }
      let folder = "\(cluster.home)/backup-\(round)"
      let start = ContinuousClock.now
      let busy = try await writing(to: activities) { try await backUp(to: folder) }
      seconds.append((ContinuousClock.now - start).milliseconds / 1000)
      try FileManager.default.removeItem(atPath: folder)
      alone.append(quiet)
      beside.append(busy)
      report.raw(
        "backup \(round + 1): \(text(seconds[round])) s; a write before it: \(words(quiet)); meanwhile: \(words(busy))")
    }
    let (before, meanwhile) = (Waits(alone), Waits(beside))
    report.publish("a backup of \(megabytes) MB", "\(text(seconds.sorted()[seconds.count / 2])) s")
    report.publish("p99 of a write before it", "\(text(before.p99)) ms")
    report.add("p99 of a write meanwhile", "\(text(meanwhile.p99)) ms", target: "50 ms", isReached: meanwhile.p99 <= 50)
    report.publish("the longest write meanwhile", "\(text(meanwhile.longest)) ms")
  }

  private func fill() async throws {
    let start = ContinuousClock.now
    for service in Self.services { cluster.hold(service) }
    // The end of processes is waited for; there is nothing that reports it.
    while Self.services.contains(where: { cluster.processID($0) != 0 }) { try await Task.sleep(for: .milliseconds(5)) }
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
    for service in Self.services {
      let store = try DatabaseQueue(path: "\(cluster.home)/stores/\(service.rawValue).sqlite", configuration: configuration)
      let rows = megabytes * 1_000_000 / Self.rowBytes / (service == .activity ? 2 : 2 * (Self.services.count - 1))
      try await store.write { database in
        try database.execute(sql: "CREATE TABLE bench_filler (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT")
        try database.execute(
          sql: """
            WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?1)
            INSERT INTO bench_filler SELECT n, randomblob(?2) FROM n
            """, arguments: [rows, Self.rowBytes])
      }
      try store.close()
    }
    for service in Self.services { try cluster.release(service) }
    try await cluster.waitUntilReady()
    // Everything is on the disk before anybody is timed.
    sync()
    report.raw("\(megabytes) MB written into the stores in \(Int((ContinuousClock.now - start).milliseconds)) ms")
  }

  private static let rowBytes = 1_200

  /// What writes wait for as long as the work takes.
  private func writing(to activities: [ActivityID], _ work: () async throws -> Void) async throws -> Waits {
    let (isOver, client) = (Over(), people.first.client)
    return try await withThrowingTaskGroup(of: Waits.self) { group in
      for activity in activities {
        group.addTask {
          try await Waits(
            until: { isOver.isSet },
            ask: {
              _ = try await client.call(IncrementEntry.self, .init(activityID: activity, day: .today, amount: 0.001))
            })
        }
      }
      defer { isOver.set() }
      try await work()
      isOver.set()
      return Waits(try await group.reduce(into: []) { $0.append($1) })
    }
  }

  private final class Over: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
  }

  private func backUp(to folder: String) async throws {
    let cluster = cluster
    // It blocks its thread.
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      Thread { continuation.resume(with: Result { try cluster.administer("backup", folder) }) }.start()
    }
  }

  private func text(_ number: Double) -> String { String(format: "%.1f", number) }

  private func words(_ waits: Waits) -> String {
    "\(waits.count), p50 \(text(waits.p50)), p99 \(text(waits.p99)), longest \(text(waits.longest)) ms"
  }
}
