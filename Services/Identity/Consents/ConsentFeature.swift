import IdentityContract
import Operations
import ServiceKit
import Storage

/// Consents, with their history (ID-13).
struct ConsentFeature: Feature {
  let tables: [ErasedTable] = [ErasedTable.rows("consent_records", "account_id = :account", .profiles).atOnce]

  func register(in service: inout ServiceDefinition) { service.serve(ListConsents.self, ConsentHandlers.list) }
}
