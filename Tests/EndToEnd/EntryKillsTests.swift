import ActivityContract
import Client
import Cluster
import Foundation
import IdentityContract
import Operations
import Testing

/// Activity is killed at random moments while offline changes are merged and timers are saved: each takes effect wholly, and once.
///
/// `deploy/racha faults` kills more often (`RACHA_FAULT_ROUNDS`).
@Suite("Killing activity during offline changes and timers", .serialized)
struct EntryKillsTests {
  @Test("Killing activity during offline changes leaves the right entries, with nothing lost silently (ACT-17)")
  func batches() async throws {
    try await killing { client, activity, today in
      let quantity = try await client.callUntilDone(
        CreateActivity.self,
        .init(
          title: "Water", category: .hydration, goal: .quantity(1_000, unit: "glasses"), schedule: .daily,
          startDay: today.advanced(by: -9)), idempotencyKey: "water-\(activity)"
      ).id
      let begin = Instant.now.adding(seconds: -10_000)
      let changes = try (0..<100).map { number in
        OfflineChange(
          id: try ChangeID(text: "\(number)"), deviceID: try DeviceID(text: number.isMultiple(of: 2) ? "phone" : "watch"),
          madeAt: begin.adding(seconds: number), activityID: quantity, day: today.advanced(by: -(number % 10)),
          amount: Double(number), comment: number.isMultiple(of: 3) ? .set("number \(number)") : .keep)
      }.shuffled()
      // Two devices send them in parts, repeating each until it is acknowledged, and then all of them again.
      try await withThrowingTaskGroup(of: Void.self) { group in
        for device in 0..<2 {
          group.addTask {
            for part in 0..<10 where part % 2 == device {
              let batch = Array(changes[part * 10..<part * 10 + 10])
              let results = try await client.callUntilDone(SyncEntries.self, .init(changes: batch)).results
              #expect(!results.contains { $0.outcome == .refused })
            }
          }
        }
        try await group.waitForAll()
      }
      let again = try await client.callUntilDone(SyncEntries.self, .init(changes: changes)).results
      #expect(Set(again.map(\.outcome)) == [.repeated])
      for back in 0..<10 {
        let day = DayName.day(today.advanced(by: -back))
        let own = changes.filter { $0.day == today.advanced(by: -back) }.sorted { $0.madeAt < $1.madeAt }
        let entry = try await client.callUntilDone(GetEntry.self, .init(activityID: quantity, day: day))
        #expect(entry.amount == own.last?.amount)
        #expect(entry.comment == own.last { $0.comment != .keep }?.comment.value)
        let lost = try await client.callUntilDone(ListEntryChanges.self, .init(activityID: quantity, day: day)).items
        let written = own.reduce(0) { $0 + ($1.comment == .keep ? 1 : 2) }
        #expect(lost.count == written - (entry.comment == nil ? 1 : 2))
      }
    }
  }

  @Test("Killing activity during a timer keeps it running, and its time is saved exactly once (ACT-7; H CU-29 5c)")
  func timers() async throws {
    try await killing { client, activity, today in
      let started = try await client.callUntilDone(StartTimer.self, .init(activityID: activity))
      let seconds = try await eventually {
        try await client.callUntilDone(GetTimer.self, .init(activityID: activity)).elapsedSeconds
      } until: {
        $0 >= 1
      }
      let stopped = try await client.callUntilDone(StopTimer.self, .init(activityID: activity))
      #expect(stopped.day == started.day && stopped.elapsedSeconds >= seconds)
      for _ in 0..<2 {
        let entry = try await client.callUntilDone(
          SaveTimer.self, .init(activityID: activity), idempotencyKey: "save-\(activity)")
        #expect(entry.durationSeconds == stopped.elapsedSeconds)
      }
      let entry = try await client.callUntilDone(GetEntry.self, .init(activityID: activity, day: .day(started.day)))
      #expect(entry.durationSeconds == stopped.elapsedSeconds)
    }
  }

  /// Does it as often as the rounds say, each time with a duration activity of its own, and kills activity meanwhile.
  private func killing(_ body: (GatewayClient, ActivityID, LocalDay) async throws -> Void) async throws {
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    let password = "Rio-7-lento"
    _ = try await cluster.client.callUntilDone(
      RegisterAccount.self,
      .init(
        email: .init(text: "ana@example.org"), username: .init(text: "ana"), password: .init(text: password),
        passwordConfirmation: .init(text: password)), idempotencyKey: "register")
    let session = try await cluster.client.callUntilDone(LogIn.self, .init(login: "ana", password: password))
    let client = cluster.client.authorized(session.accessToken)
    for round in 0..<Play.rounds(4) {
      let activity = try await client.callUntilDone(
        CreateActivity.self,
        .init(title: "Piano \(round)", category: .music, goal: .duration(seconds: 600), schedule: .daily),
        idempotencyKey: "piano-\(round)")
      let killer = Task {
        // A random moment is the point: whatever runs then is cut off.
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...150)))
        cluster.kill(.activity)
      }
      try await body(client, activity.id, activity.startDay)
      try await killer.value
    }
    // One that has just been started again is not ready to be asked to stop.
    try await cluster.waitUntilReady()
    let codes = cluster.stop()
    #expect(codes.values.allSatisfy { $0 == 0 }, "all six stop gracefully: \(codes)")
  }
}
