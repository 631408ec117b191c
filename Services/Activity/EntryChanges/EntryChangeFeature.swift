import ActivityContract
import IdentityContract
import ServiceKit
import Storage

/// Changes of entries: offline changes are merged, lost writes are kept as history, and the last change can be undone (ACT-7, ACT-17).
struct EntryChangeFeature: Feature {
  /// Selects the rows of the account's activities.
  private static let owned = "activity_id IN (SELECT activity_id FROM activities WHERE account_id = :account)"

  /// The maximum number of changes in a normal batch; a larger batch counts as a large write.
  private static let maxTogether = 20

  let calendars: AccountCalendars
  let migrations = [
    EntryChangeStore.migration(10), ChangeNameStore.migration(22), ChangeNameStore.contentsMigration(25),
    ChangeAllowanceStore.migration(31),
  ]
  let tables: [ErasedTable] = [
    .following("entry_stamps", "entries"),
    .following("entry_deletions", "activities", where: owned),
    .following("entry_changes", "activities", where: owned),
    .following("entry_change_names", "activities", where: owned),
    .rows("entry_change_counts", "account_id = :account", .profiles),
  ]

  func register(in service: inout ServiceDefinition) {
    let handlers = EntryChangeHandlers(calendars: calendars)
    service.serve(
      SyncEntries.self, prepare: handlers.prepareSync, write: handlers.sync, isLarge: { $0.changes.count > Self.maxTogether })
    service.serve(ListEntryChanges.self, read: handlers.list)
    service.serve(DeleteEntryChanges.self, write: handlers.forget)
    service.serve(UndoEntry.self, write: handlers.undo)
  }
}
