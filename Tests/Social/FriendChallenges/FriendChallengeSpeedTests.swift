import ActivityContract
import GRDB
import InProcess
import Operations
import ServiceKit
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("The speed of lists of challenges")
struct FriendChallengeSpeedTests {
  let identity = IdentityDouble()

  @Test("Lists of challenges read along an index from the newest on, and find accounts and streaks by key")
  func plans() async throws {
    try await ServicesInProcess.challenging(identity) { services in
      for direction in [ConnectionRequestDirection.received, .sent, nil] {
        for isOfState in [false, true] {
          let sql = FriendChallengeStore.listSQL(direction, isOfState: isOfState).replacing(/:[a-z]+/, with: "'a'")
          let steps = try await services.store(of: .social).read {
            try Row.fetchAll($0, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String }
          }
          #expect(!steps.contains { $0.hasPrefix("SCAN friend") || $0.hasPrefix("SCAN c") || $0.hasPrefix("SCAN a") }, "\(steps)")
          let walks = steps.filter { $0.contains("friend_challenges_received") || $0.contains("friend_challenges_sent") }
          #expect(
            walks.count == (direction == nil ? 2 : 1) && walks.allSatisfy { $0.contains("by_state") == isOfState }, "\(steps)")
          // What is ordered besides is a page of each.
          #expect(steps.filter { $0.contains("TEMP B-TREE") }.count == (direction == nil ? 2 : 0), "\(steps)")
        }
      }
    }
  }

  @Test("The first page of challenges in a state takes no longer among many in other states")
  func many() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.challenging(identity) { services in
      try await services.befriend(ana, ben)
      let sent = try await services.challenge(ben, to: try await services.makeActivity(of: ana), by: ana)
      _ = try await services.accept(sent, by: ben)
      // 20,000 that were withdrawn since.
      try await services.store(of: .social).write { transaction in
        try transaction.database.execute(
          sql: """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            INSERT INTO friend_challenges (friend_challenge_id, from_account, to_account, from_activity, activity, state, sent_at,
              answered_at, changed_at, revision)
            SELECT randomblob(16), from_account, to_account, randomblob(16), activity, 'withdrawn', sent_at, sent_at, sent_at, 1
            FROM friend_challenges, n
            """)
      }
      let clock = ContinuousClock()
      var best = Duration.seconds(60)
      for _ in 0..<5 {
        let time = try await clock.measure {
          let accepted = try await services.challenges(of: ben)
          let received = try await services.challenges(of: ben, .received)
          #expect(accepted.map(\.id) == [sent.id] && received.count == 50)
        }
        best = min(best, time)
      }
      #expect(best < .milliseconds(100), "two pages")
    }
  }
}
