import IdentityContract
import Operations
import SecureStorage
import ServiceKit
import Storage

/// Secrets that have to be read back, encrypted (ID-16).
struct SecretFeature: Feature {
  let storage: SecureStorage
  let migrations = [SecretStore.migration(11), SecretStore.keyMigration(56)]
  let tables: [ErasedTable] = [ErasedTable.rows("secrets", "owner = :account", .secrets).atOnce]

  func register(in service: inout ServiceDefinition) {
    let storage = storage
    service.run { store in SecretRotationWorker(store: store, storage: storage) }
  }
}
