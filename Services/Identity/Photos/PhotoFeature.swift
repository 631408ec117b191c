import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Photos, each kept as a picture that this service has encoded itself (ID-11).
struct PhotoFeature: Feature {
  let handlers: PhotoHandlers
  let migrations = [PhotoStore.migration(13), PhotoStore.sizeMigration(29), PhotoStore.publicationMigration(32)]
  let tables: [ErasedTable] = [
    ErasedTable.rows("photos", "account_id = :account", .profiles).atOnce,
    .following("unpublished_photos", "accounts"),
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(PutPhoto.self, prepare: handlers.picture, write: PhotoHandlers.put)
    service.serve(DeletePhoto.self, write: PhotoHandlers.delete)
    service.serve(GetOwnPhoto.self, read: PhotoHandlers.getOwn)
    service.serve(GetPhoto.self, read: PhotoHandlers.get)
    service.subscribe(to: PhotoRemovalDecided.self, PhotoSubscriptions.removalDecided)
    service.subscribe(to: PhotoRestorationDecided.self, PhotoSubscriptions.restorationDecided)
    service.run { store in PhotoPublicationWorker(store: store) }
  }
}
