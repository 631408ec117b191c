import Client
import Cluster
import Foundation
import IdentityContract
import NotificationsContract
import Operations
import SocialContract
import Testing

/// Notifications is killed at each step of event → quiet hours → morning: what came at night is in the inbox once, and goes by one mail.
@Suite("Killing notifications between the evening and the morning", .serialized)
struct QuietHoursKillsTests {
  /// Quiet hours that last now, and for eleven hours more.
  private static func aroundNow() throws -> QuietHours {
    let minute = Int(Instant.now.milliseconds / 60_000 % 1440)
    return QuietHours(
      startsAt: try #require(QuietTime(minutes: (minute + 1440 - 60) % 1440)),
      endsAt: try #require(QuietTime(minutes: (minute + 660) % 1440)))
  }

  /// The deliveries by mail of what came at night.
  private func mailed(to client: GatewayClient) async throws -> [NotificationDelivery] {
    try await client.callUntilDone(ListDeliveries.self, .init(channel: .email)).items.filter { $0.kind == "taskEnrolled" }
  }

  @Test(
    "Kills from an event in quiet hours until the morning lose nothing, and put nothing into inbox or mail twice (NOT-4)"
  )
  func morning() async throws {
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    let ana = try await cluster.join("ana", password: "Rio-7-lento")
    let ben = try await cluster.join("ben", password: "Mar-9-bravo")
    let choice = NotificationChoice(category: .tasks, .email, isOn: true)
    _ = try await ben.client.callUntilDone(UpdateNotificationPreferences.self, .init(choices: [choice]))
    _ = try await ben.client.callUntilDone(SetQuietHours.self, try Self.aroundNow())
    let count = Play.rounds(3)
    for round in 0..<count {
      // The event comes while notifications is gone, or just as it goes.
      if round.isMultiple(of: 2) { cluster.kill(.notifications) }
      _ = try await ana.client.callUntilDone(
        CreateTask.self, .init(name: TaskName(text: "Night \(round)"), participants: [ben.account.username]),
        idempotencyKey: "night-\(round)")
      cluster.kill(.notifications)
    }
    let held = try await eventually {
      try await mailed(to: ben.client)
    } until: {
      $0.count >= count
    }
    #expect(held.count == count && held.allSatisfy { $0.state == .held && $0.reason == "quiet_hours" })
    let folder = MailFolder(home: cluster.home)
    let before = try folder.mails(to: "ben@example.org").count

    // The morning: killed before, while and after it is let go.
    cluster.kill(.notifications)
    _ = try await ben.client.callUntilDone(ClearQuietHours.self, .init())
    cluster.kill(.notifications)
    try await cluster.waitUntilReady()
    let sent = try await eventually {
      try await mailed(to: ben.client)
    } until: {
      $0.allSatisfy { $0.state == .sent }
    }
    #expect(sent.count == count)
    let mails = try folder.mails(to: "ben@example.org").dropFirst(before)
    // What is let go goes together.
    #expect(mails.count == 1)
    for round in 0..<count { #expect(mails.last?.text.contains("Night \(round)") == true) }
    let inbox = try await ben.client.callUntilDone(ListNotifications.self, .init(category: .tasks)).items
    #expect(inbox.count == count)
  }
}
