import ActivityContract
import GRDB
import IdentityContract
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
        LostDays.migration(7),
        ActivitySchema.migration(8),
        CalendarFeeds.migration(9),
      ])
    service.keepAccounts { move, transaction in try LostDays.note(move, calendars.zones, transaction) }
    service.serveCategories()
    service.serveTemplates()
    service.serveActivities(calendars)
    service.serveCalendarFeeds(calendars)
    service.serveDays(calendars)
    service.serveEntries(calendars)
    service.servePauses(calendars)
    service.serveSkips(calendars)
    service.serveCalendars(calendars)
    service.serveSeries(calendars)
    service.serveSteps(calendars)
    service.erase(
      [
        .rows("entries", "activity_id IN (SELECT activity_id FROM activities WHERE account_id = :account)", .entries),
        .following("activity_versions", "activities"),
        .following("activity_pauses", "activities"),
        .following("activity_skips", "activities"),
        .following("activity_reminders", "activities"),
        .following("activity_tags", "activities"),
        .rows("calendar_feeds", "account_id = :account", .activities),
        .rows("lost_days", "account_id = :account", .activities),
        .rows("activities", "account_id = :account", .activities),
        .following("step_sample_days", "step_samples"),
        .rows("step_samples", ofWalker, .steps),
        .rows("step_sources", ofWalker, .steps),
        .rows("step_accounts", "account_id = :account", .steps),
        .rows("step_totals", "account_id = :account", .steps),
      ], environment)
    service.tellSnapshot(
      SnapshotParts([
        ("activities", Activities.snapshot), ("entries", Entries.snapshot), ("steps", StepTotals.snapshot),
      ]).page)
    return service
  }
}
