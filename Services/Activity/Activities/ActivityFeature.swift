import ActivityContract
import IdentityContract
import ServiceKit
import Storage

/// Activities: made, listed, edited, ordered, archived, deleted.
struct ActivityFeature: Feature {
  let calendars: AccountCalendars
  /// Wakes the worker that removes rows of deleted activities.
  let deletions: WakeSignal
  let migrations = [
    ActivityStore.migration(2), ActivityStore.detailsMigration(15), ActivityStore.archiveMigration(27),
    ActivityStore.positionMigration(40),
  ]
  let tables: [ErasedTable] = [
    .following("activity_reminders", "activities"),
    .following("activity_tags", "activities"),
    .rows("activities", "account_id = :account", .activities),
  ]
  let snapshot = [SnapshotPart("activities", ActivityChanged.self, page: ActivityStore.snapshot)]

  func register(in service: inout ServiceDefinition) {
    let handlers = ActivityHandlers(calendars: calendars, deletions: deletions)
    service.serve(CreateActivity.self, write: handlers.create)
    service.serve(ListActivities.self, read: handlers.list)
    service.serve(GetActivity.self, read: handlers.get)
    service.serve(UpdateActivity.self, write: handlers.update)
    service.serve(DeleteActivity.self, write: handlers.delete)
    service.serve(ArchiveActivity.self, write: handlers.archive)
    service.serve(UnarchiveActivity.self, write: handlers.unarchive)
    service.serve(ReorderActivity.self, write: handlers.reorder)
  }
}
