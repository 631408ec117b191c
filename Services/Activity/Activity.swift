import ActivityContract
import Images
import ImportFormats
import Operations
public import Sandbox
public import ServiceKit

/// The activity service: what people plan and do each day, and how they move.
///
/// Its name is in the plural, since an `Activity` is what it keeps.
public enum Activities {
  /// What it starts its own program anew for.
  public static let decoders: [any SandboxedDecoder.Type] = [PictureDecoder.self, ImportDecoder.self]

  /// The body of the service's executable.
  public static func main() -> Never { ServiceProcess.start(.activity, decoders: decoders) { service($0) } }

  /// The service as its executable and the tests run it.
  public static func service(_ environment: ServiceEnvironment) -> ServiceDefinition {
    ServiceDefinition(.activity, environment, features: features(environment))
  }

  /// All of it. Each stands behind those that it builds on, but for statistics.
  static func features(_ environment: ServiceEnvironment) -> [any Feature] {
    let calendars = AccountCalendars()
    let pictures = PictureProcessor(program: environment.program, logger: environment.logger)
    let rules = FairnessRules(environment.settings)
    let recount = WakeSignal()
    let deletions = WakeSignal()
    return [
      // What is done by itself, such as limits, needs an account's days as long as there is anything of it.
      AccountsFeature(migrations: (table: 1, settings: 5, people: 35, enrollment: 38), isErasedLast: true),
      LocalDayFeature(calendars: calendars),
      FollowFeature(calendars: calendars),
      CategoryFeature(),
      TemplateFeature(),
      PlanFeature(),
      ActivityFeature(calendars: calendars, deletions: deletions),
      PauseFeature(calendars: calendars),
      SkipFeature(calendars: calendars),
      // Its days are kept by triggers of entries: those that are left behind them are erased.
      StatisticsFeature(calendars: calendars),
      EntryFeature(calendars: calendars, pictures: pictures, clock: environment.clock),
      EntryPhotoFeature(calendars: calendars, pictures: pictures),
      EntryChangeFeature(calendars: calendars),
      TimerFeature(calendars: calendars),
      DayFeature(calendars: calendars),
      CalendarFeature(calendars: calendars),
      SeriesFeature(calendars: calendars),
      CalendarFeedFeature(calendars: calendars),
      HistoryFeature(calendars: calendars),
      MovementSourceFeature(recount: recount),
      MovementSampleFeature(calendars: calendars, rules: rules),
      FairnessFeature(),
      MovementDayFeature(calendars: calendars, rules: rules, recount: recount),
      MovementTieFeature(),
      // Behind all whose tables mark a streak.
      StreakFeature(calendars: calendars, clock: environment.clock),
      ReminderFeature(calendars: calendars, environment: environment),
      ChallengeActivityFeature(calendars: calendars),
      ReportedEntryFeature(calendars: calendars),
      // Behind all whose rows hang on an activity.
      DeletedActivityFeature(signal: deletions),
      StepGoalFeature(calendars: calendars, rules: rules.stepGoals),
      InactivityFeature(calendars: calendars, clock: environment.clock),
      ImportFeature(calendars: calendars, rules: rules, environment),
      DashboardFeature(calendars: calendars),
      ActivityWeekFeature(calendars: calendars),
    ]
  }
}
