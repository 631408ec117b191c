import IdentityContract
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// Messages of operators to everybody, or to some (NOT-5).
struct BroadcastFeature: Feature {
  let environment: ServiceEnvironment
  let dispatch: DeliveryDispatch
  /// Wakes the worker.
  let signal = WakeSignal()

  let migrations = [BroadcastStore.migration(19), BroadcastStore.dayMigration(37)]
  let tables: [ErasedTable] = [
    // The worker's position: it starts again from the beginning, or that of the account's day, and no account gets a broadcast twice.
    .changed(
      "broadcasts", "last_account = :account", .deliveries,
      by: "UPDATE broadcasts SET last_account = NULL WHERE last_account = :account")
  ]

  func register(in service: inout ServiceDefinition) {
    let handlers = BroadcastHandlers(dispatch: dispatch, signal: signal)
    service.serve(PreviewBroadcast.self, prepare: handlers.count, read: handlers.preview)
    service.serve(SendBroadcast.self, write: handlers.send)
    service.serve(TestBroadcast.self, write: handlers.test)
    service.serve(ListBroadcasts.self, read: handlers.list)
    service.serve(CancelBroadcast.self, write: handlers.cancel)
    let identity = ServiceClient(bus: environment.bus, service: .notifications, clock: environment.clock)
    let (dispatch, signal, logger) = (dispatch, signal, environment.logger)
    service.run { store, pulse in
      BroadcastWorker(store: store, identity: identity, dispatch: dispatch, signal: signal, pulse: pulse, logger: logger)
    }
  }
}
