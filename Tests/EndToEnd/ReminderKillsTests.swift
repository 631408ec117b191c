import ActivityContract
import BuiltPrograms
import Client
import Cluster
import Foundation
import GRDB
import IdentityContract
import NotificationsContract
import Operations
import Testing

/// Activity and notifications are killed at each step of due reminder → push → 'done' → entry.
@Suite("Killing activity and notifications between a reminder and its entry", .serialized)
struct ReminderKillsTests {
  /// Nobody waits for a time of day: what comes tomorrow is due now.
  private func makeDue(_ activity: Activity, _ cluster: RunningCluster) async throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    let store = try DatabaseQueue(path: "\(cluster.home)/stores/activity.sqlite", configuration: configuration)
    try await store.write {
      try $0.execute(
        sql: "UPDATE due_reminders SET due_at = ?, day = ? WHERE activity_id = ?",
        arguments: [Instant.now.milliseconds, activity.startDay.daysSinceEpoch, Data(activity.id.bytes)])
    }
  }

  /// The token of the push that reminds of an activity; what comes again has the same, and comes under the same topic.
  private func token(
    of title: String, _ service: PushService, _ topics: inout [String: Set<String>]
  ) async throws -> String {
    while true {
      let push = try await service.next()
      #expect(push.faults == [])
      let shown = try JSONTape(Array(push.text.utf8)).json["notification"]
      guard case .string(let found) = shown?["title"], case .string(let token) = shown?["data"]?["reminderToken"] else {
        continue
      }
      topics[found, default: []].formUnion([push.topic, token])
      if found == title { return token }
    }
  }

  @Test("Kills at each step from a due reminder over its push and 'done' to the entry lose nothing and double nothing (NOT-2)")
  func fromDueToEntry() async throws {
    try await PushService.run { service in
      var settings = Play.settings
      settings["RACHA_PUSH_ALLOWED_ORIGINS"] = service.origin
      let cluster = try RunningCluster(settings: settings)
      defer { cluster.stop() }
      try await cluster.start()
      let ana = try await cluster.join("ana", password: "Rio-7-lento")
      _ = try await ana.client.callUntilDone(CreatePushSubscription.self, try service.subscription("/push/201/ana"))
      let count = Play.rounds(3)
      var topics: [String: Set<String>] = [:]
      for round in 0..<count {
        let title = "Run \(round)"
        let activity = try await ana.client.callUntilDone(
          CreateActivity.self,
          .init(
            title: title, category: .fitness, goal: .quantity(2, unit: "km"), schedule: .daily,
            reminders: [try ReminderTime(text: "00:00")]), idempotencyKey: "run-\(round)")
        try await makeDue(activity, cluster)
        cluster.kill(round.isMultiple(of: 2) ? .activity : .notifications)
        let token = try await token(of: title, service, &topics)
        cluster.kill(.notifications)
        if round.isMultiple(of: 2) { cluster.kill(.activity) }
        for _ in 1...2 {
          _ = try await ana.client.callUntilDone(AnswerReminderByLink.self, .init(token: token, answer: .done))
          cluster.kill(.notifications)
        }
        cluster.kill(.activity)
        let day = try await eventually {
          try await ana.client.callUntilDone(GetDay.self, .init(day: .today)).activities.first { $0.id == activity.id }
        } until: {
          $0?.state == .done
        }
        #expect(day?.amount == 2)
      }
      #expect(topics.count == count && topics.values.allSatisfy { $0.count == 2 })
      let inbox = try await ana.client.callUntilDone(ListDeliveries.self, .init(channel: .inbox)).items
      #expect(inbox.count { $0.kind == "reminderDue" && $0.state == .sent } == count)
      let left = try await eventually {
        try await ana.client.callUntilDone(ListNotifications.self, .init(category: .reminders)).items
      } until: {
        $0.isEmpty
      }
      #expect(left.isEmpty)
    }
  }
}
