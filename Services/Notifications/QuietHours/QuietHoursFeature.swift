import IdentityContract
import NotificationsContract
import ServiceKit
import Storage

/// The hours of each day in which an account is left in peace (NOT-4): what is not urgent waits, and comes together when they end.
struct QuietHoursFeature: Feature {
  let changes: QuietHoursChangeStore

  let migrations = [QuietHoursStore.migration(16), QuietHoursChangeStore.migration(41)]
  let tables: [ErasedTable] = [
    .rows("quiet_hours", "account_id = :account", .notificationChoices),
    .rows("quiet_hours_changes", "account_id = :account", .notificationChoices).uncounted,
  ]

  func register(in service: inout ServiceDefinition) {
    let handlers = QuietHoursHandlers(changes: changes)
    service.serve(GetQuietHours.self, read: handlers.get)
    service.serve(SetQuietHours.self, write: handlers.set)
    service.serve(ClearQuietHours.self, write: handlers.delete)
    service.run { [changes] store in
      RoundRobinWorker(
        "changes of quiet hours", of: "quiet_hours_changes", by: "account_id",
        limits: StepLimits(first: QuietHoursChangeStore.rowsAtOnce, max: 2_000), store: store, signal: changes.signal
      ) { account, count, transaction in
        try changes.settle(account, limit: count, transaction)
      }
    }
  }

  /// They go by the clocks where the account is.
  func accountMoved(_ move: AccountMove, _ transaction: Transaction) throws {
    try changes.begin(move.account, transaction)
  }
}
