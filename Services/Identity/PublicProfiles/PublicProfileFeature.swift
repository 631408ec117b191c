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
    service.serve(GetPublicLink.self, read: handlers.getLink)
    service.serve(RevokePublicLink.self, write: PublicProfileHandlers.revokeLink)
    service.serve(GetPublicProfile.self, read: handlers.get)
    service.serve(OpenPublicProfile.self, read: handlers.open)
    service.serve(GetPublicPhoto.self, read: handlers.getPhoto)
  }
}
