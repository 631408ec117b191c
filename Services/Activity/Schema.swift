import ServiceKit
import Storage

/// The activity service's tables. Migrations are only ever added to.
enum Schema {
  static let migrations = [
    Accounts.migration(1), Activities.migration(2), Entries.migration(3), StepSamplesSchema.migration(4),
    Accounts.settingsMigration(5),
    ActivityVersions.migration(6),
    Entries.detailsMigration(7),
    MovementSchema.migration(8),
    Imports.migration(9),
    EntryChangesSchema.migration(10),
    Timers.migration(11),
    Follows.migration(12), HistoryTables.migration(13), ActiveDays.migration(14),
    ActivitySchema.migration(15),
    CalendarFeeds.migration(16),
    StepGoals.migration(17),
    DashboardCoins.migration(18),
    Ties.migration(19),
    LostDays.migration(20),
    ImportStartsSchema.migration(21),
    ChangeNamesSchema.migration(22),
    MovementMinutes.migration(23),
    CalendarFeeds.makersMigration(24),
    ChangeNamesSchema.contentsMigration(25),
    OpenLimits.migration(26),
    Activities.archiveMigration(27),
    ActivityVersions.boundsMigration(28),
    Ties.daysMigration(29),
    ImportedTotalsSchema.migration(30),
    ChangeAllowance.migration(31),
    MovementSeries.migration(32),
    EndedSessions.migration(33),
    EntryPhotos.sizeMigration(34),
  ]
}
