import ActivityContract
import Client
import Cluster
import Foundation
import IdentityContract
import NotificationsContract
import Operations
import SocialContract
import Testing

/// Services are killed at random moments while somebody blocks another: it closes every way, wholly and once, or not at all.
@Suite("Killing services while somebody blocks another (SOC-8)", .serialized)
struct BlockKillsTests {
  @Test(
    "Killing services during a block still ends friendship, follows and notifications, and unblocking restores none",
    arguments: [ServiceName.gateway, .social, .activity, .notifications])
  func blocking(killed: ServiceName) async throws {
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    for round in 0..<Play.rounds(3) {
      let ana = try await Player.join("ana\(round)", [], NoonZone(), cluster)
      let ben = try await Player.join("ben\(round)", [], NoonZone(), cluster)
      try await connect(ana, ben)
      let killer = Task {
        // A random moment is the point: before the block is made, while it is, or while the others learn of it.
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...15)))
        cluster.kill(killed)
      }
      let block = try await ana.client.callUntilDone(CreateBlock.self, .init(accountID: ben.account.id), idempotencyKey: "block")
      #expect(try await ana.client.callUntilDone(CreateBlock.self, .init(accountID: ben.account.id)) == block)
      // It looks sent, whatever dies meanwhile.
      let unseen = try await ben.client.callUntilDone(
        SendFollowRequest.self, .init(username: ana.account.username), idempotencyKey: "unseen")
      #expect(unseen.state == .pending)
      try await killer.value
      try await expectApart(ana, ben)
      _ = try await ana.client.callUntilDone(DeleteBlock.self, .init(accountID: ben.account.id), idempotencyKey: "unblock")
      try await expectApart(ana, ben)
      #expect(try await ana.client.callUntilDone(ListFollowRequests.self, .init(state: .pending)).items.isEmpty)
    }
    // One that has just been started again is not ready to be asked to stop.
    try await cluster.waitUntilReady()
    let codes = cluster.stop()
    #expect(codes.values.allSatisfy { $0 == 0 }, "all six stop gracefully: \(codes)")
  }

  /// Makes them friends who follow each other, each with an activity, and lets the second write to the first.
  private func connect(_ ana: Player, _ ben: Player) async throws {
    let request = try await ana.client.callUntilDone(
      SendFriendRequest.self, .init(username: ben.account.username), idempotencyKey: "friend")
    _ = try await ben.client.callUntilDone(AcceptFriendRequest.self, .init(friendRequestID: request.id))
    for (one, other) in [(ana, ben), (ben, ana)] {
      let follow = try await one.client.callUntilDone(
        SendFollowRequest.self, .init(username: other.account.username), idempotencyKey: "follow")
      _ = try await other.client.callUntilDone(AcceptFollowRequest.self, .init(followRequestID: follow.id))
      _ = try await one.client.callUntilDone(
        CreateActivity.self,
        .init(title: "Walk", category: .fitness, goal: .check, schedule: .daily),
        idempotencyKey: "activity")
    }
    for (one, other) in [(ana, ben), (ben, ana)] {
      let seen = try await eventually {
        try await one.client.callUntilDone(ListFollowedActivities.self, .init()).items.map(\.accountID)
      } until: {
        !$0.isEmpty
      }
      #expect(seen == [other.account.id])
    }
    _ = try await ben.client.callUntilDone(
      SendMessage.self, .init(accountID: ana.account.id, text: ChatText(text: "Hello")), idempotencyKey: "message")
    let inbox = try await eventually {
      try await ana.inbox()
    } until: {
      $0.count { $0.links.accountID == ben.account.id } == 4
    }
    #expect(inbox.count { $0.links.accountID == ben.account.id } == 4)
  }

  /// Whatever each service knows of the two, none shows or lets through anything from one to the other.
  private func expectApart(_ ana: Player, _ ben: Player) async throws {
    for (one, other) in [(ana, ben), (ben, ana)] {
      #expect(try await one.client.callUntilDone(ListFriends.self, .init()).items.isEmpty)
      #expect(try await one.client.callUntilDone(ListFollows.self, .init()).items.isEmpty)
      #expect(try await one.client.callUntilDone(ListFollowers.self, .init()).items.isEmpty)
      let seen = try await eventually {
        try await one.client.callUntilDone(ListFollowedActivities.self, .init()).items
      } until: {
        $0.isEmpty
      }
      #expect(seen.isEmpty)
      do {
        let text = try ChatText(text: "after")
        _ = try await one.client.callUntilDone(SendMessage.self, .init(accountID: other.account.id, text: text))
        Issue.record("a message came through")
      } catch let problem as GatewayClient.Problem {
        #expect(problem.code == "not_friends")
      }
    }
    let inbox = try await eventually {
      try await ana.inbox()
    } until: {
      $0.allSatisfy { $0.links.accountID != ben.account.id }
    }
    #expect(inbox.allSatisfy { $0.links.accountID != ben.account.id })
  }
}
