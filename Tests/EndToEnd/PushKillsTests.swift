import BuiltPrograms
import Client
import Cluster
import Foundation
import IdentityContract
import NotificationsContract
import Operations
import SocialContract
import Testing

/// Notifications is killed while pushes are on their way: each arrives at least once, and what comes again comes under the same topic.
@Suite("Killing notifications while pushes are being sent", .serialized)
struct PushKillsTests {
  @Test("Kills between event, queue and push service lose no push, and a repeated one has the same topic and words (NOT-5)")
  func onTheirWay() async throws {
    try await PushService.run { service in
      var settings = Play.settings
      settings["RACHA_PUSH_ALLOWED_ORIGINS"] = service.origin
      let cluster = try RunningCluster(settings: settings)
      defer { cluster.stop() }
      try await cluster.start()
      let ana = try await cluster.join("ana", password: "Rio-7-lento")
      let ben = try await cluster.join("ben", password: "Mar-9-bravo")
      // The first request is never answered.
      _ = try await ben.client.callUntilDone(CreatePushSubscription.self, try service.subscription("/push/hang,201/ben"))
      let count = Play.rounds(3)
      var topics: [String: Set<String>] = [:]
      for round in 0..<count {
        if round.isMultiple(of: 2) { cluster.kill(.notifications) }
        _ = try await ana.client.callUntilDone(
          CreateTask.self, .init(name: TaskName(text: "Work \(round)"), participants: [ben.account.username]),
          idempotencyKey: "work-\(round)")
        if round == 0 {
          // It is at the push service, and nobody knows whether it was taken.
          let push = try await service.next()
          topics[push.text, default: []].insert(push.topic)
        }
        cluster.kill(.notifications)
      }
      let sent = try await eventually {
        try await ben.client.callUntilDone(ListDeliveries.self, .init(channel: .push)).items
      } until: {
        $0.count >= count && $0.allSatisfy { $0.state == .sent }
      }
      #expect(sent.count == count && sent.allSatisfy { $0.state == .sent })
      while topics.count < count {
        let push = try await service.next()
        #expect(push.faults == [])
        topics[push.text, default: []].insert(push.topic)
      }
      #expect(topics.count == count && topics.values.allSatisfy { $0.count == 1 })
      for round in 0..<count { #expect(topics.keys.contains { $0.contains("Work \(round)") }) }
    }
  }
}
