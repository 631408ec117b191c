import ActivityContract
import IdentityContract
import InProcess
import Operations
import RewardsContract
import ServiceKit
import SocialContract
import Storage
import Testing

@testable import RewardsService

@Suite("Metrics of challenges and achievements (REW-7, REW-8)")
struct ChallengeMetricTests {
  private static let tiers = ChallengeTiers(bronze: 1, silver: 2, gold: 3)

  private func entry(
    _ person: Person, _ activity: ActivityID, daysAgo: Int = 0, isDone: Bool = true, isDeleted: Bool = false
  ) -> EntryRecorded {
    EntryRecorded(
      accountID: person.id, activityID: activity, day: ChallengeScene.today.advanced(by: -daysAgo), isDone: isDone,
      isDeleted: isDeleted, amount: nil, durationSeconds: nil, recordedAt: .now)
  }

  private func progress(_ person: Person) async throws -> [Int] {
    try await person.send(ListAchievements.self, .init()).items.map(\.progress)
  }

  private func tiers(_ person: Person) async throws -> [ChallengeTier?] {
    try await person.send(ListAchievements.self, .init()).items.map(\.tier)
  }

  @Test("Distances count by kind, in whole earning metres")
  func distances() async throws {
    let items = [
      ChallengeScene.challenge("walk", .walkingMeters, .day, 1000), ChallengeScene.challenge("run", .runningMeters, .day, 1000),
      ChallengeScene.challenge("cycle", .cyclingMeters, .day, 1000),
    ]
    try await ChallengeScene.running(items) { services in
      let ana = try await services.register()
      try await services.move(ana.id, walking: 999.9, running: 1000, cycling: 10)
      #expect(try await ana.send(ListCompletedChallenges.self, .init()).items.map(\.title) == ["run"])
      #expect(Set(try await ana.send(ListChallenges.self, .init()).items.map(\.progress)) == [999, 10])
      // Half of it is marked as implausible.
      let day = MovementDaysChanged.Day(
        day: ChallengeScene.today, steps: 0, earningSteps: 0, walkingMeters: 5000, runningMeters: 1000, cyclingMeters: 10,
        earningWalkingMeters: 500, earningRunningMeters: 1000, earningCyclingMeters: 10, revision: 1_000_000_000)
      try await services.publish(
        from: .activity, MovementDaysChanged(accountID: ana.id, recordedDay: ChallengeScene.today, days: [day]))
      #expect(Set(try await ana.send(ListChallenges.self, .init()).items.map(\.progress)) == [500, 10])
    }
  }

  @Test("A reached goal counts once for each activity and day, and tiers stay when entries are removed")
  func entries() async throws {
    let items = [
      ChallengeScene.achievement("entries", .entries, tiers: Self.tiers),
      ChallengeScene.achievement("a day", .entries, in: .day, tiers: Self.tiers),
    ]
    try await ChallengeScene.running(items) { services in
      let ana = try await services.register()
      let (walk, read) = (ActivityID(), ActivityID())
      for _ in 0..<2 { try await services.publish(from: .activity, entry(ana, walk)) }
      #expect(try await progress(ana) == [1, 1])
      #expect(try await tiers(ana) == [.bronze, .bronze])
      try await services.publish(from: .activity, entry(ana, walk, daysAgo: 100))
      try await services.publish(from: .activity, entry(ana, read, isDone: false))
      #expect(try await progress(ana) == [2, 1])
      try await services.publish(from: .activity, entry(ana, read))
      #expect(try await progress(ana) == [3, 2])
      #expect(try await tiers(ana) == [.gold, .silver])
      try await services.publish(from: .activity, entry(ana, read, isDeleted: true))
      try await services.publish(from: .activity, ActivityDeleted(accountID: ana.id, activityID: walk))
      #expect(try await progress(ana) == [0, 0])
      #expect(try await tiers(ana) == [.gold, .silver])
      #expect(try await services.store(of: .rewards).rows("challenge_entries") == 0)
    }
  }

  @Test("Streaks count by their longest run, weeks as seven days, and progress shows the current one")
  func streaks() async throws {
    let item = ChallengeScene.achievement("streak", .activityStreak, tiers: ChallengeTiers(bronze: 7, silver: 14, gold: 21))
    try await ChallengeScene.running([item]) { services in
      let ana = try await services.register()
      func streak(_ current: Int, _ longest: Int, _ unit: Streak.Unit, revision: Int, _ activity: ActivityID) -> StreakChanged {
        StreakChanged(
          accountID: ana.id, activityID: activity, streak: Streak(current: current, longest: longest, unit: unit),
          day: ChallengeScene.today, revision: revision)
      }
      let (daily, weekly) = (ActivityID(), ActivityID())
      try await services.publish(from: .activity, streak(6, 6, .days, revision: 1, daily))
      #expect(try await progress(ana) == [6])
      #expect(try await tiers(ana) == [nil])
      try await services.publish(from: .activity, streak(2, 2, .weeks, revision: 1, weekly))
      #expect(try await progress(ana) == [14])
      #expect(try await tiers(ana) == [.silver])
      try await services.publish(from: .activity, streak(1, 2, .weeks, revision: 3, weekly))
      try await services.publish(from: .activity, streak(2, 2, .weeks, revision: 2, weekly))
      #expect(try await progress(ana) == [7])
      #expect(try await tiers(ana) == [.silver])
      let shown = try await ana.send(ListAchievements.self, .init()).items
      #expect(shown.map(\.nextTier) == [.gold] && shown.map(\.remainingText) == ["14 days in a row remaining"])
    }
  }

  @Test("Confirmed tasks count, help once for each task, teams once each, and friends")
  func people() async throws {
    let items = [ChallengeMetric.tasksConfirmed, .helpGiven, .teams, .friends, .activities].map {
      ChallengeScene.achievement($0.rawValue, $0, tiers: Self.tiers)
    }
    try await ChallengeScene.running(items) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let (task, team) = (ID<SharedTask>(), ID<Team>())
      func confirmed(_ isConfirmed: Bool, revision: Int) throws -> TaskChanged {
        TaskChanged(
          accountID: ana.id, taskID: task, name: try TaskName(text: "Paint"), state: .open, isParticipant: true,
          isConfirmed: isConfirmed, participantCount: 2, confirmedCount: isConfirmed ? 1 : 0, revision: revision,
          at: services.clock.clock.now)
      }
      for revision in 1...2 { try await services.publish(from: .social, try confirmed(true, revision: revision)) }
      for _ in 0..<2 {
        try await services.publish(from: .social, TaskHelpGiven(accountID: ana.id, taskID: task, at: services.clock.clock.now))
        try await services.publish(
          from: .social,
          TeamMembershipChanged(
            accountID: ana.id, teamID: team, teamName: nil, isMember: true, isOwner: false, change: .joined, revision: 1,
            at: services.clock.clock.now))
        try await services.publish(
          from: .social,
          RelationChanged(
            accountID: ana.id, otherAccountID: ben.id, relation: Relation(isFriend: true), isBlockedByOther: false, revision: 1,
            at: services.clock.clock.now))
      }
      #expect(try await progress(ana) == [1, 1, 1, 1, 0])
      #expect(try await tiers(ana) == [.bronze, .bronze, .bronze, .bronze, nil])
      try await services.publish(from: .social, try confirmed(false, revision: 3))
      try await services.publish(
        from: .social,
        RelationChanged(
          accountID: ana.id, otherAccountID: ben.id, relation: Relation(), isBlockedByOther: false, revision: 2,
          at: services.clock.clock.now))
      #expect(try await progress(ana) == [0, 1, 1, 0, 0])
      #expect(try await tiers(ana) == [.bronze, .bronze, .bronze, .bronze, nil])
      #expect(try await services.publishedOfChallenges() == Array(repeating: "badges.awarded", count: 4))
      #expect(try await services.coins(of: ana) == 0)
    }
  }
}
