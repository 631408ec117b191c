import ActivityContract
import Client
import Cluster
import IdentityContract
import Operations
import SocialContract
import Testing

/// Services are killed at random moments while an entry is reported and while what moderators removed of it spreads.
@Suite("Killing services while an entry is reported and removed (SOC-8)", .serialized)
struct EntryRemovalKillsTests {
  @Test(
    "Amid kills an entry's report is kept once, and its removal takes the comment once and keeps the recorded progress",
    arguments: [ServiceName.activity, .social])
  func removal(killed: ServiceName) async throws {
    try await KillRounds.run(3) { round, cluster in
      let ana = try await Player.join("ana\(round)", [], NoonZone(), cluster)
      let ben = try await Player.join("ben\(round)", [], NoonZone(), cluster)
      let administrator = try await cluster.administrator("adela\(round)")
      let (walk, entry) = try await write(ana, ben)
      // Before the report is made, while it is, or behind it.
      let killer = Task { try await KillRounds.kill([killed], cluster, within: 15) }
      let report = try await ana.client.callUntilDone(
        CreateReport.self, .init(subject: .entry(walk, entry.day), reason: .harassment), idempotencyKey: "report")
      try await killer.value
      #expect(report.accountID == ben.account.id)
      #expect(try await ana.client.callUntilDone(ListOwnReports.self, .init()).items == [report])

      let found = try await administrator.callUntilDone(ListModerationCases.self, .init()).items
      let id = try #require(found.first { $0.subject == report.subject }).id
      // The decision is made amid kills, and its event spreads amid them.
      let killers = Task { try await KillRounds.kill([killed, .activity, .social, .identity], cluster) }
      let decided = try await administrator.callUntilDone(
        DecideModerationCase.self, .init(caseID: id, outcome: .removed, reason: try ReportText(text: "No insults.")),
        idempotencyKey: "decision")
      try await killers.value
      #expect(decided.decision?.outcome == .removed)
      let after = try await eventually {
        try await ben.client.callUntilDone(GetEntry.self, .init(activityID: walk, day: .day(entry.day)))
      } until: {
        $0.comment == nil
      }
      #expect(after.comment == nil && after.isDone)
      // What is written later stays: the removal has taken its effect once.
      _ = try await ben.client.callUntilDone(
        UpdateEntry.self, .init(activityID: walk, day: .day(entry.day), comment: .set("lovely")), idempotencyKey: "later")
      cluster.kill(.activity)
      let last = try await ben.client.callUntilDone(GetEntry.self, .init(activityID: walk, day: .day(entry.day)))
      #expect(last.comment == "lovely")
    }
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
}
