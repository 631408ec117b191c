import IdentityContract
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// What is looked for once a day, for those alone who ask to be told of it: offers that end soon, and places that were lost among friends
/// (NOT-5).
struct DailyLookFeature: Feature {
  let environment: ServiceEnvironment
  let dispatch: DeliveryDispatch
  /// Wakes the worker.
  let signal: WakeSignal

  let migrations = [DailyLookStore.migration(25)]
  let tables: [ErasedTable] = [.rows("daily_looks", "account_id = :account", .notifications)]

  func register(in service: inout ServiceDefinition) {
    let client = ServiceClient(bus: environment.bus, service: .notifications, clock: environment.clock)
    let (dispatch, signal, environment) = (dispatch, signal, environment)
    service.run { store, pulse in
      DailyLookWorker(
        store: store, rewards: client, dispatch: dispatch, clock: environment.clock, signal: signal, pulse: pulse,
        logger: environment.logger)
    }
  }
}
