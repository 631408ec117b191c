import IdentityContract
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// The daily check, only for accounts that switch it on: offers that end soon, and ranks lost among friends (NOT-5).
struct DailyCheckFeature: Feature {
  let environment: ServiceEnvironment
  let dispatch: DeliveryDispatch
  /// Wakes the worker.
  let signal = WakeSignal()

  let migrations = [DailyCheckStore.migration(25), DailyCheckStore.nameMigration(33)]
  let tables: [ErasedTable] = [.rows("daily_checks", "account_id = :account", .notifications)]

  func register(in service: inout ServiceDefinition) {
    let client = ServiceClient(bus: environment.bus, service: .notifications, clock: environment.clock)
    let (signal, environment) = (signal, environment)
    let checks = DailyChecks(rewards: client, dispatch: dispatch, logger: environment.logger)
    service.run { store, pulse in
      DueWorker(work: checks, store: store, clock: environment.clock, signal: signal, pulse: pulse)
    }
  }

  func accountMoved(_ move: AccountMove, _ transaction: Transaction) throws {
    try DailyCheckStore.recheck(of: move.account, transaction)
    transaction.afterCommit { signal.send() }
  }
}
