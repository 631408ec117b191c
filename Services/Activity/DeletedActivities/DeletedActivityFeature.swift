import ActivityContract
import IdentityContract
import ServiceKit
import Storage

/// Deleted activities with many entries: gone for everybody from the moment of their deletion, their rows removed in steps.
struct DeletedActivityFeature: Feature {
  /// Lets rows be removed.
  let signal: WakeSignal
  let migrations = [DeletedActivityStore.migration(48)]
  let tables: [ErasedTable] = [
    // What belongs to them is found through them alone.
    .rows("deleted_activities", "account_id = :account", .activities)
      .preceded(by: DeletedActivityStore.remove(of:limit:_:))
  ]

  func register(in service: inout ServiceDefinition) {
    service.run { [signal] store in
      // Few rows at first: each may have a photo.
      RoundRobinWorker(
        "deleted activities", of: "deleted_activities", by: "activity_id", limits: StepLimits(first: 8, max: 500), store: store,
        signal: signal
      ) { activity, count, transaction in
        _ = try DeletedActivityStore.remove(activity, limit: count, transaction)
      }
    }
  }
}
