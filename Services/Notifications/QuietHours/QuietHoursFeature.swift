import IdentityContract
import NotificationsContract
import ServiceKit
import Storage

/// The hours of each day in which an account is left in peace (NOT-4): what is not urgent waits, and comes together when they end.
struct QuietHoursFeature: Feature {
  let store: QuietHoursStore
  /// Wakes the worker that releases held deliveries.
  let signal: WakeSignal

  let migrations = [QuietHoursStore.migration(16)]
  let tables: [ErasedTable] = [.rows("quiet_hours", "account_id = :account", .notificationChoices)]

  func register(in service: inout ServiceDefinition) {
    let handlers = QuietHoursHandlers(store: store, signal: signal)
    service.serve(GetQuietHours.self, read: handlers.get)
    service.serve(SetQuietHours.self, write: handlers.set)
    service.serve(ClearQuietHours.self, write: handlers.delete)
  }

  /// They go by the clocks where the account is.
  func accountMoved(_ move: AccountMove, _ transaction: Transaction) throws {
    try DeliveryStore.reconsider(move.account, transaction)
    transaction.afterCommit { signal.send() }
  }
}
