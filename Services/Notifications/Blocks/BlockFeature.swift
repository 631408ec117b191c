import IdentityContract
import ServiceKit
import SocialContract
import Storage

/// Blocks between accounts: neither of the two is notified of anything that names the other (SOC-8).
struct BlockFeature: Feature {
  /// Lets what names a blocked account be deleted.
  let signal = WakeSignal()
  let migrations = [BlockStore.migration(13), BlockedNotificationStore.migration(30)]
  let tables: [ErasedTable] = [
    .rows("blocks", "account_id = :account OR other_account = :account", .blocks),
    .rows("blocked_notifications", "account_id = :account OR other_account = :account", .blocks),
  ]

  func register(in service: inout ServiceDefinition) {
    service.subscribe(to: RelationChanged.self, BlockSubscriptions(signal: signal).relationChanged)
    service.run { [signal] store in
      RoundRobinWorker(
        "blocked notifications", of: "blocked_notifications", by: "account_id", limits: StepLimits(first: 50, max: 2_000),
        store: store, signal: signal
      ) { account, count, transaction in
        try BlockedNotificationStore.delete(from: account, limit: count, transaction)
      }
    }
  }
}
