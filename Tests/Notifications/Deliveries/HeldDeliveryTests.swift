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
}
