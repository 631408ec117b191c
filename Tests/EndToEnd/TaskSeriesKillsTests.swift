import Client
import Cluster
import Foundation
import IdentityContract
import NotificationsContract
import Operations
import SocialContract
import Testing

/// Social is killed at random moments while recurring tasks are made and their next day begins: each planned day has one occurrence.
///
/// `deploy/racha faults` kills more often (`RACHA_FAULT_ROUNDS`).
@Suite("Killing social while tasks recur", .serialized)
struct TaskSeriesKillsTests {
  @Test(
    "Killing social leaves each planned day of a recurring task one occurrence and one notification each (TASK-1)"
  )
  func recurring() async throws {
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    // Two zones that are a day apart: to travel from one to the other lets the next day begin.
    let ana = try await cluster.join("ana", password: "Rio-7-lento", timeZone: "Pacific/Honolulu")
    let ben = try await cluster.join("ben", password: "Mar-9-bravo")
    let count = Play.rounds(4) * 3
    var killers: [Task<Void, any Error>] = []
    for number in 0..<count {
      if number % 3 == 0 { killers.append(kill(cluster)) }
      _ = try await ana.client.callUntilDone(
        CreateTaskSeries.self,
        .init(name: TaskName(text: "Series \(number)"), participants: [ben.account.username], schedule: .daily),
        idempotencyKey: "series-\(number)")
    }
    for killer in killers { try await killer.value }
    try await cluster.waitUntilReady()
    _ = try await ana.client.callUntilDone(
      UpdateSettings.self, .init(timeZone: .set(ChosenTimeZone(text: "Pacific/Kiritimati"))))
    for _ in 0..<Play.rounds(4) {
      try await kill(cluster).value
      try await cluster.waitUntilReady()
    }
    let tasks = try await eventually {
      try await ben.client.callUntilDone(ListTasks.self, .init(limit: 200)).items
    } until: {
      $0.count >= 2 * count
    }
    let days = Dictionary(grouping: tasks) { $0.name.description }.mapValues { $0.compactMap(\.dueDay) }
    #expect(days.count == count && days.values.allSatisfy { $0.count == 2 && Set($0).count == 2 }, "\(days)")
    let inbox = try await eventually {
      try await ben.client.callUntilDone(ListNotifications.self, .init(limit: 200)).items
    } until: { inbox in
      inbox.count { $0.kind.rawValue == "taskRecurred" } >= count
    }
    #expect(inbox.count { $0.kind.rawValue == "taskRecurred" } == count)
    #expect(inbox.count { $0.kind.rawValue == "taskSeriesEnrolled" } == count)
    let codes = cluster.stop()
    #expect(codes.values.allSatisfy { $0 == 0 }, "all six stop gracefully: \(codes)")
  }

  private func kill(_ cluster: RunningCluster) -> Task<Void, any Error> {
    Task {
      // A random moment is the point: whatever runs then is cut off.
      try await Task.sleep(for: .milliseconds(Int.random(in: 0...200)))
      cluster.kill(.social)
    }
  }
}
