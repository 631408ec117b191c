import IdentityContract
import Operations
import ServiceKit
import Storage

/// Suspensions that end by their time, of which no event tells: what is withheld from a suspended account comes back then (SOC-8).
struct SuspensionEndFeature: Feature {
  let clock: Clock
  /// What takes effect once an account is suspended no longer.
  let whenEnded: @Sendable (AccountID, Transaction) throws -> Void

  let migrations = [SuspensionEndStore.migration(25)]
  let tables: [ErasedTable] = [ErasedTable.rows("suspension_ends", "account_id = :account", .profiles).atOnce]

  func register(in service: inout ServiceDefinition) {
    service.run { [clock, whenEnded] store in SuspensionEndWorker(store: store, clock: clock, whenEnded: whenEnded) }
  }

  func accountChanged(_ account: AccountID, _ transaction: Transaction) throws {
    try SuspensionEndStore.follow(account, transaction)
  }
}
