import IdentityContract
import Operations
import ServiceKit
import Storage

/// External identities: linked to accounts and unlinked (ID-10).
struct ExternalIdentityFeature: Feature {
  let handlers: ExternalIdentityHandlers
  let migrations = [ExternalIdentityStore.migration(5), ExternalIdentityStore.alertsMigration(21)]
  let tables: [ErasedTable] = [ErasedTable.rows("external_identities", "account_id = :account", .profiles).atOnce]

  func register(in service: inout ServiceDefinition) {
    service.serve(ListIdentities.self, read: ExternalIdentityHandlers.list)
    service.serve(BeginIdentityLink.self, handlers.beginLink)
    service.serveAttempt(CompleteIdentityLink.self, prepare: handlers.prove, write: handlers.completeLink)
    service.serve(UnlinkIdentity.self, write: ExternalIdentityHandlers.unlink)
  }
}
