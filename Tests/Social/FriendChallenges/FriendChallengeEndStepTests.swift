import ActivityContract
import Foundation
import GRDB
import IdentityContract
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("The end of many challenges at once (SOC-6)", .timeLimit(.minutes(1)))
struct FriendChallengeEndStepTests {
  /// So many that most of them are left to the worker.
  static let count = 60
  let identity = IdentityDouble()

  /// Two friends, of whom ana has challenged ben to one activity that he accepted, and to many that wait.
  private func challenged(
    home: String? = nil,
    _ body: (ServicesInProcess, _ ana: IdentityDouble.Account, _ ben: IdentityDouble.Account) async throws -> Void
  ) async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.challenging(identity, home: home) { services in
      try await services.befriend(ana, ben)
      let sent = try await services.challenge(ben, to: try await services.makeActivity(of: ana), by: ana)
      _ = try await services.accept(sent, by: ben)
      try await add(Self.count - 1, like: sent, toOthers: false, services)
      try await body(services, ana, ben)
    }
  }

  /// Makes up challenges that wait: of the same account, to the same activity of other friends, or to other activities of the same friend.
  private func add(
    _ count: Int, like challenge: FriendChallenge, toOthers: Bool, _ services: ServicesInProcess
  ) async throws {
    let id = challenge.id
    try await services.store(of: .social).write { transaction in
      for number in 0..<count {
        let other = AccountID()
        if toOthers {
          try transaction.database.run(
            """
            INSERT INTO accounts (account_id, username, time_zone, day_start_hour, language, is_verified, revision)
            VALUES (?, ?, 'UTC', 0, 'en', 1, 1)
            """, .id(other), .text("friend\(number)"))
        }
        try transaction.database.run(
          """
          INSERT INTO friend_challenges (friend_challenge_id, from_account, to_account, from_activity, activity, state, sent_at,
            changed_at, revision)
          SELECT ?2, from_account, ifnull(?3, to_account), ifnull(?4, from_activity), activity, 'pending', sent_at, sent_at, 1
          FROM friend_challenges WHERE friend_challenge_id = ?1
          """, .id(id), .id(ID<FriendChallenge>()), toOthers ? .id(other) : .null, toOthers ? .null : .id(ActivityID()))
      }
    }
  }

  /// Returns when nothing is left, and all have ended at the same time and were published so once for each of the two.
  private func haveEnded(_ count: Int, _ services: ServicesInProcess) async throws {
    let store = services.store(of: .social)
    try await store.until { try await store.rows("friend_challenge_ends") == 0 }
    let (ended, times) = try await store.read { database -> (Int?, Int?) in
      let ended = "FROM friend_challenges WHERE state = 'ended'"
      return (
        try Int.fetchOne(database, sql: "SELECT count(*) \(ended)"),
        try Int.fetchOne(database, sql: "SELECT count(DISTINCT ended_at) \(ended)")
      )
    }
    #expect(ended == count && times == 1)
    #expect(try await store.rows("friend_challenge_streaks") == 0)
    let events = try await services.published(FriendChallengeChanged.self).filter { $0.state == .ended }
    #expect(events.count == 2 * count)
    #expect(Set(events.map { "\($0.friendChallengeID) \($0.accountID)" }).count == 2 * count)
  }

  @Test("To end 400 challenges with their activity changes and publishes no more at once than to end 40, but for a note of each")
  func bounded() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.challenging(identity) { services in
      try await services.befriend(ana, ben)
      let atOnce = FriendChallengeEndStore.atOnce
      var (changes, events): ([Int], [Int]) = ([], [])
      for count in [40, 400] {
        let walk = try await services.makeActivity(of: ana)
        let sent = try await services.challenge(ben, to: walk, by: ana)
        try await add(count - 1, like: sent, toOthers: true, services)
        let (account, activity) = (ana.account, walk.id)
        let done = try await services.store(of: .social).write { transaction -> (changes: Int, events: Int) in
          let database = transaction.database
          let (changesBefore, eventsBefore) = (database.totalChangesCount, try database.keptEvents())
          try FriendChallengeStore.end(of: activity, of: account, transaction)
          return (database.totalChangesCount - changesBefore, try database.keptEvents() - eventsBefore)
        }
        changes.append(done.changes - (count - atOnce))
        events.append(done.events)
      }
      #expect(events == [2 * atOnce, 2 * atOnce])
      #expect(changes[0] == changes[1], "\(changes)")
    }
  }

  @Test("The challenges of one activity are found in as many steps among many that have ended as without them")
  func found() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.challenging(identity) { services in
      try await services.befriend(ana, ben)
      let walk = try await services.makeActivity(of: ana)
      let sent = try await services.challenge(ben, to: walk, by: ana)
      let (account, activity, store) = (ana.account, walk.id, services.store(of: .social))
      func steps() async throws -> Int {
        try await store.effort {
          let found = try FriendChallengeStore.needing(activity, of: account, in: $0)
          #expect(found.count == 1)
        }.steps
      }
      let before = try await steps()
      try await store.write { transaction in
        try transaction.database.execute(
          sql: """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            INSERT INTO friend_challenges (friend_challenge_id, from_account, to_account, from_activity, activity, state, sent_at,
              answered_at, changed_at, revision)
            SELECT randomblob(16), from_account, to_account, from_activity, activity, 'withdrawn', sent_at, sent_at, sent_at, 1
            FROM friend_challenges, n
            """)
      }
      let after = try await steps()
      #expect(after <= before + 5, "\(before), \(after)")
      #expect(try await services.state(of: sent, for: ben) == .pending)
    }
  }

  @Test("Challenges that end with a friendship are over for both in the same transaction, however many they are")
  func over() async throws {
    try await challenged { services, ana, ben in
      let accounts = [ana.account, ben.account]
      try await services.store(of: .social).write { transaction in
        let database = transaction.database
        let challenges = try ID<FriendChallenge>.fetchAll(database, sql: "SELECT friend_challenge_id FROM friend_challenges")
        try FriendChallengeStore.end(between: accounts[0], and: accounts[1], transaction)
        #expect(try FriendChallengeEndStore.isAnyLeft(in: database))
        for challenge in challenges {
          for account in accounts {
            let seen = try FriendChallengeStore.view(challenge, for: account, in: database)
            #expect(seen.state == .ended && seen.endedAt != nil && seen.ownStreak == nil && seen.otherStreak == nil)
            #expect(try FriendChallengeStore.find(challenge, of: account, in: database).challenge.state == .ended)
          }
        }
        for state in [FriendChallengeState.pending, .accepted] {
          let listed = try Row.fetchAll(
            database, sql: FriendChallengeStore.listSQL(.received, isOfState: true),
            arguments: ["account": accounts[1], "state": state, "before": Int64.max, "limit": 100])
          #expect(listed.isEmpty)
        }
      }
      try await haveEnded(Self.count, services)
    }
  }

  @Test("Who ends a friendship ends all challenges of the two, none of which can be answered any more")
  func friendship() async throws {
    try await challenged { services, ana, ben in
      _ = try await services.call(RemoveFriend.self, .init(accountID: ana.account), as: ben.caller)
      let listed = try await services.challenges(of: ben, .received)
      #expect(listed.count == 50 && listed.allSatisfy { $0.state == .ended })
      #expect(try await services.challenges(of: ana, nil, .pending).isEmpty)
      // More than end at once.
      for challenge in listed.prefix(2 * FriendChallengeEndStore.atOnce) {
        let name = FriendChallengeName(friendChallengeID: challenge.id)
        #expect(try await services.refusal(AcceptFriendChallenge.self, name, as: ben.caller) == "challenge_answered")
        #expect(try await services.refusal(RejectFriendChallenge.self, name, as: ben.caller) == "challenge_answered")
      }
      try await haveEnded(Self.count, services)
      #expect(try await services.challenges(of: ben, .received).map(\.endedAt) == listed.map(\.endedAt))
    }
  }

  @Test("A deleted activity ends all challenges to it, each of which is published once")
  func activity() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.challenging(identity) { services in
      try await services.befriend(ana, ben)
      let walk = try await services.makeActivity(of: ana)
      let sent = try await services.challenge(ben, to: walk, by: ana)
      let other = try await services.challenge(ben, to: try await services.makeActivity("Read", of: ana), by: ana)
      try await add(Self.count - 1, like: sent, toOthers: true, services)
      _ = try await services.call(DeleteActivity.self, .init(activityID: walk.id, confirm: true), as: ana.caller)
      try await services.hasReceived(.social, of: .activity)
      #expect(try await services.state(of: sent, for: ben) == .ended)
      try await haveEnded(Self.count, services)
      #expect(try await services.state(of: other, for: ben) == .pending)
    }
  }

  @Test("Challenges that are left to be ended keep their time when what they need ends once more")
  func again() async throws {
    try await challenged { services, ana, ben in
      let (one, other) = (ana.account, ben.account)
      try await services.store(of: .social).write { transaction in
        let database = transaction.database
        try database.execute(sql: "INSERT INTO friend_challenge_ends (sequence, at) SELECT sequence, 1 FROM friend_challenges")
        let row = try #require(
          try Row.fetchOne(database, sql: "SELECT from_activity, to_activity FROM friend_challenges WHERE state = 'accepted'"))
        try FriendChallengeStore.end(between: one, and: other, transaction)
        try FriendChallengeStore.end(of: row["from_activity"], of: one, transaction)
        try FriendChallengeStore.end(of: row["to_activity"], of: other, transaction)
        #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM friend_challenges WHERE state = 'ended'") == 0)
      }
      try await haveEnded(Self.count, services)
    }
  }

  @Test("Challenges that were left when the process ended are ended after a restart")
  func resumed() async throws {
    let home = "/tmp/racha-ends-\(UInt32.random(in: .min ... .max))"
    defer { try? FileManager.default.removeItem(atPath: home) }
    try await challenged(home: home) { services, ana, ben in
      let (one, other) = (ana.account, ben.account)
      try await services.store(of: .social).write { try FriendChallengeStore.end(between: one, and: other, $0) }
    }
    try await ServicesInProcess.challenging(identity, home: home) { services in
      try await haveEnded(Self.count, services)
    }
  }

  @Test("Erasing an account erases its challenges that are left to be ended, and all that was published of them (ID-12)")
  func erased() async throws {
    try await challenged { services, ana, ben in
      let (one, other, store) = (ana.account, ben.account, services.store(of: .social))
      try await services.hasReceived(.social, of: .identity)
      try await store.write { try FriendChallengeStore.end(between: one, and: other, $0) }
      try await services.publish(.identity, AccountDeleted(deletionID: ID(), accountID: one, at: .now))
      try await store.hasErased(one)
      try await store.until { try await store.rows("friend_challenge_ends") == 0 }
      #expect(try await store.rows("friend_challenges") == 0)
      #expect(try await services.published(FriendChallengeChanged.self).isEmpty)
    }
  }
}
