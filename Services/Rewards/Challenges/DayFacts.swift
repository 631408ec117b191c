import RewardsContract

/// What counts on a day, or on several days together.
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
  /// Tasks in which the account was thanked for help.
  var helps = 0

  /// The amount of a metric; nil for metrics that are not counted by day. Days in a row are computed from days with steps.
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
  /// The column with the metric's amount on each day; nil for metrics that are not counted by day.
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

  /// The metrics that are counted by day.
  static let byDays = ChallengeMetric.allCases.filter { $0.column != nil }
}
