public import Operations

extension FeatureContract {
  static let activityLists = FeatureContract(operations: [ListActivities.self])
}

/// Lists the account's activities in the order that it chose, with the state of this week's days (ACT-5).
public enum ListActivities: AccountOperation {
  /// Which activities to list; filters combine.
  public struct Input: ListInput, Hashable {
    public var limit: Int?
    public var cursor: PageCursor?
    /// Whether to list the archived activities instead of the others.
    public var isArchived: Bool?
    /// Only activities with this tag.
    public var tag: Tag?
    /// Only activities of this category.
    public var category: ActivityCategory?
    /// Only activities whose title contains this text.
    public var title: String?

    /// The input from its parts.
    public init(
      limit: Int? = nil, cursor: PageCursor? = nil, isArchived: Bool? = nil, tag: Tag? = nil, category: ActivityCategory? = nil,
      title: String? = nil
    ) {
      self.limit = limit
      self.cursor = cursor
      self.isArchived = isArchived
      self.tag = tag
      self.category = category
      self.title = title
    }

    public static let notes = listNotes([
      "isArchived": "`true` for the archived ones; the others if absent.", "tag": "Only those with this tag.",
      "category": "Only those of this category.", "title": ActivityText.titlePart,
    ])
  }

  public typealias Output = ActivityList

  public static let spec = OperationSpec(
    "activities.list", of: .activity, .get("/v1/activities"), by: .account, effect: .read, requirements: ["ACT-5", "ACT-16"],
    "Lists the caller's activities in their order, each with the state of this week's days.")
}

extension ActivityText {
  static var titlePart: Note {
    Note(
      "Only those with this in their title, whatever its case and accents; blank is no filter.",
      length: 0...ContentLimits.current.activityTitle, example: "leer")
  }
}

/// A page of the account's activities.
public struct ActivityList: Document, Hashable {
  /// The page's activities.
  public var items: [ListedActivity]
  /// Give it as `cursor` to get the next page; absent on the last.
  public var nextCursor: PageCursor?
  /// The text that a client shows for an empty list.
  public var message: String?

  /// The page from its parts.
  public init(_ page: Page<ListedActivity>, message: String? = nil) {
    items = page.items
    nextCursor = page.nextCursor
    self.message = message
  }

  public static let notes: Notes = [
    "items": "The page's activities, in the account's order.",
    "nextCursor": "The `cursor` for the next page; absent on the last.",
    "message": Note(
      "For an empty list: what to say to the person, in the caller's language.",
      example: "You have no activities yet. Add the first one!"),
  ]
}

/// An activity as the list of all activities shows it.
public struct ListedActivity: Document, Hashable {
  /// The activity.
  public var activity: Activity
  /// The activity's state today.
  public var state: DayState?
  /// The days of this week, Monday first.
  public var week: [WeekDay]

  /// A listed activity from its parts.
  public init(_ activity: Activity, state: DayState?, week: [WeekDay]) {
    self.activity = activity
    self.state = state
    self.week = week
  }

  public static let notes: Notes = [
    "activity": "The activity.", "state": "Its state today; absent if nothing is planned today.",
    "week": "The days of this week, Monday first.",
  ]
}

/// A day of the week in the list of activities.
public struct WeekDay: Document, Hashable {
  /// The day.
  public var day: LocalDay
  /// The activity's state on the day.
  public var state: DayState?

  /// A day from its parts.
  public init(day: LocalDay, state: DayState?) {
    self.day = day
    self.state = state
  }

  public static let notes: Notes = [
    "day": "The day.", "state": "The activity's state on that day; absent if nothing is planned.",
  ]
}
