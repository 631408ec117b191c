public import Operations

extension FeatureContract {
  static let days = FeatureContract(operations: [GetDay.self])
}

/// A day as clients name it: a date of ``PlannableDays`` such as `2026-11-21`, or `today` for the account's present day.
public enum DayName: TextValue {
  /// The account's present local day.
  case today
  /// That day.
  case day(LocalDay)

  public init(text: String) throws(FieldRule) {
    self = text == "today" ? .today : .day(try PlannableDays.required(try LocalDay(text: text)))
  }

  public var description: String {
    switch self {
    case .today: "today"
    case .day(let day): day.description
    }
  }

  public static let placeholder = DayName.today

  public static let schema: JSON = [
    "type": "string", "pattern": "^(today|[0-9]{4}-[0-9]{2}-[0-9]{2})$", "examples": ["today", "2026-11-21"],
  ]
}

/// The state of an activity on a day (ACT-3).
public enum DayState: String, Choice {
  /// The goal is reached; for a limit: the day is over and the limit was not exceeded.
  case done
  /// Some progress, short of the goal.
  case partly
  /// The day is over without any progress; for a limit: it is exceeded.
  case failed
  /// The day is not over and has no progress yet; for a limit: it is not exceeded so far.
  case pending
  /// For activities of so many times a week: there is no progress, and either the week already has as many days as it asks for, or the day
  /// is over and its week was not missed because of it. The activity stays in the day's list: doing it again is welcome and counts.
  case free
  /// The account skips the day, or lost it by travelling.
  case skipped
  /// The activity is paused.
  case paused
}

/// An activity as a day's list shows it.
public struct PlannedActivity: Document, Hashable {
  /// Names the activity.
  public var id: ActivityID
  /// The activity's title.
  public var title: String
  /// The account's reason for doing the activity.
  public var reason: String?
  /// The activity's category.
  public var category: ActivityCategory
  /// Name of the category's icon.
  public var icon: String
  /// The goal of the day.
  public var goal: Goal
  /// The activity's state on the day.
  public var state: DayState
  /// For a quantity: how much is done.
  public var amount: Double?
  /// For a duration: how long was spent.
  public var durationSeconds: Int?

  /// A planned activity from its parts; the icon is its category's.
  public init(
    id: ActivityID, title: String, reason: String?, category: ActivityCategory, goal: Goal, state: DayState, amount: Double?,
    durationSeconds: Int?
  ) {
    self.id = id
    self.title = title
    self.reason = reason
    self.category = category
    icon = category.icon
    self.goal = goal
    self.state = state
    self.amount = amount
    self.durationSeconds = durationSeconds
  }

  public static let notes: Notes = [
    "id": "Id of the activity.", "title": "Its title.", "reason": "The account's reason to do it.",
    "category": "What kind of thing it is.", "icon": "Name of the category's icon, as in the Lucide set.",
    "goal": "The goal of the day.",
    "state": Note(StreakText.states),
    "amount": "For a quantity: the amount done.", "durationSeconds": "For a duration: the time spent.",
  ]
}

/// What is planned on a day.
public struct DayPlan: Document, Hashable {
  /// The day.
  public var day: LocalDay
  /// What is planned, in the account's order.
  public var activities: [PlannedActivity]

  /// The plan from its parts.
  public init(day: LocalDay, activities: [PlannedActivity]) {
    self.day = day
    self.activities = activities
  }

  public static let notes: Notes = ["day": "The day.", "activities": "The planned activities, in the account's order."]
}

/// The day of a list as clients ask for it: `today`, a day of ``PlannableDays``, or a month such as `2026-11`, which means its first day.
public enum ListedDay: TextValue {
  /// The account's present local day.
  case today
  /// That day.
  case day(LocalDay)

  public init(text: String) throws(FieldRule) {
    guard text != "today" else {
      self = .today
      return
    }
    let day: LocalDay
    do {
      day = try LocalDay(text: text.utf8.count == 7 ? "\(text)-01" : text)
    } catch {
      throw FieldRule("not_a_day_or_month")
    }
    self = .day(try PlannableDays.required(day))
  }

  public var description: String {
    switch self {
    case .today: "today"
    case .day(let day): day.description
    }
  }

  public static let placeholder = ListedDay.today

  public static let schema: JSON = [
    "type": "string", "pattern": "^(today|[0-9]{4}-[0-9]{2}(-[0-9]{2})?)$", "examples": ["today", "2026-11-21", "2026-11"],
  ]
}

/// Returns what is planned on a day, and how far it is done (ACT-3); filters combine (ACT-4).
public enum GetDay: AccountOperation {
  /// Which day, and which of its activities.
  public struct Input: Document, Hashable {
    /// The day, or today, or a month's first day.
    public var day: ListedDay
    /// Only activities whose title contains this text.
    public var title: String?
    /// Only activities of this category.
    public var category: ActivityCategory?
    /// Only activities with this kind of goal.
    public var goalKind: Goal.Kind?

    /// The input from its parts.
    public init(
      day: ListedDay, title: String? = nil, category: ActivityCategory? = nil, goalKind: Goal.Kind? = nil
    ) {
      self.day = day
      self.title = title
      self.category = category
      self.goalKind = goalKind
    }

    public static let notes: Notes = [
      "day": "A day such as `2026-11-21`, from 1970-01-01 to 2199-12-31, `today`, or a month such as `2026-11`: its first day.",
      "title": ActivityText.titlePart,
      "category": "Only activities of this category.", "goalKind": "Only activities with this kind of goal.",
    ]
  }

  public typealias Output = DayPlan

  public static let spec = OperationSpec(
    "days.get", of: .activity, .get("/v1/days/{day}"), by: .account, effect: .read, requirements: ["ACT-3", "ACT-4"],
    "Returns what is planned on a day, and how much of it is done.")
}
