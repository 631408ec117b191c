import NotificationsContract
import Operations
import ServiceKit
import Storage

/// What devices say of pushes.
enum PushHandlers {
  static func open(_ input: OpenPush.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    guard try DeliveryStore.isPush(input.deliveryID, of: call.account, in: transaction.database) else {
      throw Failure(RequestFailure.notFound)
    }
    try DeliveryStore.open(input.deliveryID, of: call.account, in: call.caller.session, transaction)
    return Empty()
  }
}
