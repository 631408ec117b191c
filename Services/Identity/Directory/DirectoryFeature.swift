import IdentityContract
import Operations
import ServiceKit
import Storage

/// The directory: a search among the accounts that are listed in it (ID-14).
struct DirectoryFeature: Feature {
  let migrations = [DirectoryStore.migration(10), DirectoryStore.suffixMigration(40)]
  let tables: [ErasedTable] = [
    .following("directory_suffixes", "directory_entries"),
    ErasedTable.rows("directory_entries", "account_id = :account", .profiles).atOnce,
  ]

  func register(in service: inout ServiceDefinition) { service.serve(SearchDirectory.self, read: DirectoryHandlers.search) }
}
