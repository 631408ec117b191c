import IdentityContract
import Logging
import Operations
import ServiceKit
import SocialContract
import Storage

/// The register: a log of events between accounts, in which no change goes unnoticed (TASK-9).
///
/// Other features append to it, so it comes before them, and is the last to erase accounts.
struct RegisterFeature: Feature {
  private let keys: RegisterKeys
  private let origin: String
  private let identity: ServiceClient
  private let witnesses: RegisterWitnesses
  private let logger: Logger
  let migrations = [RegisterStore.migration(42), RegisterNoticeStore.migration(43)]
  let tables: [ErasedTable] = [
    .rows("register_people", "account_id = :account", .registerRecords),
    .rows("register_notices", "account_id = :account", .registerRecords),
    .untouched("register_records", "deleted with the last of those whom a record names"),
    .untouched("register_leaves", "kind, time and commitment, which nothing opens any more"),
    .untouched("register_tiles", "hashes of leaves"),
    .untouched("register_checkpoints", "hashes of leaves"),
    .untouched("register_origins", "what the log is called"),
    .untouched("register_account_leaves", "numbers of leaves"),
  ]

  init(_ environment: ServiceEnvironment) {
    keys = RegisterKeys(home: environment.home)
    origin = RegisterOrigin.first(environment.settings)
    // How long an answer is waited for is the bus's time, whatever the service's clock says.
    identity = ServiceClient(bus: environment.bus, service: .social, clock: .system)
    witnesses = RegisterWitnesses(environment.settings)
    logger = environment.logger
  }

  func register(in service: inout ServiceDefinition) {
    service.serve(GetRegisterCheckpoint.self, read: RegisterHandlers.checkpoint)
    service.serve(GetRegisterTile.self, read: RegisterHandlers.tile)
    service.serve(GetRegisterLogCheckpoint.self, read: RegisterHandlers.logCheckpoint)
    service.serve(GetRegisterLogTile.self, read: RegisterHandlers.logTile)
    service.serve(ListRegisterKeys.self, read: RegisterKeyHandlers(keys: keys, origin: origin).list)
    service.serve(ProveRegisterInclusion.self, read: RegisterHandlers.inclusion)
    service.serve(ProveRegisterConsistency.self, read: RegisterHandlers.consistency)
    service.serve(GetRegisterProof.self, read: RegisterHandlers.proof)
    service.serve(ListOwnRegisterRecords.self, read: RegisterHandlers.records)
    service.serve(GetRegisterAccountLeaf.self, read: RegisterHandlers.accountLeaf)
    service.run { [keys, origin, logger] in RegisterWorker(store: $0, keys: keys, logger: logger, origin: origin) }
    followAccounts(in: &service)
    for witness in witnesses.all {
      service.run { [logger] in RegisterWitnessWorker(store: $0, witness: witness, logger: logger) }
    }
  }

  private func followAccounts(in service: inout ServiceDefinition) {
    let signal = WakeSignal()
    service.subscribe(to: AccountChanged.self) { _, _, transaction in transaction.afterCommit { signal.send() } }
    service.subscribe(to: AccountDeleted.self) { _, _, transaction in transaction.afterCommit { signal.send() } }
    service.run { [identity, logger] in
      RegisterAccountsWorker(store: $0, identity: identity, signal: signal, logger: logger)
    }
  }
}
