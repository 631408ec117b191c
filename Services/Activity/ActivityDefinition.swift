import ActivityContract
import GRDB
import IdentityContract
import Images
import ImportFormats
import Operations
public import Sandbox
public import ServiceKit
import Storage

extension ServiceDefinition {
  /// What the activity service starts its own program anew for.
  public static let activityDecoders: [any SandboxedDecoder.Type] = [PictureDecoder.self, ImportDecoder.self]

  /// The activity service: what people plan and do each day, and how they move.
  public static func activity(_ environment: ServiceEnvironment) -> ServiceDefinition {
    let calendars = AccountCalendars()
    let rules = FairnessRules(environment.settings)
    let spool = ImportSpool(environment.home, program: environment.program)
    let ofActivities = "activity_id IN (SELECT activity_id FROM activities WHERE account_id = :account)"
    let ofWalker = "account_number = (SELECT account_number FROM movement_accounts WHERE account_id = :account)"
    var service = ServiceDefinition(.activity, migrations: Schema.migrations)
    let cleanup = ImportSignal()
    service.keepAccounts(
      whenMoved: { move, transaction in
        try LostDays.note(move, calendars.zones, transaction)
        try OpenLimits.lookAnew(of: move.account, transaction)
      },
      whenWithdrawn: { account, purposes, transaction in
        guard purposes.contains(.activityData) else { return }
        try Imports.endUnconsented(of: account, transaction)
        transaction.afterCommit { cleanup() }
      })
    service.serveCategories()
    service.serveTemplates()
    service.serveActivities(calendars)
    service.serveCalendarFeeds(calendars)
    service.serveDays(calendars)
    let processor = PictureProcessor(program: environment.program, logger: environment.logger)
    service.serveEntries(calendars, processor)
    service.closeLimits(calendars, environment.clock)
    service.serveEntryPhotos(calendars, processor)
    service.serveEntryChanges(calendars)
    service.serveTimers(calendars)
    service.servePauses(calendars)
    service.serveSkips(calendars)
    service.serveCalendars(calendars)
    service.serveSeries(calendars)
    service.serveFollows(calendars)
    service.serveHistory(calendars)
    service.serveStatistics(calendars)
    service.serveMovement(calendars, rules)
    service.serveMovementSources(calendars, rules)
    service.serveImports(calendars, rules, spool, cleanup, environment)
    service.serveStepGoals(calendars)
    service.serveDashboard(calendars)
    service.erase(
      HistoryTables.erased + [
        .rows("follows", "follower_account = :account OR followed_account = :account", .follows),
        .following("import_problems", "imports"),
        .following("import_exercises", "imports"),
        .following("import_days", "imports"),
        .rows("imports", "account_id = :account", .steps).atOnce,
        .rows("imported_habits", "account_id = :account", .activities),
        .following("entry_photos", "entries"),
        .following("entry_places", "entries"),
        .following("entry_stamps", "entries"),
        .following("entry_deletions", "activities", where: ofActivities),
        .following("entry_changes", "activities", where: ofActivities),
        .following("entry_change_names", "activities", where: ofActivities),
        .rows("entry_change_counts", "account_id = :account", .profiles),
        .following("timers", "activities"),
        .following("tie_days", "activities"),
        .rows("entries", "account_id = :account", .entries),
        // Those of days with something done are gone with the entries; what counts none stays.
        .rows("active_days", "account_id = :account", .profiles),
        .following("activity_versions", "activities"),
        .following("activity_pauses", "activities"),
        .following("activity_skips", "activities"),
        .following("activity_reminders", "activities"),
        .following("activity_tags", "activities"),
        .rows("calendar_feeds", "account_id = :account", .activities).atOnce,
        .untouched("ended_sessions", "names no account, and is forgotten after half an hour"),
        .rows("lost_days", "account_id = :account", .activities),
        .rows("activities", "account_id = :account", .activities),
        .following("activity_ties", "activities"),
        .following("movement_sample_pieces", "movement_samples"),
        .rows("movement_samples", ofWalker, .steps),
        .rows("movement_day_sources", ofWalker, .steps),
        .rows("movement_sources", ofWalker, .steps),
        .rows("movement_stale_days", ofWalker, .steps),
        .rows("movement_series", ofWalker, .steps),
        .rows("movement_sketches", ofWalker, .steps),
        .following("movement_sketch_hashes", "movement_sketches"),
        .rows("movement_minutes", ofWalker, .steps),
        .rows("movement_accounts", "account_id = :account", .steps),
        .rows("movement_days", "account_id = :account", .steps),
        .rows("movement_months", "account_id = :account", .steps),
        .following("step_goal_stages", "step_goals"),
        .rows("step_goals", "account_id = :account", .steps),
        .rows("dashboard_transfers", "account_id = :account", .coins),
        .rows("dashboard_coins", "account_id = :account", .coins),
      ], environment, isAccountLast: true, clean: { erasure, _ in try await spool.removeAll(of: erasure.account) },
      compact: EntryComments.purge)
    service.publishSnapshot(
      SnapshotParts([
        ("activities", [ActivityChanged.self], Activities.snapshot), ("entries", [EntryRecorded.self], Entries.snapshot),
        ("movement", [MovementChanged.self], MovementDays.snapshot), ("stepGoals", [StepGoalChanged.self], StepGoals.snapshot),
      ]).page)
    return service
  }
}
