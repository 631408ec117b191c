import IdentityContract
import Operations
import ServiceKit
import Storage

/// Suspensions that expire without an event: what was withheld from the account is released then (SOC-8).
struct SuspensionEndFeature: Feature {
  let clock: Clock
  /// Called when an account is no longer suspended.
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
