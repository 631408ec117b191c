import ActivityContract
import Client
import Cluster
import Foundation
import IdentityContract
import Operations
import SocialContract
import Testing

/// Social and activity are killed at random moments while challenges are sent and accepted: each becomes one activity.
///
/// `deploy/racha faults` kills more often (`RACHA_FAULT_ROUNDS`).
@Suite("Killing social and activity in the middle of a challenge", .serialized)
struct ChallengeKillsTests {
  @Test("Killing social and activity leaves each accepted challenge with one activity, and both streaks (SOC-6)")
  func accepting() async throws {
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    let ana = try await cluster.join("ana", password: "Rio-7-lento")
    let ben = try await cluster.join("ben", password: "Mar-9-bravo")
    let request = try await ana.client.callUntilDone(
      SendFriendRequest.self, .init(username: ben.account.username), idempotencyKey: "ask")
    _ = try await ben.client.callUntilDone(AcceptFriendRequest.self, .init(friendRequestID: request.id))
    var accepted: [FriendChallenge] = []
    for round in 0..<Play.rounds(4) {
      let killer = Task {
        for service in [ServiceName.activity, .social].shuffled() {
          // A random moment is the point: whatever runs then is cut off.
          try await Task.sleep(for: .milliseconds(Int.random(in: 0...150)))
          cluster.kill(service)
        }
      }
      let walk = try await ana.client.callUntilDone(
        CreateActivity.self, .init(title: "Walk \(round)", category: .fitness, goal: .check, schedule: .daily),
        idempotencyKey: "walk-\(round)")
      let sent = try await ana.client.callUntilDone(
        SendFriendChallenge.self, .init(accountID: ben.account.id, activityID: walk.id), idempotencyKey: "challenge-\(round)")
      accepted.append(
        try await ben.client.callUntilDone(AcceptFriendChallenge.self, .init(friendChallengeID: sent.id)))
      try await killer.value
    }
    try await cluster.waitUntilReady()
    let expected = Set(accepted.compactMap(\.activityID))
    #expect(expected.count == accepted.count)
    let mine = try await eventually {
      try await ben.client.callUntilDone(ListActivities.self, .init())
    } until: {
      $0.items.count == expected.count
    }
    #expect(Set(mine.items.map(\.activity.id)) == expected && mine.items.count == expected.count)
    let challenges = try await eventually {
      try await ana.client.callUntilDone(ListFriendChallenges.self, .init(state: .accepted)).items
    } until: {
      $0.count == accepted.count && $0.allSatisfy { $0.ownStreak != nil && $0.otherStreak != nil }
    }
    #expect(challenges.count == accepted.count && challenges.allSatisfy { $0.ownStreak != nil && $0.otherStreak != nil })
    let codes = cluster.stop()
    #expect(codes.values.allSatisfy { $0 == 0 }, "all six stop gracefully: \(codes)")
  }
}
