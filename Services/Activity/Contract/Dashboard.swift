public import Operations

extension FeatureContract {
  static let dashboard = FeatureContract(operations: [GetDashboard.self])
}

/// A day's movement and coins, as the dashboard's history shows it.
public struct DashboardDay: Document, Hashable {
  /// The day.
  public var day: LocalDay
  /// How many steps.
  public var steps: Int
  /// Metres walked.
  public var walkingMeters: Double
  /// Metres run.
  public var runningMeters: Double
  /// Metres cycled.
  public var cyclingMeters: Double
  /// Coins earned on that day, less those taken back.
  public var coins: Int

  /// A day from its parts.
  public init(
    day: LocalDay, steps: Int, walkingMeters: Double = 0, runningMeters: Double = 0, cyclingMeters: Double = 0, coins: Int
  ) {
    self.day = day
    self.steps = steps
    self.walkingMeters = walkingMeters
    self.runningMeters = runningMeters
    self.cyclingMeters = cyclingMeters
    self.coins = coins
  }

  public static let notes: Notes = [
    "day": "The local day.", "steps": Note("The number of steps.", example: 8043), "walkingMeters": "Metres walked.",
    "runningMeters": "Metres run.", "cyclingMeters": "Metres cycled.",
    "coins": Note("Coins earned on that day, less those taken back.", example: 80),
  ]
}

/// The most steps of a day.
public struct BestDay: Document, Hashable {
  /// The day.
  public var day: LocalDay
  /// Its steps.
  public var steps: Int

  /// A best day from its parts.
  public init(day: LocalDay, steps: Int) {
    self.day = day
    self.steps = steps
  }

  public static let notes: Notes = ["day": "The local day; the first one of several with as many steps.", "steps": "Its steps."]
}

/// Totals of a range of days.
public struct MovementSummary: Document, Hashable {
  /// The first day; for all time, the first day with a measurement.
  public var from: LocalDay
  /// Today.
  public var to: LocalDay
  /// How many steps.
  public var steps: Int
  /// Metres walked.
  public var walkingMeters: Double
  /// Metres run.
  public var runningMeters: Double
  /// Metres cycled.
  public var cyclingMeters: Double
  /// Coins earned, less those taken back.
  public var coins: Int
  /// Average steps per day from the first day to today, rounded down.
  public var averageSteps: Int
  /// The day with the most steps; none where there are no steps.
  public var bestDay: BestDay?
  /// Steps of the preceding period, which has as many days; none for all time.
  public var stepsBefore: Int?
  /// The change from the preceding period in per cent; none where that period has no steps.
  public var trendPercent: Int?

  /// A summary from its parts.
  public init(
    from: LocalDay, to: LocalDay, steps: Int, walkingMeters: Double, runningMeters: Double, cyclingMeters: Double, coins: Int,
    averageSteps: Int, bestDay: BestDay?, stepsBefore: Int?, trendPercent: Int?
  ) {
    self.from = from
    self.to = to
    self.steps = steps
    self.walkingMeters = walkingMeters
    self.runningMeters = runningMeters
    self.cyclingMeters = cyclingMeters
    self.coins = coins
    self.averageSteps = averageSteps
    self.bestDay = bestDay
    self.stepsBefore = stepsBefore
    self.trendPercent = trendPercent
  }

  public static let notes: Notes = [
    "from": "The first day; of all time, the first on which anything was measured.", "to": "Today.",
    "steps": Note("The number of steps.", example: 42_017), "walkingMeters": "Metres walked.", "runningMeters": "Metres run.",
    "cyclingMeters": "Metres cycled.", "coins": Note("Coins earned, less those taken back.", example: 420),
    "averageSteps": Note("Steps a day, over all days from the first to today, rounded down.", example: 7002),
    "bestDay": "The day with the most steps; absent without any steps.",
    "stepsBefore": Note(
      "Steps of the period before, over the same number of days; absent for all time.", example: 38_500),
    "trendPercent": Note(
      "The change from the period before in per cent, negative for fewer steps; absent if there were none before.", example: 9),
  ]
}

/// How an account moves, at a glance (MOVE-4).
public struct Dashboard: Document, Hashable {
  /// Today, compared with yesterday.
  public var today: MovementSummary
  /// The week from Monday to today.
  public var week: MovementSummary
  /// The month from its first day to today.
  public var month: MovementSummary
  /// All time.
  public var allTime: MovementSummary
  /// The step goals that are set.
  public var goals: [StepGoal]
  /// The days within the last 30 on which anything was measured or earned, newest first.
  public var history: [DashboardDay]

  /// A dashboard from its parts.
  public init(
    today: MovementSummary, week: MovementSummary, month: MovementSummary, allTime: MovementSummary, goals: [StepGoal],
    history: [DashboardDay]
  ) {
    self.today = today
    self.week = week
    self.month = month
    self.allTime = allTime
    self.goals = goals
    self.history = history
  }

  public static let notes: Notes = [
    "today": "Today, compared with the whole of yesterday.", "week": "From Monday on.",
    "month": "From the first of the month on.", "allTime": "All time.", "goals": "The step goals that are set.",
    "history": "Those of the last 30 days with movement or earned coins, newest first.",
  ]
}

/// Returns the dashboard.
public enum GetDashboard: AccountOperation {
  public typealias Input = Empty
  public typealias Output = Dashboard

  public static let spec = OperationSpec(
    "dashboard.get", of: .activity, .get("/v1/dashboard"), by: .account, effect: .read, requirements: ["MOVE-4", "MOVE-5"],
    "Returns the caller's movement of today, this week, this month and all time, with coins, goals and history.")
}
