import GRDB
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// The dead pushes: listed, and sent once more.
struct DeadPushHandlers: Sendable {
  /// Wakes the worker that releases held deliveries.
  let signal: WakeSignal

  @Sendable
  static func list(_ input: ListDeadPushes.Input, _ call: AccountCall, _ database: Database) throws -> Page<DeadPush> {
    let page = try call.page(input)
    let rows = try DeadPushStore.list(
      before: page.cursor(ID<NotificationDelivery>.init(text:)), limit: page.fetchLimit, in: database)
    return page.page(of: rows, key: { $0["delivery_id"] as ID<NotificationDelivery> }) { DeadPush($0, call.language) }
  }

  @Sendable
  func retry(_ input: RetryDeadPush.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    guard try DeadPushStore.revive(input.deliveryID, transaction) else { throw Failure(RequestFailure.notFound) }
    transaction.afterCommit { [signal] in signal.send() }
    return Empty()
  }
}

extension DeadPush {
  fileprivate init(_ row: Row, _ language: Language) {
    let failure: String = row["reason"]
    self.init(
      id: row["delivery_id"], kind: NotificationKind.presentName(of: row["kind"]), accountID: row["account_id"],
      failure: failure, explanation: DeliveryReason.text(failure, language), createdAt: row["created_at"],
      givenUpAt: row["finished_at"])
  }
}
