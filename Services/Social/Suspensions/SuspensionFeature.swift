import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Suspensions and bans: published when moderators decide them and when they end, listed, lifted (SOC-8).
struct SuspensionFeature: Feature {
  let migrations = [SuspensionStore.migration(23)]
  let tables: [ErasedTable] = [
    ErasedTable.rows("suspensions", "account_id = :account", .reports).atOnce,
    ErasedTable.rows("suspended_accounts", "account_id = :account", .reports).atOnce,
  ]
  let snapshot = [SnapshotPart("suspensions", SuspensionChanged.self, page: SuspensionStore.snapshot)]

  func register(in service: inout ServiceDefinition) {
    service.serve(ListSuspensions.self, read: SuspensionHandlers.list)
    service.serve(LiftSuspension.self, prepare: ModerationCaseHandlers.administrators, write: SuspensionHandlers.lift)
    service.run { store in SuspensionWorker(store: store) }
  }
}
