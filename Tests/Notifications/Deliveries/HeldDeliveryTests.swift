import GRDB
import InProcess
import NotificationsContract
import Operations
import ServiceKit
import Storage
import Testing

@testable import NotificationsService

@Suite("The release of held deliveries (NOT-4)", .timeLimit(.minutes(1)))
struct HeldDeliveryTests {
  @Test("Where many deliveries end together, a transaction releases few of them, but all that one person gets by one channel")
  func steps() async throws {
    try await ServicesInProcess.running([{ try Notifications.service($0) }]) { services in
      let dispatch = DeliveryDispatch(
        quietHours: QuietHoursStore(zones: TimeZones()), routes: [MailRoute(signal: WakeSignal())], signal: WakeSignal())
      let work = HeldDeliveries(dispatch: dispatch, clock: services.clock.clock)
      let (isMore, held) = try await services.store(of: .notifications).write { transaction in
        for _ in 0..<5 {
          let account = AccountID()
          for number in 0..<3 {
            let delivery = Delivery(
              id: ID(), account: account, channel: .email, kind: "taskHelpRequested", source: "x/\(number)", subject: ID(),
              notification: nil, createdAt: transaction.now)
            try DeliveryStore.add(delivery, .held(until: transaction.now, .unread), transaction)
          }
        }
        var (isMore, held): ([Bool], [Int]) = ([], [])
        for _ in 0..<3 {
          isMore.append(try work.release(atLeast: 4, transaction))
          let count = try Int.fetchOne(transaction.database, sql: "SELECT count(*) FROM deliveries WHERE state = 'held'")
          held.append(count ?? -1)
        }
        return (isMore, held)
      }
      #expect(held == [9, 3, 0] && isMore == [true, true, false])
    }
  }

  @Test("To take the next of what one person gets by one channel takes no longer where more is due")
  func effort() async throws {
    try await ServicesInProcess.running([{ try Notifications.service($0) }]) { services in
      let store = services.store(of: .notifications)
      // The worker does not take them before.
      let due = services.clock.now.adding(seconds: 86_400)
      var steps: [Int] = []
      for count in [1_000, 10_000] {
        let account = AccountID()
        try await store.write { transaction in
          try transaction.database.execute(
            sql: """
              WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
              INSERT INTO deliveries (account_id, delivery_id, channel, kind, source, subject_id, state, reason, not_before,
                created_at)
              SELECT ?1, randomblob(16), 'email', 'taskHelpRequested', 'x/' || i, randomblob(16), 'held', 'quiet_hours', ?3, ?3
              FROM n
              """, arguments: [account, count, due])
        }
        let effort = try await store.effort { database in
          let deliveries = try DeliveryStore.due(.init(account: account, channel: .email), at: due, in: database)
          #expect(deliveries.count == DeliveryStore.maxInGroup)
          #expect(deliveries.map(\.id) == deliveries.map(\.id).sorted())
        }
        steps.append(effort.steps)
      }
      #expect(steps[1] <= steps[0] + 20, "\(steps)")
    }
  }
}
