import IdentityContract
import Logging
import Operations
import ServiceKit
import Storage

/// What people granted to this client at external providers: given back once the identity is unlinked or the account deleted (ID-10, ID-12).
struct ProviderGrantFeature: Feature {
  let logins: ExternalLogins
  let clock: Clock
  let logger: Logger
  let migrations = [ProviderGrantStore.migration(26), ProviderGrantStore.endsMigration(27)]
  let tables: [ErasedTable] = [
    // Whose they were is forgotten; they stay, their tokens sealed, until the provider has them back.
    ErasedTable.changed(
      "provider_grants", "identity_id IN (SELECT identity_id FROM external_identities WHERE account_id = :account)", .secrets,
      by: """
        UPDATE provider_grants SET identity_id = NULL
        WHERE identity_id IN (SELECT identity_id FROM external_identities WHERE account_id = :account)
        """
    ).atOnce
  ]

  func register(in service: inout ServiceDefinition) {
    let (logins, clock, logger) = (logins, clock, logger)
    service.run { store in ProviderRevocationWorker(store: store, logins: logins, clock: clock, logger: logger) }
  }
}
