import ActivityContract
import Images
import ImportFormats
import Operations
public import Sandbox
public import ServiceKit

/// The activity service: what people plan and do each day, and how they move.
///
/// The name is plural, because an `Activity` is one of its records.
public enum Activities {
  /// The decoders for which the service starts its own program as a separate process.
  public static let decoders: [any SandboxedDecoder.Type] = [PictureDecoder.self, ImportDecoder.self]

  /// The body of the service's executable.
  public static func main() -> Never { ServiceProcess.start(.activity, decoders: decoders) { service($0) } }

  /// The service as its executable and the tests run it.
  public static func service(_ environment: ServiceEnvironment) -> ServiceDefinition {
    ServiceDefinition(.activity, environment, features: features(environment))
  }

  /// All features of the service. Each comes after those that it depends on, except for statistics.
  static func features(_ environment: ServiceEnvironment) -> [any Feature] {
    let calendars = AccountCalendars()
    let pictures = PictureProcessor(program: environment.program, logger: environment.logger)
    let rules = FairnessRules(environment.settings)
    let recount = WakeSignal()
    let deletions = WakeSignal()
    return [
      // Automatic work, such as closing limits, needs an account's days as long as any of its data exists.
      AccountsFeature(migrations: (table: 1, settings: 5, people: 35, enrollment: 38, everyone: 50), isErasedLast: true),
      LocalDayFeature(calendars: calendars),
      FollowFeature(calendars: calendars),
      CategoryFeature(),
      TemplateFeature(),
      PlanFeature(),
      ActivityFeature(calendars: calendars, deletions: deletions),
      PauseFeature(calendars: calendars),
      SkipFeature(calendars: calendars),
      // Triggers of entries maintain its days, so they are erased after the entries.
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
      // After every feature whose tables mark a streak.
      StreakFeature(calendars: calendars, clock: environment.clock),
      ReminderFeature(calendars: calendars, environment: environment),
      ChallengeActivityFeature(calendars: calendars),
      ReportedEntryFeature(calendars: calendars),
      // After every feature whose rows belong to an activity.
      DeletedActivityFeature(signal: deletions),
      StepGoalFeature(calendars: calendars, rules: rules.stepGoals),
      InactivityFeature(calendars: calendars, clock: environment.clock),
      ImportFeature(calendars: calendars, rules: rules, environment),
      DashboardFeature(calendars: calendars),
      ActivityWeekFeature(calendars: calendars),
    ]
  }
}
