import ActivityContract
import GRDB
import IdentityContract
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("The end of challenges (SOC-6)")
struct FriendChallengeEndTests {
  let identity = IdentityDouble()

  /// Two friends, of whom ana has challenged ben to one activity that he accepted, and to one that waits.
  private func challenged(
    _ body: (ServicesInProcess, _ ana: IdentityDouble.Account, _ ben: IdentityDouble.Account, [FriendChallenge]) async throws ->
      Void
  ) async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.challenging(identity) { services in
      try await services.befriend(ana, ben)
      let walk = try await services.challenge(ben, to: try await services.makeActivity("Walk", of: ana), by: ana)
      let read = try await services.challenge(ben, to: try await services.makeActivity("Read", of: ana), by: ana)
      let accepted = try await services.accept(walk, by: ben)
      _ = try await services.activities(of: ben)
      try await body(services, ana, ben, [accepted, read])
    }
  }

  @Test("Either of the two can end a challenge once, for both, and the activities stay", arguments: [0, 1])
  func wish(who: Int) async throws {
    try await challenged { services, ana, ben, challenges in
      let name = FriendChallengeName(friendChallengeID: challenges[0].id)
      let person = [ana, ben][who]
      let ended = try await services.call(EndFriendChallenge.self, name, as: person.caller)
      #expect(ended.state == .ended && ended.endedAt != nil && ended.ownStreak == nil && ended.otherStreak == nil)
      #expect(try await services.call(EndFriendChallenge.self, name, as: [ben, ana][who].caller).endedAt == ended.endedAt)
      #expect(try await services.challenges(of: ben).isEmpty)
      #expect(try await services.activities(of: ben).count == 1)
      #expect(try await services.activities(of: ana).count == 2)
      #expect(try await services.store(of: .social).rows("friend_challenge_streaks") == 0)
      let pending = FriendChallengeName(friendChallengeID: challenges[1].id)
      #expect(try await services.refusal(EndFriendChallenge.self, pending, as: person.caller) == "challenge_not_accepted")
    }
  }

  @Test("A challenge ends with the friendship, also a pending one, and a new friendship does not restore it")
  func friendship() async throws {
    try await challenged { services, ana, ben, challenges in
      _ = try await services.call(RemoveFriend.self, .init(accountID: ana.account), as: ben.caller)
      for challenge in challenges {
        #expect(try await services.state(of: challenge, for: ana) == .ended)
        #expect(try await services.state(of: challenge, for: ben) == .ended)
      }
      let waiting = FriendChallengeName(friendChallengeID: challenges[1].id)
      #expect(try await services.refusal(AcceptFriendChallenge.self, waiting, as: ben.caller) == "challenge_answered")
      try await services.befriend(ana, ben)
      #expect(try await services.refusal(AcceptFriendChallenge.self, waiting, as: ben.caller) == "challenge_answered")
      let again = try await services.challenges(of: ana, .sent, .ended)
      #expect(again.count == 2)
    }
  }

  @Test("A block ends all pending and accepted challenges between the two, in both directions, and no others")
  func between() async throws {
    let eva = try identity.person("eva")
    try await challenged { services, ana, ben, challenges in
      try await services.befriend(ana, eva)
      let others = try await services.challenge(eva, to: try await services.makeActivity("Swim", of: ana), by: ana)
      let back = try await services.challenge(ana, to: try await services.makeActivity("Draw", of: ben), by: ben)
      let (one, other) = (ben.account, ana.account)
      try await services.store(of: .social).write { try FriendChallengeStore.end(between: one, and: other, $0) }
      for challenge in challenges + [back] { #expect(try await services.state(of: challenge, for: ana) == .ended) }
      #expect(try await services.state(of: others, for: ana) == .pending)
      // Again it changes nothing.
      let published = try await services.published(by: .social).count
      try await services.store(of: .social).write { try FriendChallengeStore.end(between: other, and: one, $0) }
      #expect(try await services.published(by: .social).count == published)
    }
  }

  @Test(
    "A blocked account no longer finds challenges with the blocker, who sees them as ended",
    arguments: [0, 1])
  func blocked(blocker: Int) async throws {
    try await challenged { services, ana, ben, challenges in
      let (blocker, blocked) = blocker == 0 ? (ana, ben) : (ben, ana)
      _ = try await services.call(CreateBlock.self, .init(accountID: blocked.account), as: blocker.caller)
      for direction in [ConnectionRequestDirection.received, .sent] {
        #expect(try await services.challenges(of: blocked, direction).isEmpty)
      }
      for challenge in challenges {
        let name = FriendChallengeName(friendChallengeID: challenge.id)
        #expect(try await services.refusal(GetFriendChallenge.self, name, as: blocked.caller) == "not_found")
        #expect(try await services.refusal(EndFriendChallenge.self, name, as: blocked.caller) == "not_found")
        #expect(try await services.state(of: challenge, for: blocker) == .ended)
      }
    }
  }

  @Test("A challenge ends with the challenger's activity, also a pending one")
  func challengersActivity() async throws {
    try await challenged { services, ana, ben, challenges in
      for challenge in challenges {
        let activity = try #require(
          try await services.call(GetFriendChallenge.self, .init(friendChallengeID: challenge.id), as: ana.caller).activityID)
        _ = try await services.call(DeleteActivity.self, .init(activityID: activity, confirm: true), as: ana.caller)
      }
      try await services.hasReceived(.social, of: .activity)
      for challenge in challenges { #expect(try await services.state(of: challenge, for: ben) == .ended) }
      #expect(try await services.activities(of: ben).count == 1)
    }
  }

  @Test("A challenge ends with the activity of the account that accepted it")
  func acceptersActivity() async throws {
    try await challenged { services, ana, ben, challenges in
      let activity = try #require(challenges[0].activityID)
      _ = try await services.call(DeleteActivity.self, .init(activityID: activity, confirm: true), as: ben.caller)
      try await services.hasReceived(.social, of: .activity)
      #expect(try await services.state(of: challenges[0], for: ana) == .ended)
      #expect(try await services.state(of: challenges[1], for: ana) == .pending)
    }
  }

  @Test("Accepting a challenge whose activity was deleted or is over ends it, and makes no activity")
  func overWhileWaiting() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.challenging(identity) { services in
      try await services.befriend(ana, ben)
      let short = try await services.makeActivity("Walk", of: ana, endDay: "2026-11-22")
      let sent = try await services.challenge(ben, to: short, by: ana)
      // One that was deleted before social knew of the challenge, so that nothing ended it.
      let gone = try await services.challenge(ben, to: try await services.makeActivity("Read", of: ana), by: ana)
      let activity = try #require(gone.activityID)
      try await services.store(of: .activity).write {
        try $0.database.execute(sql: "DELETE FROM activities WHERE activity_id = ?", arguments: [activity])
      }
      services.clock.advance(days: 2)
      for challenge in [sent, gone] {
        let name = FriendChallengeName(friendChallengeID: challenge.id)
        #expect(try await services.refusal(AcceptFriendChallenge.self, name, as: ben.caller) == "challenge_over")
        #expect(try await services.state(of: challenge, for: ana) == .ended)
        #expect(try await services.refusal(AcceptFriendChallenge.self, name, as: ben.caller) == "challenge_answered")
      }
      #expect(try await services.activities(of: ben).isEmpty)
    }
  }

  @Test("A challenge ends with either account, and only the other's own activity remains (ID-12)", arguments: [0, 1])
  func deletion(who: Int) async throws {
    try await challenged { services, ana, ben, challenges in
      let (deleted, left) = who == 0 ? (ana, ben) : (ben, ana)
      try await services.hasReceived(.social, of: .activity)
      for service in [ServiceName.social, .activity] { try await services.hasReceived(service, of: .identity) }
      try await services.publish(.identity, AccountDeleted(deletionID: ID(), accountID: deleted.account, at: .now))
      for service in [ServiceName.social, .activity] { try await services.store(of: service).hasErased(deleted.account) }
      let store = services.store(of: .social)
      for table in ["friend_challenges", "friend_challenge_streaks"] { #expect(try await store.rows(table) == 0) }
      #expect(try await !store.traces(of: deleted.account).contains { $0.hasPrefix("friend_challenge") })
      #expect(try await store.erasedCounts(of: deleted.account).contains("friendChallenges 2"))
      #expect(try await services.challenges(of: left, nil, .accepted).isEmpty)
      #expect(
        try await services.refusal(GetFriendChallenge.self, .init(friendChallengeID: challenges[0].id), as: left.caller)
          == "not_found")
      #expect(try await services.call(ListActivities.self, .init(), as: left.caller).items.count == (who == 0 ? 1 : 2))
      #expect(try await services.store(of: .activity).rows("challenge_activities") == (who == 0 ? 1 : 0))
    }
  }

  @Test("Deleting the challenger's account does not remove the accepted activity of the other (ID-12)")
  func blanked() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.challenging(identity) { services in
      try await services.befriend(ana, ben)
      let sent = try await services.challenge(ben, to: try await services.makeActivity(of: ana), by: ana)
      _ = try await services.accept(sent, by: ben)
      try await services.hasReceived(.social, of: .identity)
      try await services.publish(.identity, AccountDeleted(deletionID: ID(), accountID: ana.account, at: .now))
      try await services.store(of: .social).hasErased(ana.account)
      // What is left of the event is whole: it names the accepter alone.
      let accepted = try #require(
        try await services.published(by: .social).last { $0.name == FriendChallengeAccepted.spec.name })
      #expect(try FriendChallengeAccepted.decode(accepted.body).activity.title == "Walk")
      #expect(!String(decoding: accepted.body, as: UTF8.self).contains(ana.account.description))
    }
  }
}
