import ActivityContract
import Client
import Cluster
import Foundation
import GRDB
import IdentityContract
import Operations
import SocialContract
import Testing

/// Services are killed at random moments while an entry is reported and while what moderators removed of it spreads.
@Suite("Killing services while an entry is reported and removed (SOC-8)", .serialized)
struct EntryRemovalKillsTests {
  @Test(
    "A report of an entry amid kills is kept once, and a removal takes the comment away once and leaves what was done",
    arguments: [ServiceName.activity, .social])
  func removal(killed: ServiceName) async throws {
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    for round in 0..<Play.rounds(3) {
      let ana = try await Player.join("ana\(round)", [], NoonZone(), cluster)
      let ben = try await Player.join("ben\(round)", [], NoonZone(), cluster)
      let (walk, entry) = try await write(ana, ben)
      let killer = Task {
        // A random moment is the point: before the report is made, while it is, or behind it.
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...15)))
        cluster.kill(killed)
      }
      let report = try await ana.client.callUntilDone(
        CreateReport.self, .init(subject: .entry(walk, entry.day), reason: .harassment), idempotencyKey: "report")
      try await killer.value
      #expect(report.accountID == ben.account.id)
      #expect(try await ana.client.callUntilDone(ListOwnReports.self, .init()).items == [report])

      let event = EntryRemovalChanged(
        accountID: ben.account.id, activityID: walk, day: entry.day, isRemoved: true, comment: "you fool", photoTags: [],
        at: .now)
      try await decide(event, cluster)
      for service in [killed, .activity, .social].shuffled() {
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...60)))
        cluster.kill(service)
      }
      let after = try await eventually {
        try await ben.client.callUntilDone(GetEntry.self, .init(activityID: walk, day: .day(entry.day)))
      } until: {
        $0.comment == nil
      }
      #expect(after.comment == nil && after.isDone)
      // What is written later stays: the removal has taken its effect once.
      _ = try await ben.client.callUntilDone(
        EditEntry.self, .init(activityID: walk, day: .day(entry.day), comment: .set("lovely")), idempotencyKey: "later")
      cluster.kill(.activity)
      let last = try await ben.client.callUntilDone(GetEntry.self, .init(activityID: walk, day: .day(entry.day)))
      #expect(last.comment == "lovely")
    }
    // One that has just been started again is not ready to be asked to stop.
    try await cluster.waitUntilReady()
    let codes = cluster.stop()
    #expect(codes.values.allSatisfy { $0 == 0 }, "all six stop gracefully: \(codes)")
  }

  /// Lets the first follow the second, who writes about today.
  private func write(_ ana: Player, _ ben: Player) async throws -> (ActivityID, Entry) {
    let follow = try await ana.client.callUntilDone(
      SendFollowRequest.self, .init(username: ben.account.username), idempotencyKey: "follow")
    _ = try await ben.client.callUntilDone(AcceptFollowRequest.self, .init(followRequestID: follow.id))
    let walk = try await ben.client.callUntilDone(
      CreateActivity.self, .init(title: "Walk", category: .fitness, goal: .check, schedule: .daily), idempotencyKey: "activity"
    ).id
    _ = try await ben.client.callUntilDone(
      RecordEntry.self, .init(activityID: walk, day: .today, isDone: true, comment: "you fool"), idempotencyKey: "entry")
    _ = try await eventually {
      try await ana.client.callUntilDone(ListFollowedActivities.self, .init()).items
    } until: {
      !$0.isEmpty
    }
    return (walk, try await ben.client.callUntilDone(GetEntry.self, .init(activityID: walk, day: .today)))
  }

  /// Lets social have decided that: its event stands in the outbox when it starts again.
  private func decide(_ event: EntryRemovalChanged, _ cluster: RunningCluster) async throws {
    try await cluster.waitUntilReady()
    cluster.hold(.social)
    _ = try await eventually {
      cluster.processID(.social)
    } until: {
      $0 == 0
    }
    try await DatabaseQueue(path: "\(cluster.home)/stores/social.sqlite").write { database in
      try database.execute(
        sql: "INSERT INTO outbox (name, at, body) VALUES (?, ?, ?)",
        arguments: [EntryRemovalChanged.spec.name, event.at.milliseconds, Data(event.json)])
    }
    try cluster.release(.social)
  }
}
