import GRDB
import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage
import TransparencyLog

/// The register: a log of what people did together, in which nobody can change anything without its showing (TASK-9).
///
/// Other features append to it, so it stands before them, and accounts are erased in it last.
struct RegisterFeature: Feature {
  let keys: RegisterKeys
  let origin: String
  let migrations = [RegisterStore.migration(35)]
  let tables: [ErasedTable] = [
    .rows("register_people", "account_id = :account", .registerRecords),
    .untouched("register_records", "deleted with the last of those whom a record names"),
    .untouched("register_leaves", "kind, time and commitment, which nothing opens any more"),
    .untouched("register_tiles", "hashes of leaves"),
    .untouched("register_checkpoints", "hashes of leaves"),
    .untouched("register_origins", "what the log is called"),
  ]

  init(_ environment: ServiceEnvironment) {
    keys = RegisterKeys(home: environment.home)
    origin = RegisterOrigin.first(environment.settings)
  }

  func register(in service: inout ServiceDefinition) {
    service.serve(ReadRegisterCheckpoint.self, read: RegisterHandlers.checkpoint)
    service.serve(ReadRegisterTile.self, read: RegisterHandlers.tile)
    service.serve(ListRegisterKeys.self, read: listKeys)
    service.serve(ProveRegisterInclusion.self, read: RegisterHandlers.inclusion)
    service.serve(ProveRegisterConsistency.self, read: RegisterHandlers.consistency)
    service.serve(ReadRegisterProof.self, read: RegisterHandlers.proof)
    service.serve(ListOwnRegisterRecords.self, read: RegisterHandlers.records)
    service.run { [keys, origin] in RegisterWorker(store: $0, keys: keys, origin: origin) }
  }

  private func listKeys(_ input: Empty, _ call: OpenCall, _ database: Database) throws -> ListRegisterKeys.Output {
    let origin = try RegisterTileStore.origin(database) ?? origin
    return .init(origin: origin, keys: try keys.signers(origin).map(\.verifierKey.description))
  }
}
