public import Operations

extension FeatureContract {
  static let series = FeatureContract(operations: [GetSeries.self])
}

/// The period that a bar chart covers (ACT-11).
public enum SeriesPeriod: String, Choice {
  /// Monday to Sunday, one bar per day.
  case week
  /// The first to the last day of the month, one bar per day.
  case month
  /// The weeks whose Thursday lies in the quarter, one bar per week.
  case quarter
}

/// The progress of an activity as a bar chart shows it (ACT-11).
public struct ActivitySeries: Document, Hashable {
  /// The period.
  public var period: SeriesPeriod
  /// The first day.
  public var firstDay: LocalDay
  /// The last day.
  public var lastDay: LocalDay
  /// A day of the preceding period; absent before 1970.
  public var previousDay: LocalDay?
  /// A day of the following period; absent after 2199.
  public var nextDay: LocalDay?
  /// The unit of a quantity.
  public var unit: String?
  /// The bars, oldest first.
  public var bars: [SeriesBar]
  /// The whole period.
  public var total: SeriesBar

  /// A series from its parts.
  public init(
    period: SeriesPeriod, firstDay: LocalDay, lastDay: LocalDay, previousDay: LocalDay?, nextDay: LocalDay?, unit: String?,
    bars: [SeriesBar], total: SeriesBar
  ) {
    self.period = period
    self.firstDay = firstDay
    self.lastDay = lastDay
    self.previousDay = previousDay
    self.nextDay = nextDay
    self.unit = unit
    self.bars = bars
    self.total = total
  }

  public static let notes: Notes = [
    "period": "The length of the period.", "firstDay": "The first day.", "lastDay": "The last day.",
    "previousDay": "The `day` to request for the period before; absent before 1970.",
    "nextDay": "The `day` to request for the period after; absent after 2199.",
    "unit": "For a quantity: what is counted. Days on which something else was counted are left out of sums.",
    "bars": "One bar for each day of a week or month, or for each week of a quarter; oldest first.", "total": "The whole period.",
  ]
}

/// A bar of a chart: what was done on some days, and their goals.
public struct SeriesBar: Document, Hashable {
  /// The first of the days.
  public var firstDay: LocalDay
  /// The last of them.
  public var lastDay: LocalDay
  /// How many days were due so far.
  public var dueDays: Int
  /// How many days were done.
  public var doneDays: Int
  /// For a quantity: how much was done.
  public var amount: Double?
  /// For a quantity: how much all of the days ask for.
  public var goalAmount: Double?
  /// For a duration: how long was spent.
  public var durationSeconds: Int?
  /// For a duration: how long all of the days ask for.
  public var goalDurationSeconds: Int?
  /// The share of what was due so far that was reached, from 0 to 1.
  public var share: Double?

  /// Creates a bar without anything due.
  public init(firstDay: LocalDay, lastDay: LocalDay) {
    self.firstDay = firstDay
    self.lastDay = lastDay
    dueDays = 0
    doneDays = 0
  }

  public static let notes: Notes = [
    "firstDay": "The first of its days.", "lastDay": "The last of its days.",
    "dueDays": "The number of days due up to today, without paused and skipped ones.",
    "doneDays": "The number of days that were done; may exceed `dueDays` for a schedule of so many times a week.",
    "amount": "For a quantity: the amount done.",
    "goalAmount": "For a quantity: the goals, or limits, of all of the days together.",
    "durationSeconds": "For a duration: the time spent.",
    "goalDurationSeconds": "For a duration: the goals, or limits, of all of the days together.",
    "share": Note(
      """
      The part reached of what was due up to today: the mean of the days, where no day counts more than its goal, and a day with a \
      limit counts as 1 or, if the limit is exceeded, as 0. Absent if nothing was due.
      """, range: 0...1, example: .number(0.857)),
  ]
}

/// Returns an activity's progress for a bar chart (ACT-11).
public enum GetSeries: AccountOperation {
  /// The activity and the period.
  public struct Input: Document {
    /// Names the activity.
    public var activityID: ActivityID
    /// The period; a week by default.
    public var period: SeriesPeriod?
    /// A day within the period; today by default.
    public var day: DayName?

    /// The input from its parts.
    public init(activityID: ActivityID, period: SeriesPeriod? = nil, day: DayName? = nil) {
      self.activityID = activityID
      self.period = period
      self.day = day
    }

    public static let notes: Notes = [
      "activityID": "Id of the activity.",
      "period": """
      `week` (if absent): Monday to Sunday, one bar a day; `month`: one bar a day; `quarter`: the 12 to 14 weeks whose Thursday lies in \
      the quarter, one bar a week.
      """,
      "day": "A day of it, from `1970-01-01` to `2199-12-31`, or `today` (if absent).",
    ]
  }

  public typealias Output = ActivitySeries

  public static let spec = OperationSpec(
    "series.get", of: .activity, .get("/v1/activities/{activityID}/series"), by: .account, effect: .read,
    failures: [ActivityFailure.notFound.kind], requirements: ["ACT-11"], "Returns an activity's progress for a bar chart.")
}
