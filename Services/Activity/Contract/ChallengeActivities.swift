public import Operations

extension FeatureContract {
  static let challengeActivities = FeatureContract(operations: [GetChallengeActivity.self, PlanChallengeActivity.self])
}

/// An activity as a challenged friend sees it (SOC-6). Leaves out what is private to its owner, such as reminders and tags.
public struct ChallengeActivity: Document, Hashable {
  /// The activity's title.
  public var title: String
  /// The reason for doing the activity.
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
  /// The kind of movement that completes the activity; none if it is recorded by hand.
  public var tie: MovementKind?

  /// An activity from its parts; the icon is its category's.
  public init(
    title: String, reason: String?, category: ActivityCategory, goal: Goal, schedule: Schedule, startDay: LocalDay,
    endDay: LocalDay? = nil, tie: MovementKind? = nil
  ) {
    self.title = title
    self.reason = reason
    self.category = category
    icon = category.icon
    self.goal = goal
    self.schedule = schedule
    self.startDay = startDay
    self.endDay = endDay
    self.tie = tie
  }

  /// Creates the friend's view of an activity.
  public init(_ activity: Activity) {
    self.init(
      title: activity.title, reason: activity.reason, category: activity.category, goal: activity.goal,
      schedule: activity.schedule, startDay: activity.startDay, endDay: activity.endDay, tie: activity.tie)
  }

  public static let notes: Notes = [
    "title": Note("Its title.", example: "Drink water"), "reason": Note("The reason to do it.", example: "To feel awake"),
    "category": "What kind of thing it is.",
    "icon": Note("Name of the category's icon, as in the Lucide set.", example: "droplet"),
    "goal": "The goal of a planned day.", "schedule": "The days on which it is planned.",
    "startDay": "The first day on which it may be planned.",
    "endDay": "The last day on which it may be planned; absent if it has no end.",
    "tie": "The movement that completes it; absent if its progress is recorded by hand.",
  ]
}

/// Why an activity is no longer available for challenges; see ``ActivityFailure`` too.
public enum ChallengeActivityFailure: String, FailureCode {
  /// The activity's last day has passed.
  case over = "activity_over"

  public var status: Int { 409 }
}

/// Returns an account's own activity as a challenged friend is to see it (SOC-6).
public enum GetChallengeActivity: OpenOperation {
  /// The activity, and the account that has to own it.
  public struct Input: Document {
    /// The account that sends the challenge.
    public var accountID: AccountID
    /// Names the activity.
    public var activityID: ActivityID

    /// The input from its parts.
    public init(accountID: AccountID, activityID: ActivityID) {
      self.accountID = accountID
      self.activityID = activityID
    }

    public static let notes: Notes = ["accountID": "The account that challenges.", "activityID": "Id of the activity."]
  }

  public typealias Output = ChallengeActivity

  public static let spec = OperationSpec(
    "challengeActivities.get", of: .activity, nil, by: .services([.social]), effect: .read,
    failures: [ActivityFailure.notFound.kind, ActivityFailure.archived.kind, ChallengeActivityFailure.over.kind],
    requirements: ["SOC-6"], "Returns an account's own activity as a friend challenged to it sees it.")
}

/// Returns whether an account can take the activity of a challenge, and from which day on (SOC-6). Changes nothing: the activity is created
/// when social publishes that the challenge was accepted.
public enum PlanChallengeActivity: OpenOperation {
  /// The recipient, the challenger and the activity of the challenge.
  public struct Input: Document {
    /// The account that accepts.
    public var accountID: AccountID
    /// The account that sent the challenge.
    public var challengerAccountID: AccountID
    /// The challenger's own activity, which must still exist.
    public var challengerActivityID: ActivityID
    /// The activity as it was when the challenge was sent.
    public var activity: ChallengeActivity

    /// The input from its parts.
    public init(
      accountID: AccountID, challengerAccountID: AccountID, challengerActivityID: ActivityID, activity: ChallengeActivity
    ) {
      self.accountID = accountID
      self.challengerAccountID = challengerAccountID
      self.challengerActivityID = challengerActivityID
      self.activity = activity
    }

    public static let notes: Notes = [
      "accountID": "The account that accepts.", "challengerAccountID": "The account that challenged.",
      "challengerActivityID": "The challenger's own activity.", "activity": "The activity as it was when the challenge was sent.",
    ]
  }

  /// The day from which the account would have the activity.
  public struct Output: Document, Hashable {
    /// The account's present day, or the first day of the challenge where that is later.
    public var startDay: LocalDay

    /// The output from its parts.
    public init(startDay: LocalDay) { self.startDay = startDay }

    public static let notes: Notes = ["startDay": "The first day of the account's own activity."]
  }

  public static let spec = OperationSpec(
    "challengeActivities.plan", of: .activity, nil, by: .services([.social]), effect: .read,
    failures: [ActivityFailure.notFound.kind, ActivityFailure.tooMany.kind, ChallengeActivityFailure.over.kind],
    requirements: ["SOC-6"], "Returns whether an account can take the activity of a challenge, and from which day on.")
}
