import ActivityContract
import IdentityContract
import Images
import Operations
import ServiceKit
import Storage

/// Entries: a day's progress, comment and location; and limits, which are evaluated when their days are over.
struct EntryFeature: Feature {
  let calendars: AccountCalendars
  let pictures: PictureProcessor
  let clock: Clock
  let migrations = [EntryStore.migration(3), EntryStore.detailsMigration(7), OpenLimitStore.migration(26)]
  let tables: [ErasedTable] = [
    .following("entry_places", "entries"),
    .rows("entries", "account_id = :account", .entries),
  ]
  let snapshot = [SnapshotPart("entries", EntryRecorded.self, page: EntryStore.snapshot)]

  func register(in service: inout ServiceDefinition) {
    let handlers = EntryHandlers(calendars: calendars, pictures: pictures)
    service.serve(RecordEntry.self, prepare: handlers.prepareForm, write: handlers.record)
    service.serve(CreateEntry.self, prepare: handlers.prepareNewForm, write: handlers.create)
    service.serve(IncrementEntry.self, write: handlers.increment)
    service.serve(GetEntry.self, read: handlers.get)
    service.serve(UpdateEntry.self, prepare: handlers.prepareEdit, write: handlers.update)
    service.serve(DeleteEntry.self, write: handlers.delete)
    service.run { [calendars, clock] store in OpenLimitWorker(store: store, calendars: calendars, clock: clock) }
  }

  func accountMoved(_ move: AccountMove, _ transaction: Transaction) throws {
    try OpenLimitStore.recheck(of: move.account, transaction)
  }
}
