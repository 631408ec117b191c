import ActivityContract
import Client
import Cluster
import Foundation
import GRDB
import IdentityContract
import Operations
import Testing

/// Activity is killed at random moments while the rows of a deleted activity are removed in steps.
///
/// `deploy/racha faults` kills more often (`RACHA_FAULT_ROUNDS`).
@Suite("Killing activity while a large activity is deleted", .serialized)
struct ActivityDeletionKillsTests {
  private static let entries = 600

  @Test("Killing activity during the deletion of a large activity brings nothing of it back, and its rows are still removed")
  func kills() async throws {
    try await KillRounds.run(3) { round, cluster in
      let password = "Rio-7-lento"
      let name = "ana\(round)"
      _ = try await cluster.client.callUntilDone(
        RegisterAccount.self,
        .init(
          email: .init(text: "\(name)@example.org"), username: .init(text: name), password: .init(text: password),
          passwordConfirmation: .init(text: password)), idempotencyKey: "register-\(name)")
      let session = try await cluster.client.callUntilDone(LogIn.self, .init(login: name, password: password))
      let client = cluster.client.authorized(session.accessToken)
      let today = LocalDay(daysSinceEpoch: Int32(Instant.now.milliseconds / 86_400_000))
      var made: [ActivityID] = []
      for title in ["Gone", "Kept"] {
        let activity = try await client.callUntilDone(
          CreateActivity.self,
          .init(title: title, category: .other, goal: .check, schedule: .daily, startDay: today.advanced(by: -Self.entries)),
          idempotencyKey: "\(name)-\(title)"
        ).id
        made.append(activity)
        let count = title == "Gone" ? Self.entries : 10
        for first in stride(from: 0, to: count, by: 200) {
          let changes = try (first..<min(first + 200, count)).map { number in
            OfflineChange(
              id: try ChangeID(text: "\(number)"), deviceID: try DeviceID(text: "phone"),
              madeAt: Instant.now.adding(seconds: -60), activityID: activity, day: today.advanced(by: -number), isDone: true,
              comment: .set("run \(number)"))
          }
          let results = try await client.callUntilDone(SyncEntries.self, .init(changes: changes)).results
          #expect(results.allSatisfy { $0.outcome == .applied || $0.outcome == .repeated })
        }
      }
      _ = try await client.callUntilDone(
        DeleteActivity.self, .init(activityID: made[0], confirm: true), idempotencyKey: "\(name)-delete")
      try await KillRounds.kill([.activity, .activity], cluster, within: 40)
      for _ in 0..<3 {
        #expect(try await client.callUntilDone(GetStatistics.self, .init()).doneCount == 10)
        let history = try await client.callUntilDone(ListHistory.self, .init(text: "run", limit: 100))
        #expect(history.items.map(\.activityID) == Array(repeating: made[1], count: 10) && history.nextCursor == nil)
        #expect(try await client.callUntilDone(ListActivities.self, .init()).items.map(\.activity.id) == [made[1]])
      }
      let left = try await eventually {
        try Self.rows(cluster)
      } until: {
        $0 == 10 * (round + 1)
      }
      #expect(left == 10 * (round + 1))
    }
  }

  /// How many entries lie in activity's store.
  private static func rows(_ cluster: RunningCluster) throws -> Int {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    let store = try DatabaseQueue(path: "\(cluster.home)/stores/activity.sqlite", configuration: configuration)
    let count = try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM entries") ?? 0 }
    try store.close()
    return count
  }
}
