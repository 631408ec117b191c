import ActivityContract
import GRDB
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("The streaks of both sides of a challenge (SOC-6)")
struct FriendChallengeStreakTests {
  let identity = IdentityDouble()

  private func record(_ day: String, _ activity: ActivityID?, _ person: IdentityDouble.Account, _ services: ServicesInProcess)
    async throws
  {
    let activity = try #require(activity)
    _ = try await services.call(
      RecordEntry.self, .init(activityID: activity, day: try DayName(text: day), isDone: true), as: person.caller)
  }

  /// Returns when the account sees these streaks, its own first.
  private func sees(
    _ own: Int, _ other: Int, in challenge: FriendChallenge, _ person: IdentityDouble.Account, _ services: ServicesInProcess
  ) async throws {
    try await services.store(of: .social).until {
      let seen = try await services.call(GetFriendChallenge.self, .init(friendChallengeID: challenge.id), as: person.caller)
      return seen.ownStreak?.current == own && seen.otherStreak?.current == other
    }
  }

  @Test("A challenge's streaks are visible to both, with earlier ones, new entries, pauses, skips and the end of a day")
  func sideBySide() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.challenging(identity) { services in
      try await services.befriend(ana, ben)
      let walk = try await services.makeActivity(of: ana)
      for day in ["2026-11-18", "2026-11-19", "2026-11-20"] { try await record(day, walk.id, ana, services) }
      // Known to activity, and published, before there is a challenge.
      let activity = services.store(of: .activity)
      try await activity.until { try await activity.read { try Int.fetchOne($0, sql: "SELECT run FROM streaks") } == 3 }
      let sent = try await services.challenge(ben, to: walk, by: ana)
      #expect(sent.ownStreak == nil && sent.otherStreak == nil)
      let accepted = try await services.accept(sent, by: ben)
      try await sees(3, 0, in: sent, ana, services)
      try await sees(0, 3, in: sent, ben, services)
      _ = try await services.activities(of: ben)
      try await record("today", accepted.activityID, ben, services)
      try await record("today", walk.id, ana, services)
      try await sees(4, 1, in: sent, ana, services)
      _ = try await services.call(
        DeleteEntry.self, .init(activityID: walk.id, day: .day(try LocalDay(text: "2026-11-19"))), as: ana.caller)
      try await sees(2, 1, in: sent, ana, services)
      _ = try await services.call(
        CreateSkip.self, .init(activityID: walk.id, day: .day(try LocalDay(text: "2026-11-19"))), as: ana.caller)
      try await sees(3, 1, in: sent, ana, services)
      // Two days later both have missed one; ben rests.
      _ = try await services.call(
        CreatePause.self,
        .init(
          activityID: try #require(accepted.activityID), firstDay: try LocalDay(text: "2026-11-22"),
          lastDay: try LocalDay(text: "2026-11-30")), as: ben.caller)
      services.clock.advance(days: 2)
      try await sees(0, 1, in: sent, ana, services)
      let listed = try #require(try await services.challenges(of: ben).first)
      #expect(listed.ownStreak == Streak(current: 1, longest: 1) && listed.otherStreak == Streak(current: 0, longest: 3))
    }
  }

  @Test("A challenge's streaks are stored only for accepted challenges, as last published by activity, despite late events")
  func kept() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.challenging(identity) { services in
      try await services.befriend(ana, ben)
      let (walk, read) = (try await services.makeActivity(of: ana), try await services.makeActivity("Read", of: ana))
      let sent = try await services.challenge(ben, to: walk, by: ana)
      _ = try await services.challenge(ben, to: read, by: ana)
      let store = services.store(of: .social)
      #expect(try await store.rows("friend_challenge_streaks") == 0)
      _ = try await services.accept(sent, by: ben)
      #expect(try await store.rows("friend_challenge_streaks") == 2)
      try await sees(0, 0, in: sent, ana, services)
      func publish(_ current: Int, _ revision: Int, by account: AccountID) async throws {
        try await services.publish(
          .activity,
          StreakChanged(
            accountID: account, activityID: walk.id, streak: Streak(current: current, longest: 9), day: walk.startDay,
            revision: revision))
        try await services.hasReceived(.social, of: .activity)
      }
      let later = 9_000_000_000_000
      try await publish(7, later, by: ana.account)
      try await sees(7, 0, in: sent, ana, services)
      try await publish(5, later - 1, by: ana.account)
      // Of an account whose activity it is not.
      try await publish(8, later + 1, by: ben.account)
      try await sees(7, 0, in: sent, ana, services)
      _ = try await services.call(EndFriendChallenge.self, .init(friendChallengeID: sent.id), as: ben.caller)
      try await publish(9, later + 2, by: ana.account)
      let ended = try await services.call(GetFriendChallenge.self, .init(friendChallengeID: sent.id), as: ana.caller)
      #expect(ended.ownStreak == nil && ended.otherStreak == nil)
      #expect(try await store.rows("friend_challenge_streaks") == 0)
    }
  }
}
