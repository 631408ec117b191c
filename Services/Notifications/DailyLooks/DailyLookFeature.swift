import IdentityContract
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// The daily look, only for accounts that switch it on: offers that end soon, and ranks lost among friends (NOT-5).
struct DailyLookFeature: Feature {
  let environment: ServiceEnvironment
  let dispatch: DeliveryDispatch
  /// Wakes the worker.
  let signal = WakeSignal()

  let migrations = [DailyLookStore.migration(25)]
  let tables: [ErasedTable] = [.rows("daily_looks", "account_id = :account", .notifications)]

  func register(in service: inout ServiceDefinition) {
    let client = ServiceClient(bus: environment.bus, service: .notifications, clock: environment.clock)
    let (signal, environment) = (signal, environment)
    let looks = DailyLooks(rewards: client, dispatch: dispatch, logger: environment.logger)
    service.run { store, pulse in
      DueWorker(work: looks, store: store, clock: environment.clock, signal: signal, pulse: pulse)
    }
  }

  func accountMoved(_ move: AccountMove, _ transaction: Transaction) throws {
    try DailyLookStore.lookAnew(of: move.account, transaction)
    transaction.afterCommit { signal.send() }
  }
}
