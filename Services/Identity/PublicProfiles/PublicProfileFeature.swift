import IdentityContract
import Operations
import ServiceKit
import Storage

/// Public profiles, and the secret links to them.
struct PublicProfileFeature: Feature {
  let handlers: PublicProfileHandlers
  let migrations = [PublicLinkStore.migration(14)]
  let tables: [ErasedTable] = [ErasedTable.rows("public_links", "account_id = :account", .links).atOnce]

  func register(in service: inout ServiceDefinition) {
    service.serve(CreatePublicLink.self, write: handlers.createLink)
    service.serve(ReadPublicLink.self, read: handlers.readLink)
    service.serve(RevokePublicLink.self, write: PublicProfileHandlers.revokeLink)
    service.serve(ReadPublicProfile.self, read: handlers.read)
    service.serve(OpenPublicProfile.self, read: handlers.open)
    service.serve(ReadPublicPhoto.self, read: handlers.readPhoto)
  }
}
