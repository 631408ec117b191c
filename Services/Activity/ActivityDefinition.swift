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
    let spool = ImportSpool(environment.home)
    let ofWalker = "account_number = (SELECT account_number FROM step_accounts WHERE account_id = :account)"
    var service = ServiceDefinition(
      .activity,
      migrations: [
        Accounts.migration(1), Activities.migration(2), Entries.migration(3), StepSamples.migration(4),
        Accounts.settingsMigration(5),
        ActivityVersions.migration(6),
        Imports.migration(7),
      ])
    service.keepAccounts()
    service.serveCategories()
    service.serveActivities(calendars)
    service.serveDays(calendars)
    service.serveEntries(calendars)
    service.serveSteps(calendars)
    service.serveImports(calendars, spool, environment)
    service.erase(
      [
        .following("import_problems", "imports"),
        .following("import_exercises", "imports"),
        .following("import_days", "imports"),
        .rows("imports", "account_id = :account", .steps),
        .rows("imported_habits", "account_id = :account", .activities),
        .rows("entries", "activity_id IN (SELECT activity_id FROM activities WHERE account_id = :account)", .entries),
        .following("activity_versions", "activities"),
        .following("activity_pauses", "activities"),
        .following("activity_skips", "activities"),
        .rows("activities", "account_id = :account", .activities),
        .following("step_sample_days", "step_samples"),
        .rows("step_samples", ofWalker, .steps),
        .rows("step_sources", ofWalker, .steps),
        .rows("step_accounts", "account_id = :account", .steps),
        .rows("step_totals", "account_id = :account", .steps),
      ], environment, clean: { erasure, _ in try await spool.removeAll(of: erasure.account) })
    service.tellSnapshot(
      SnapshotParts([
        ("activities", Activities.snapshot), ("entries", Entries.snapshot), ("steps", StepTotals.snapshot),
      ]).page)
    return service
  }
}
