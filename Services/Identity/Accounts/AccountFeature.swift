import IdentityContract
import Operations
import ServiceKit
import Storage

/// Accounts: read by their owners, and by other services, which keep a read model of them (ID-1, ID-3, ID-11).
struct AccountFeature: Feature {
  let migrations = [AccountStore.migration(1), AccountStore.suspensionMigration(35)]
  let tables: [ErasedTable] = [ErasedTable.rows("accounts", "account_id = :account", .profiles).atOnce]
  let snapshot = [SnapshotPart("accounts", AccountChanged.self, page: AccountStore.snapshot)]

  func register(in service: inout ServiceDefinition) {
    service.decideVerified { account, database in try AccountStore.find(account, in: database)?.verifiedAt != nil }
    service.serveAtOnce(GetOwnAccount.self, AccountHandlers.getOwn)
    service.serveAtOnce(LookUpAccount.self, AccountHandlers.lookUp)
  }
}
