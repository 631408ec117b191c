import NotificationsContract
import Operations
import ServiceKit
import Storage

/// What devices say of pushes.
enum PushHandlers {
  static func open(_ input: OpenPush.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    let isPush = try transaction.database.first(
      "SELECT 1 FROM deliveries WHERE account_id = ? AND delivery_id = ? AND channel = 'push'", .id(call.account),
      .id(input.deliveryID)
    ) { _ in true }
    guard isPush != nil else { throw Failure(RequestFailure.notFound) }
    try DeliveryStore.open(input.deliveryID, of: call.account, in: call.caller.session, transaction)
    return Empty()
  }
}
