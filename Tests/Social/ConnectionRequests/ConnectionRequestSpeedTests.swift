import GRDB
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import ServiceKit
@testable import SocialService

@Suite("The speed of the lists of requests")
struct ConnectionRequestSpeedTests {
  @Test("A page of requests of one state takes no longer where there are many of another state")
  func states() async throws {
    try await ServicesInProcess.withFriends { services, ana, _ in
      let (store, now, sender) = (services.store(of: .social), services.clock.now, ana.id)
      var steps: [[Int]] = []
      for count in [10, 5_000] {
        let account = AccountID()
        try await store.write { transaction in
          try transaction.database.execute(
            sql: """
              INSERT INTO friend_requests (friend_request_id, from_account, to_account, state, sent_at)
              VALUES (randomblob(16), ?, ?, 'pending', 1)
              """, arguments: [sender, account])
          // As the account has answered since, and as it has sent.
          for (from, to) in [(sender, account), (account, sender)] {
            try transaction.database.execute(
              sql: """
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
                INSERT INTO friend_requests (friend_request_id, from_account, to_account, state, sent_at, answered_at)
                SELECT randomblob(16), ?, ?, 'rejected', 1, 2 FROM n
                """, arguments: [from, to])
          }
        }
        var found: [Int] = []
        for direction in [.received, .sent, nil] as [ConnectionRequestDirection?] {
          let effort = try await store.effort { database in
            let page = PageRequest(limit: nil, lastKey: nil) { _ in .placeholder }
            let items = try FriendRequestStore.list(
              for: account, direction: direction, state: .pending, page, now: now, in: database
            ).items
            precondition(items.count == (direction == .sent ? 0 : 1))
          }
          found.append(effort.steps)
        }
        steps.append(found)
      }
      #expect(zip(steps[0], steps[1]).allSatisfy { $1 <= $0 + 20 }, "\(steps)")
    }
  }
}
