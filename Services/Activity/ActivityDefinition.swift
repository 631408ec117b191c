import ActivityContract
import GRDB
import Operations
public import ServiceKit
import Storage

extension ServiceDefinition {
  /// The activity service: what people plan and do each day, and how they move.
  public static func activity(_ environment: ServiceEnvironment) -> ServiceDefinition {
    let calendars = AccountCalendars()
    var service = ServiceDefinition(
      .activity,
      migrations: [
        Accounts.migration(1), Activities.migration(2), Entries.migration(3), StepSamples.migration(4),
        Accounts.settingsMigration(5),
      ])
    service.keepAccounts()
    service.serveCategories()
    service.serveActivities(calendars)
    service.serveDays(calendars)
    service.serveEntries(calendars)
    service.serveSteps(calendars)
    service.tellSnapshot(
      SnapshotParts([
        ("activities", Activities.snapshot), ("entries", Entries.snapshot), ("steps", StepTotals.snapshot),
      ]).page)
    return service
  }
}
