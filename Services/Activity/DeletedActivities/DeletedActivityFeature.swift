import ActivityContract
import IdentityContract
import ServiceKit
import Storage

/// Deleted activities with many entries: invisible from the moment of deletion, with their rows removed in steps.
struct DeletedActivityFeature: Feature {
  /// Wakes the worker that removes rows.
  let signal: WakeSignal
  let migrations = [DeletedActivityStore.migration(48)]
  let tables: [ErasedTable] = [
    // Rows that belong to them can be found only through them.
    .rows("deleted_activities", "account_id = :account", .activities)
      .preceded(by: DeletedActivityStore.remove(of:limit:_:))
  ]

  func register(in service: inout ServiceDefinition) {
    service.run { [signal] store in
      // Starts with few rows, since each may have a photo.
      RoundRobinWorker(
        "deleted activities", of: "deleted_activities", by: "activity_id", limits: StepLimits(first: 8, max: 500), store: store,
        signal: signal
      ) { activity, count, transaction in
        _ = try DeletedActivityStore.remove(activity, limit: count, transaction)
      }
    }
  }
}
