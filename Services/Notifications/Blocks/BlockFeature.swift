import IdentityContract
import ServiceKit
import SocialContract
import Storage

/// Blocks between accounts: neither of the two is notified of anything that names the other (SOC-8).
struct BlockFeature: Feature {
  /// Lets what names a blocked account be deleted.
  let notifications = WakeSignal()
  /// The same for what waits, which is ended.
  let deliveries = WakeSignal()
  let migrations = [BlockStore.migration(13), BlockedNotificationStore.migration(30), BlockedDeliveryStore.migration(42)]
  let tables: [ErasedTable] = [
    .rows("blocks", "account_id = :account OR other_account = :account", .blocks),
    .rows("blocked_notifications", "account_id = :account OR other_account = :account", .blocks),
    .rows("blocked_deliveries", "account_id = :account OR other_account = :account", .blocks).uncounted,
  ]

  func register(in service: inout ServiceDefinition) {
    let subscriptions = BlockSubscriptions(notifications: notifications, deliveries: deliveries)
    service.subscribe(to: RelationChanged.self, subscriptions.relationChanged)
    service.run { [notifications] store in
      RoundRobinWorker(
        "blocked notifications", of: "blocked_notifications", by: "account_id", limits: StepLimits(first: 50, max: 2_000),
        store: store, signal: notifications
      ) { account, count, transaction in
        try BlockedNotificationStore.delete(from: account, limit: count, transaction)
      }
    }
    service.run { [deliveries] store in
      RoundRobinWorker(
        "blocked deliveries", of: "blocked_deliveries", by: "account_id",
        limits: StepLimits(first: 50, max: BlockedDeliveryStore.rowsAtOnce), store: store, signal: deliveries
      ) { account, count, transaction in
        try BlockedDeliveryStore.end(of: account, limit: count, transaction)
      }
    }
  }
}
