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
    let rules = FairnessRules(environment.settings)
    let ofWalker = "account_number = (SELECT account_number FROM movement_accounts WHERE account_id = :account)"
    var service = ServiceDefinition(
      .activity,
      migrations: [
        Accounts.migration(1), Activities.migration(2), Entries.migration(3), StepSamplesSchema.migration(4),
        Accounts.settingsMigration(5),
        ActivityVersions.migration(6),
        Entries.detailsMigration(7),
        EntryChangesSchema.migration(8),
        Timers.migration(9),
        MovementSchema.migration(10),
        StepGoals.migration(11),
        DashboardCoins.migration(12),
        Ties.migration(13),
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
    service.serveMovement(calendars, rules)
    service.serveMovementSources(calendars, rules)
    service.serveStepGoals(calendars)
    service.serveDashboard(calendars)
    service.erase(
      [
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
        .following("activity_ties", "activities"),
        .following("movement_sample_pieces", "movement_samples"),
        .rows("movement_samples", ofWalker, .steps),
        .rows("movement_day_sources", ofWalker, .steps),
        .rows("movement_sources", ofWalker, .steps),
        .rows("movement_stale_days", ofWalker, .steps),
        .rows("movement_series", ofWalker, .steps),
        .rows("movement_accounts", "account_id = :account", .steps),
        .rows("movement_days", "account_id = :account", .steps),
        .rows("movement_months", "account_id = :account", .steps),
        .following("step_goal_stages", "step_goals"),
        .rows("step_goals", "account_id = :account", .steps),
        .rows("dashboard_transfers", "account_id = :account", .coins),
        .rows("dashboard_coins", "account_id = :account", .coins),
      ], environment)
    service.tellSnapshot(
      SnapshotParts([
        ("activities", Activities.snapshot), ("entries", Entries.snapshot), ("movement", MovementDays.snapshot),
        ("stepGoals", StepGoals.snapshot),
      ]).page)
    return service
  }
}
