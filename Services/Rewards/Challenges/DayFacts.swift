import RewardsContract

/// What counted on a day, or in several together.
struct DayFacts: Hashable, Sendable {
  /// Steps that may earn.
  var steps = 0
  /// Whole metres walked that may earn.
  var walking = 0
  /// Whole metres run that may earn.
  var running = 0
  /// Whole metres cycled that may earn.
  var cycling = 0
  /// Activities whose goal was reached.
  var entries = 0
  /// Tasks whose completion was confirmed.
  var tasks = 0
  /// Tasks in which help was thanked for.
  var helps = 0

  /// How much there is of a metric; nil for those that are not counted by days. Days in a row are rows of days with steps.
  subscript(metric: ChallengeMetric) -> Int? {
    switch metric {
    case .steps, .daysInARow: steps
    case .walkingMeters: walking
    case .runningMeters: running
    case .cyclingMeters: cycling
    case .entries: entries
    case .tasksConfirmed: tasks
    case .helpGiven: helps
    case .activityStreak, .teams, .friends, .activities: nil
    }
  }
}

extension ChallengeMetric {
  /// The column that holds what counts of it on each day; nil for what is not counted by days.
  var column: String? {
    switch self {
    case .steps, .daysInARow: "steps"
    case .walkingMeters: "walking"
    case .runningMeters: "running"
    case .cyclingMeters: "cycling"
    case .entries: "entries"
    case .tasksConfirmed: "tasks"
    case .helpGiven: "helps"
    case .activityStreak, .teams, .friends, .activities: nil
    }
  }

  /// Those that are counted by days.
  static let byDays = ChallengeMetric.allCases.filter { $0.column != nil }
}
