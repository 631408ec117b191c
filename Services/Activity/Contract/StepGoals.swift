public import Operations

extension FeatureContract {
  static let stepGoals = FeatureContract(
    operations: [ListStepGoals.self, SetStepGoal.self, ClearStepGoal.self],
    events: [StepGoalChanged.self, StepGoalProgressed.self])
}

/// The period in which a step goal is to be reached.
public enum GoalPeriod: String, Choice {
  /// A local day.
  case day
  /// A week of local days, from Monday on.
  case week
}

/// How many steps an account wants to make in a day or a week (MOVE-5), and its progress.
public struct StepGoal: Document, Hashable {
  /// The period in which the goal is to be reached.
  public var period: GoalPeriod
  /// How many steps.
  public var goal: Int
  /// How many were made in the present day or week.
  public var steps: Int
  /// How many are missing; 0 once the goal is reached.
  public var remaining: Int

  /// A goal from its parts.
  public init(period: GoalPeriod, goal: Int, steps: Int) {
    self.period = period
    self.goal = goal
    self.steps = steps
    remaining = max(0, goal - steps)
  }

  public static let notes: Notes = [
    "period": "`day`: a local day; `week`: from Monday on.", "goal": Note("The steps of the goal.", example: 8000),
    "steps": Note("The steps made in the present day or week.", example: 6120),
    "remaining": Note("The steps missing; 0 once the goal is reached.", example: 1880),
  ]
}

/// Lists the account's step goals.
public enum ListStepGoals: AccountOperation {
  public typealias Input = Empty

  /// The goals.
  public struct Output: Document, Hashable {
    /// The goals that are set, the daily one first.
    public var goals: [StepGoal]

    /// The output from its parts.
    public init(goals: [StepGoal]) { self.goals = goals }

    public static let notes: Notes = ["goals": "The goals that are set, the daily one first."]
  }

  public static let spec = OperationSpec(
    "stepGoals.list", of: .activity, .get("/v1/step-goals"), by: .account, effect: .read, requirements: ["MOVE-5"],
    "Lists the caller's step goals and the progress towards them.")
}

/// Sets or changes a step goal. A goal that the present day or week has already reached is published as reached, once.
public enum SetStepGoal: AccountOperation {
  /// The goal.
  public struct Input: Document {
    /// The period in which the goal is to be reached.
    public var period: GoalPeriod
    /// How many steps.
    public var goal: Int

    /// The input from its parts.
    public init(period: GoalPeriod, goal: Int) {
      self.period = period
      self.goal = goal
    }

    public static let notes: Notes = [
      "period": "`day`: a local day; `week`: from Monday on.",
      "goal": Note("The steps of the goal.", range: 1...1_000_000, example: 8000),
    ]
  }

  public typealias Output = StepGoal

  public static let spec = OperationSpec(
    "stepGoals.set", of: .activity, .put("/v1/step-goals/{period}"), by: .account, effect: .write, requirements: ["MOVE-5"],
    "Sets or changes the caller's daily or weekly step goal.")
}

/// Clears a step goal: no further event about it is published. Idempotent.
public enum ClearStepGoal: AccountOperation {
  /// Which goal.
  public struct Input: Document {
    /// The period in which the goal is to be reached.
    public var period: GoalPeriod

    /// The input from its parts.
    public init(period: GoalPeriod) { self.period = period }

    public static let notes: Notes = ["period": "`day` or `week`."]
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "stepGoals.clear", of: .activity, .delete("/v1/step-goals/{period}"), by: .account, effect: .write, requirements: ["MOVE-5"],
    "Clears the caller's daily or weekly step goal.")
}

/// The present step goal of an account, or none.
public struct StepGoalChanged: Event, Hashable {
  /// The account that owns the goal.
  public var accountID: AccountID
  /// The period in which the goal is to be reached.
  public var period: GoalPeriod
  /// How many steps; none where the goal was cleared.
  public var goal: Int?
  /// Incremented with each change; a subscriber keeps the highest it has seen.
  public var revision: Int

  /// The event from its parts.
  public init(accountID: AccountID, period: GoalPeriod, goal: Int?, revision: Int) {
    self.accountID = accountID
    self.period = period
    self.goal = goal
    self.revision = revision
  }

  public static let notes: Notes = [
    "accountID": "The account whose goal it is.", "period": "`day` or `week`.",
    "goal": "The steps of the goal; absent if it was cleared.",
    "revision": "Grows with each change; of two states, the one with the higher revision is the later.",
  ]

  public static let spec = EventSpec(
    "stepGoals.changed", formerly: "goals.changed", by: .activity, requirements: ["MOVE-5"],
    "An account's step goal was set, changed or cleared.")
}

/// An account came near its step goal, or reached it. Published once each per day or week; near only before it is reached.
public struct StepGoalProgressed: Event, Hashable {
  /// The account that owns the goal.
  public var accountID: AccountID
  /// The period in which the goal is to be reached.
  public var period: GoalPeriod
  /// The day, or the week's Monday.
  public var firstDay: LocalDay
  /// The goal in steps.
  public var goal: Int
  /// How many were made.
  public var steps: Int
  /// Whether the goal is reached; otherwise it is near.
  public var isReached: Bool
  /// Whether the day or week was already over for the account, as for steps that arrived late; absent from older events.
  public var isOver: Bool?

  /// The event from its parts.
  public init(
    accountID: AccountID, period: GoalPeriod, firstDay: LocalDay, goal: Int, steps: Int, isReached: Bool, isOver: Bool? = nil
  ) {
    self.accountID = accountID
    self.period = period
    self.firstDay = firstDay
    self.goal = goal
    self.steps = steps
    self.isReached = isReached
    self.isOver = isOver
  }

  public static let notes: Notes = [
    "accountID": "The account whose goal it is.", "period": "`day` or `week`.", "firstDay": "The day, or the week's Monday.",
    "goal": "The steps of the goal.", "steps": "The steps made.",
    "isReached": "Whether the goal is reached; otherwise it is near.",
    "isOver": "Whether the day or week was already over where the account is; absent in older events.",
  ]

  public static let spec = EventSpec(
    "stepGoals.progressed", formerly: "goals.approached", by: .activity, requirements: ["MOVE-5"],
    "An account came near its step goal, or reached it; each is published once for a day or week.")
}
