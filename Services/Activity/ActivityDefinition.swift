import ActivityContract
import GRDB
import IdentityContract
import Images
import Operations
public import ServiceKit
import Storage

extension ServiceDefinition {
  /// The activity service: what people plan and do each day, and how they move.
  public static func activity(_ environment: ServiceEnvironment) -> ServiceDefinition {
    let calendars = AccountCalendars()
    let ofWalker = "account_number = (SELECT account_number FROM step_accounts WHERE account_id = :account)"
    var service = ServiceDefinition(
      .activity,
      migrations: [
        Accounts.migration(1), Activities.migration(2), Entries.migration(3), StepSamples.migration(4),
        Accounts.settingsMigration(5),
        ActivityVersions.migration(6),
        Entries.detailsMigration(7),
        EntryChangesSchema.migration(8),
        Timers.migration(9),
        Follows.migration(10), HistoryTables.migration(11), ActiveDays.migration(12),
      ])
    service.keepAccounts()
    service.serveCategories()
    service.serveActivities(calendars)
    service.serveDays(calendars)
    let desk = PictureDesk()
    service.serveEntries(calendars, desk)
    service.serveEntryPhotos(calendars, desk)
    service.serveEntryChanges(calendars)
    service.serveTimers(calendars)
    service.serveSteps(calendars)
    service.serveFollows(calendars)
    service.serveHistory(calendars)
    service.serveStatistics(calendars)
    service.erase(
      HistoryTables.erased + [
        .rows("follows", "follower_account = :account OR followed_account = :account", .follows),
        .rows("active_days", "account_id = :account", .entries),
        .following("entry_photos", "entries"),
        .following("entry_places", "entries"),
        .following("entry_stamps", "entries"),
        .following("entry_deletions", "activities"),
        .following("entry_changes", "activities"),
        .following("timers", "activities"),
        .rows("entries", "account_id = :account", .entries),
        .following("activity_versions", "activities"),
        .following("activity_pauses", "activities"),
        .following("activity_skips", "activities"),
        .rows("activities", "account_id = :account", .activities),
        .following("step_sample_days", "step_samples"),
        .rows("step_samples", ofWalker, .steps),
        .rows("step_sources", ofWalker, .steps),
        .rows("step_accounts", "account_id = :account", .steps),
        .rows("step_totals", "account_id = :account", .steps),
      ], environment, clean: { _, store in try await EntryComments.purge(store) })
    service.tellSnapshot(
      SnapshotParts([
        ("activities", Activities.snapshot), ("entries", Entries.snapshot), ("steps", StepTotals.snapshot),
      ]).page)
    return service
  }
}
