import IdentityContract
import NotificationsContract
import ServiceKit
import Storage

/// What was delivered by which channel: held, let go, and logged (NOT-4, NOT-5).
struct DeliveryFeature: Feature {
  let environment: ServiceEnvironment
  let settings: DeliverySettings
  let dispatch: DeliveryDispatch

  let migrations = [DeliveryStore.migration(17), DeliveryStore.waitingMigration(23), DeliveryStore.endsMigration(27)]
  let tables: [ErasedTable] = [
    .changed(
      "delivery_accounts", "named_account = :account", .deliveries, inSteps: DeliveryStore.erasedContents,
      DeliveryStore.erasedCompanions, DeliveryStore.erasedNames),
    .rows("deliveries", "account_id = :account", .deliveries),
    .untouched("delivery_figures", "counts"),
  ]

  var retention: [RetentionRule] {
    let seconds = settings.logKeptDays * 86_400
    return [
      RetentionRule(
        "deliveries", key: "account_id, delivery_id", after: "created_at", seconds: seconds, except: "state IN ('held', 'queued')"
      ),
      RetentionRule(
        "delivery_figures", key: "day, channel, kind, outcome, reason", after: "day", seconds: max(seconds, 366 * 86_400)),
    ]
  }

  func register(in service: inout ServiceDefinition) {
    service.serve(ListDeliveries.self, read: DeliveryHandlers.list)
    service.serve(GetDeliveryStatistics.self, read: DeliveryHandlers.statistics)
    let (held, clock, signal) = (HeldDeliveries(dispatch: dispatch, clock: environment.clock), environment.clock, dispatch.signal)
    service.run { store, pulse in DueWorker(work: held, store: store, clock: clock, signal: signal, pulse: pulse) }
  }
}
