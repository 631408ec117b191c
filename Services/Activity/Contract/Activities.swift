public import Operations

extension FeatureContract {
  static let activities = FeatureContract(operations: [CreateActivity.self, GetActivity.self])
}

/// A habit that an account keeps: its goal, and the days on which it is planned (ACT-1).
public struct Activity: Document, Hashable {
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
  /// The goal of each planned day.
  public var goal: Goal
  /// The days on which the activity is planned.
  public var schedule: Schedule
  /// The first day on which it may be planned.
  public var startDay: LocalDay
  /// The last day on which it may be planned; none if it goes on.
  public var endDay: LocalDay?
  /// The day from which the present goal and schedule apply; nil where they apply to all days.
  public var holdsFrom: LocalDay?
  /// When the owner is reminded of the activity, earliest first.
  public var reminders: [ReminderTime]
  /// The tags by which the owner finds the activity, in order.
  public var tags: [Tag]
  /// Whether the activity is archived: it is planned on no day and appears only in the list of archived activities.
  public var isArchived: Bool
  /// Incremented with each change of the activity.
  public var revision: Int
  /// The kind of movement that completes the activity; none if it is recorded by hand.
  public var tie: MovementKind?
  /// When the activity was created.
  public var createdAt: Instant

  /// An activity from its parts; the icon is its category's.
  public init(
    id: ActivityID, title: String, reason: String?, category: ActivityCategory, goal: Goal, schedule: Schedule,
    startDay: LocalDay, endDay: LocalDay? = nil, holdsFrom: LocalDay? = nil, reminders: [ReminderTime] = [], tags: [Tag] = [],
    tie: MovementKind? = nil, isArchived: Bool = false, revision: Int = 1, createdAt: Instant
  ) {
    self.id = id
    self.title = title
    self.reason = reason
    self.category = category
    icon = category.icon
    self.goal = goal
    self.schedule = schedule
    self.startDay = startDay
    self.endDay = endDay
    self.holdsFrom = holdsFrom
    self.reminders = reminders
    self.tags = tags
    self.isArchived = isArchived
    self.revision = revision
    self.tie = tie
    self.createdAt = createdAt
  }

  public static let notes: Notes = [
    "id": "Id of the activity.", "title": ActivityText.title, "reason": ActivityText.reason,
    "category": "What kind of thing it is.",
    "icon": Note("Name of the category's icon, as in the Lucide set.", example: "droplet"),
    "goal": "The goal of a planned day.", "schedule": "The days on which it is planned.",
    "startDay": "The first day on which it may be planned.",
    "endDay": "The last day on which it may be planned; absent if it has no end.",
    "holdsFrom": """
    The day from which this goal and schedule apply: the day of the edit, or the next one if that day had an entry or a timer that does \
    not fit them. Absent if no others apply to the days before.
    """,
    "reminders": "When its owner is reminded of it on planned days, earliest first.",
    "tags": "Tags to find it by, in order.",
    "isArchived": "Whether it is archived: planned on no day, and listed among the archived ones only.",
    "revision": Note(
      "Grows with each change; send it with an edit so that the edit is refused if another came first.", example: 3),
    "tie": "The movement that completes it; absent if its progress is recorded by hand.",
    "createdAt": "When it was created.",
  ]
}

/// Names an activity.
public typealias ActivityID = ID<Activity>

enum ActivityText {
  /// Records a problem where the text has more characters or bytes than allowed.
  static func checkSize(_ text: String?, _ field: String, maximum: Int, _ fields: inout FieldChecks) {
    if let rule = text.flatMap({ ShortText.brokenLength($0, maximum: maximum) }) { fields.refuse(field, rule) }
  }

  /// Records a problem where a text that others see contains control characters, see ``ShortText``. Checked only on writes: texts stored
  /// before this rule existed can still be read.
  static func checkCharacters(_ text: String?, _ field: String, _ fields: inout FieldChecks) {
    if let text { fields.expect(!ShortText.hasControl(text), field, FieldRule("control_character")) }
  }

  /// Records a problem where the goal's unit is blank or contains control characters.
  static func checkUnit(of goal: Goal?, _ fields: inout FieldChecks) {
    guard let unit = goal?.unit else { return }
    fields.expect(!unit.isBlank, "goal.unit", FieldRule("empty"))
    checkCharacters(unit, "goal.unit", &fields)
  }

  static var title: Note {
    let maximum = ContentLimits.current.activityTitle
    return Note("Its title, \(ActivityText.size(maximum)).", length: 1...maximum, example: "Drink water")
  }

  static var reason: Note {
    let maximum = ContentLimits.current.activityReason
    return Note("The reason, \(ActivityText.size(maximum)).", length: 1...maximum, example: "To feel awake")
  }

  /// Describes the maximum size of a text.
  static func size(_ maximum: Int) -> String {
    "at most \(maximum) characters and \(maximum * ShortText.maxBytesPerCharacter) bytes"
  }

  static var reminders: Note {
    let maximum = ContentLimits.current.accountReminders
    return Note(
      "When to be reminded on planned days, by the clocks of the account's zone: `HH:MM`, at most 10, and \(maximum) of all activities.",
      items: 0...ReminderTime.maximum,
      example: .array([.string("07:30"), .string("21:00")]))
  }
  static let tags = Note(
    "Words to find it by, at most 8 of at most 20 characters and 320 bytes; kept in lower case.", items: 0...Tag.maximum,
    example: .array([.string("at home")]))
}

/// Ways in which a request for an activity can fail.
public enum ActivityFailure: String, FailureCode {
  /// The account has no activity with that id.
  case notFound = "activity_not_found"
  /// The account has reached the maximum number of activities.
  case tooMany = "too_many_activities"
  /// The activity was changed after the revision on which the edit was based.
  case changedMeanwhile = "activity_changed"
  /// The activity is archived and has to be unarchived first.
  case archived = "activity_archived"

  public var status: Int {
    switch self {
    case .notFound: 404
    case .tooMany, .changedMeanwhile, .archived: 409
    }
  }
}

/// Creates an activity (ACT-1).
public enum CreateActivity: AccountOperation {
  /// What the person fills in.
  public struct Input: Form {
    /// The activity's title.
    public var title: String
    /// The account's reason for doing the activity.
    public var reason: String?
    /// The activity's category.
    public var category: ActivityCategory
    /// The goal of each planned day.
    public var goal: Goal
    /// The days on which the activity is planned.
    public var schedule: Schedule
    /// The first day on which it may be planned; the account's today by default.
    public var startDay: LocalDay?
    /// The last day on which it may be planned; none by default.
    public var endDay: LocalDay?
    /// When the owner is reminded of the activity; never by default.
    public var reminders: [ReminderTime]?
    /// The tags by which the owner finds the activity; none by default.
    public var tags: [Tag]?
    /// The kind of movement that completes the activity; none by default.
    public var tie: MovementKind?
    public var found = FoundProblems()

    private enum CodingKeys: String, CodingKey {
      case title, reason, category, goal, schedule, startDay, endDay, reminders, tags, tie
    }

    /// The input from its parts.
    public init(
      title: String, reason: String? = nil, category: ActivityCategory, goal: Goal, schedule: Schedule,
      startDay: LocalDay? = nil, endDay: LocalDay? = nil, reminders: [ReminderTime]? = nil, tags: [Tag]? = nil,
      tie: MovementKind? = nil
    ) {
      self.title = title
      self.reason = reason
      self.category = category
      self.goal = goal
      self.schedule = schedule
      self.startDay = startDay
      self.endDay = endDay
      self.reminders = reminders
      self.tags = tags
      self.tie = tie
    }

    public static let notes: Notes = [
      "title": ActivityText.title, "reason": ActivityText.reason, "category": "What kind of thing it is.",
      "goal": "The goal of a planned day.", "schedule": "The days on which it is planned.",
      "startDay": "The first day on which it may be planned, from 1970-01-01 to 2199-12-31; the account's today by default.",
      "endDay": "The last day on which it may be planned, not before the start day and up to 2199-12-31; none if absent.",
      "reminders": ActivityText.reminders, "tags": ActivityText.tags,
      "tie": "The movement that completes it: steps, or a distance in `m` or `km`; none if absent.",
    ]

    public func check(_ fields: inout FieldChecks) {
      fields.expect(!title.isBlank, "title", FieldRule("empty"))
      ActivityText.checkSize(title, "title", maximum: ContentLimits.current.activityTitle, &fields)
      ActivityText.checkSize(reason, "reason", maximum: ContentLimits.current.activityReason, &fields)
      ActivityText.checkCharacters(title, "title", &fields)
      ActivityText.checkCharacters(reason, "reason", &fields)
      ActivityText.checkUnit(of: goal, &fields)
      PlannableDays.check(startDay, "startDay", &fields)
      PlannableDays.check(endDay, "endDay", &fields)
      PlannableDays.checkOrder(("startDay", startDay), ("endDay", endDay), &fields)
      if fields.areRight("goal") { fields.expect(MovementTie.fits(tie, goal), "tie", MovementTie.notForTie) }
    }
  }

  public typealias Output = Activity

  public static let spec = OperationSpec(
    "activities.create", of: .activity, .post("/v1/activities"), by: .account, effect: .create,
    failures: [ActivityFailure.tooMany.kind], requirements: ["ACT-1"], "Creates an activity.")
}

/// Returns one activity with its streak.
public enum GetActivity: AccountOperation {
  /// Which one.
  public struct Input: Document {
    /// Names the activity.
    public var activityID: ActivityID

    /// The input from its parts.
    public init(activityID: ActivityID) { self.activityID = activityID }

    public static let notes: Notes = ["activityID": "Id of the activity."]
  }

  public typealias Output = ActivityDetails

  public static let spec = OperationSpec(
    "activities.get", of: .activity, .get("/v1/activities/{activityID}"), by: .account, effect: .read,
    failures: [ActivityFailure.notFound.kind], requirements: ["ACT-6", "ACT-10"], "Returns an activity with its streaks.")
}

/// An activity and how well it is kept.
public struct ActivityDetails: Document, Hashable {
  /// The activity.
  public var activity: Activity
  /// How long the activity was kept without a miss.
  public var streak: Streak
  /// How firm the habit is, from 0 to 1.
  public var strength: Double
  /// Its pauses, oldest first.
  public var pauses: [Pause]

  /// Details from their parts.
  public init(activity: Activity, streak: Streak, strength: Double, pauses: [Pause]) {
    self.activity = activity
    self.streak = streak
    self.strength = strength
    self.pauses = pauses
  }

  public static let notes: Notes = [
    "activity": "The activity.", "streak": "Its present streak and the longest one.", "strength": StreakText.strength,
    "pauses": "Its pauses, oldest first.",
  ]
}
