import GRDB
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// The way by push: to each device that the account has when it goes.
struct PushRoute: DeliveryRoute {
  let channel = NotificationChannel.push
  /// Wakes the worker of pushes.
  let signal: WakeSignal

  func isOpen(to account: AccountID, in database: Database) throws -> Bool {
    try PushSubscriptionStore.hasAny(of: account, in: database)
  }

  func enqueue(_ deliveries: [Delivery], to account: AccountID, _ transaction: Transaction) throws {
    guard !deliveries.isEmpty else { return }
    try PushStore.add(deliveries, to: account, transaction)
    transaction.afterCommit { [signal] in signal.send() }
  }

  func replace(_ sources: SourceRange, of account: AccountID, by what: DeliveryReplacement, _ transaction: Transaction) throws {
    guard try PushStore.replace(sources, of: account, by: what, transaction) else { return }
    transaction.afterCommit { [signal] in signal.send() }
  }
}
