import Images
import Operations
import ServiceKit
import SocialContract
import Storage

/// Photos in messages, each kept as a picture that this service has encoded itself (SOC-4). They go with their messages.
struct MessagePhotoFeature: Feature {
  let handlers: MessagePhotoHandlers
  let migrations = [MessagePhotoStore.migration(14)]
  let tables: [ErasedTable] = [.following("message_photos", "messages")]

  func register(in service: inout ServiceDefinition) {
    service.serve(SendMessagePhoto.self, prepare: handlers.picture, write: handlers.send)
    service.serve(GetMessagePhoto.self, read: MessagePhotoHandlers.get)
    service.serve(RemoveMessagePhoto.self, write: MessagePhotoHandlers.remove)
  }
}
