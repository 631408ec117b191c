import IdentityContract
import Operations
import ServiceKit
import Storage

/// Consents, with their history (ID-13).
struct ConsentFeature: Feature {
  let migrations = [ConsentStore.deletedAccountsMigration(54)]
  // Only their owner sees them.
  let tables: [ErasedTable] = [.rows("consent_records", "account_id = :account", .profiles)]

  func register(in service: inout ServiceDefinition) { service.serve(ListConsents.self, ConsentHandlers.list) }
}
