import ActivityContract
import Client
import Cluster
import Foundation
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract
import Testing

/// Steps → coins → challenge → badge → profile: a process is killed at each step, and the flow is complete afterwards, once (REW-7).
@Suite("Killing services while steps complete challenges", .serialized)
struct ChallengeRewardKillsTests {
  private static let (day, week) = (ChallengeID(), ChallengeID())

  /// Two challenges, of which the second takes a correction's steps.
  private static let file = """
    {"challenges":[\(item(day, "day", 3000, 7)),\(item(week, "ever", 5000, 11))]}
    """

  private static func item(_ id: ChallengeID, _ window: String, _ threshold: Int, _ coins: Int) -> String {
    let text = #"{"title":"Walk \#(threshold)","description":"Walk.","badge":"Walker \#(threshold)"}"#
    return """
      {"id":"\(id)","terms":{"rule":{"metric":"steps","window":"\(window)"},"threshold":\(threshold),"coins":\(coins),"icon":"shoe",
      "texts":{"en":\(text),"es":\(text)}}}
      """
  }

  private func sample(_ number: Int, steps: Int, _ zone: NoonZone) -> MovementSample {
    let start = zone.instant(day: zone.today.advanced(by: -1), hour: 8 + number)
    return MovementSample(id: "walk-\(number)", start: start, end: start.adding(seconds: 3600), steps: steps, source: "phone")
  }

  @Test(
    "Killing a service at each step leaves exactly one award of coins, badge, notification and profile entry",
    arguments: [ServiceName.gateway, .activity, .rewards, .notifications, .identity])
  func killing(killed: ServiceName) async throws {
    let cluster = try RunningCluster(settings: Play.settings, files: ["challenges.json": Self.file])
    defer { cluster.stop() }
    try await cluster.start()
    for round in 0..<Play.rounds(2) {
      let zone = NoonZone()
      let ana = try await Player.join("ana\(round)", [], zone, cluster)
      _ = try await ana.client.callUntilDone(
        SetBadgeVisibility.self, .init(isVisibleOnPublicProfile: true), idempotencyKey: "show")
      let profile = try await ana.client.callUntilDone(CreatePublicLink.self, .init(), idempotencyKey: "link")
      for number in 0..<3 {
        // A random moment is the point: before the steps are taken in, while they count, or while others learn of it.
        let killer = Task {
          try await Task.sleep(for: .milliseconds(Int.random(in: 0...60)))
          cluster.kill(killed)
        }
        let result = try await ana.client.callUntilDone(
          RecordMovementSamples.self, .init(samples: [sample(number, steps: 2000, zone)]))
        #expect(result.rejected.isEmpty)
        try await killer.value
      }
      try await expectComplete(ana, profile.page, cluster)
    }
    try await cluster.waitUntilReady()
    let codes = cluster.stop()
    #expect(codes.values.allSatisfy { $0 == 0 }, "all six stop gracefully: \(codes)")
  }

  /// 6,000 steps: 60 coins, 7 for the day, 11 for all; two badges on the profile, and two notifications.
  private func expectComplete(_ ana: Player, _ page: String, _ cluster: RunningCluster) async throws {
    let balance = try await eventually {
      try await ana.client.callUntilDone(GetBalance.self, .init())
    } until: {
      $0.coins >= 78
    }
    #expect(balance.coins == 78)
    let completed = try await ana.client.callUntilDone(ListCompletedChallenges.self, .init()).items
    #expect(Set(completed.map(\.id)) == [Self.day, Self.week] && completed.map(\.coins).reduce(0, +) == 18)
    #expect(try await ana.client.callUntilDone(ListBadges.self, .init()).items.count == 2)
    func count(_ inbox: [NotificationsContract.Notification]) -> Int { inbox.count { $0.kind == "challengeCompleted" } }
    let inbox = try await eventually {
      try await ana.inbox()
    } until: {
      count($0) >= 2
    }
    #expect(count(inbox) == 2)
    let shown = try await eventually {
      try await cluster.client.get(page).text
    } until: {
      $0.contains("Walker 3000") && $0.contains("Walker 5000")
    }
    #expect(shown.components(separatedBy: "Walker 3000").count == 2 && shown.components(separatedBy: "Walker 5000").count == 2)
  }

  @Test("E UC-06, AF-02: while rewards is down, clients read that challenges are unavailable")
  func away() async throws {
    let cluster = try RunningCluster(settings: Play.settings, files: ["challenges.json": Self.file])
    defer { cluster.stop() }
    try await cluster.start()
    let ana = try await Player.join("ana", [], NoonZone(), cluster)
    cluster.hold(.rewards)
    do {
      _ = try await ana.client.call(ListChallenges.self, .init())
      Issue.record("there was an answer")
    } catch let problem as GatewayClient.Problem {
      #expect(problem.status == 503 && problem.detail == "Challenges unavailable at the moment.")
    }
    try cluster.release(.rewards)
    try await cluster.waitUntilReady()
    #expect(try await ana.client.callUntilDone(ListChallenges.self, .init()).items.map(\.remaining) == [3000, 5000])
  }
}
