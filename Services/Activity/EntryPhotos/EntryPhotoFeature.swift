import ActivityContract
import Images
import ServiceKit
import Storage

/// Photos of entries, each stored as this service has encoded it.
struct EntryPhotoFeature: Feature {
  let calendars: AccountCalendars
  let pictures: PictureProcessor
  let migrations = [EntryPhotoStore.sizeMigration(34)]
  let tables: [ErasedTable] = [.following("entry_photos", "entries")]

  func register(in service: inout ServiceDefinition) {
    let handlers = EntryPhotoHandlers(calendars: calendars, pictures: pictures)
    service.serve(PutEntryPhoto.self, prepare: handlers.prepare, write: handlers.put)
    service.serve(DeleteEntryPhoto.self, write: handlers.delete)
    service.serve(GetEntryPhoto.self, read: handlers.get)
  }
}
