public import Operations

extension FeatureContract {
  static let movementDays = FeatureContract(operations: [ListMovementDays.self], events: [MovementDaysChanged.self])
}

/// The movement of a local day (MOVE-2).
public struct MovementDay: Document, Hashable {
  /// The day.
  public var day: LocalDay
  /// How many steps.
  public var steps: Int
  /// How many of the steps may earn.
  public var earningSteps: Int
  /// Metres walked.
  public var walkingMeters: Double
  /// Metres run.
  public var runningMeters: Double
  /// Metres cycled.
  public var cyclingMeters: Double
  /// Why some or all of the movement earns nothing.
  public var reasons: [FlagReason]

  /// A day from its parts.
  public init(
    day: LocalDay, steps: Int, earningSteps: Int, walkingMeters: Double = 0, runningMeters: Double = 0, cyclingMeters: Double = 0,
    reasons: [FlagReason] = []
  ) {
    self.day = day
    self.steps = steps
    self.earningSteps = earningSteps
    self.walkingMeters = walkingMeters
    self.runningMeters = runningMeters
    self.cyclingMeters = cyclingMeters
    self.reasons = reasons
  }

  public static let notes: Notes = [
    "day": "The local day.", "steps": Note("The number of steps.", example: 8043),
    "earningSteps": Note("The steps that may earn coins.", example: 8043),
    "walkingMeters": Note("Metres walked.", example: .number(3120.5)), "runningMeters": Note("Metres run.", example: 5000),
    "cyclingMeters": Note("Metres cycled.", example: 0), "reasons": "The reasons why some or all of it earns nothing.",
  ]
}

/// Lists the movement of each day (MOVE-2).
public enum ListMovementDays: AccountOperation {
  /// Which days.
  public struct Input: Document {
    /// The first day.
    public var from: LocalDay
    /// The last day.
    public var to: LocalDay

    /// The input from its parts.
    public init(from: LocalDay, to: LocalDay) {
      self.from = from
      self.to = to
    }

    /// The maximum number of days in one reply.
    public static let maxDays = 400

    public static let notes: Notes = [
      "from": "The first day, from 1970-01-01 on.", "to": "The last day, at most 399 days after the first and up to 2199-12-31.",
    ]

    public func check(_ fields: inout FieldChecks) {
      guard fields.areRight("from", "to") else { return }
      PlannableDays.check(from, "from", &fields)
      PlannableDays.check(to, "to", &fields)
      guard PlannableDays.all.contains(from), PlannableDays.all.contains(to) else { return }
      fields.expect(
        (0..<Input.maxDays).contains(from.distance(to: to)), "to",
        FieldRule(
          "out_of_range",
          ["min": .text(from.description), "max": .text(from.advanced(by: Input.maxDays - 1).description)]))
    }
  }

  /// The days that have samples, oldest first, all on one page.
  public typealias Output = Page<MovementDay>

  public static let spec = OperationSpec(
    "movementDays.list", of: .activity, .get("/v1/movement-days"), by: .account, effect: .read,
    requirements: ["MOVE-2", "MOVE-4", "MOVE-6"], "Lists the caller's movement of each day.")
}

/// The present totals of an account's days. Published once per batch of samples.
public struct MovementDaysChanged: Event, Hashable {
  /// A day's totals, with the revision of this state.
  public struct Day: Document, Hashable {
    /// The local day.
    public var day: LocalDay
    /// All steps of the day.
    public var steps: Int
    /// How many of the steps may earn.
    public var earningSteps: Int
    /// Metres walked.
    public var walkingMeters: Double
    /// Metres run.
    public var runningMeters: Double
    /// Metres cycled.
    public var cyclingMeters: Double
    /// How many of the metres walked may earn; nil in events of earlier versions.
    public var earningWalkingMeters: Double?
    /// How many of the metres run may earn; nil in events of earlier versions.
    public var earningRunningMeters: Double?
    /// How many of the metres cycled may earn; nil in events of earlier versions.
    public var earningCyclingMeters: Double?
    /// Why some or all of the movement earns nothing, by kind; nil where all of it earns, and in events of earlier versions.
    public var flagged: [FlaggedMovement]?
    /// Incremented with each state of the day; a subscriber keeps the highest it has seen.
    public var revision: Int

    /// A day from its parts.
    public init(
      day: LocalDay, steps: Int, earningSteps: Int, walkingMeters: Double = 0, runningMeters: Double = 0,
      cyclingMeters: Double = 0, earningWalkingMeters: Double? = nil, earningRunningMeters: Double? = nil,
      earningCyclingMeters: Double? = nil, flagged: [FlaggedMovement]? = nil, revision: Int
    ) {
      self.day = day
      self.steps = steps
      self.earningSteps = earningSteps
      self.walkingMeters = walkingMeters
      self.runningMeters = runningMeters
      self.cyclingMeters = cyclingMeters
      self.earningWalkingMeters = earningWalkingMeters
      self.earningRunningMeters = earningRunningMeters
      self.earningCyclingMeters = earningCyclingMeters
      self.flagged = flagged
      self.revision = revision
    }

    public static let notes: Notes = [
      "day": "The local day.", "steps": "All steps of the day.", "earningSteps": "The steps that may earn coins.",
      "walkingMeters": "Metres walked.", "runningMeters": "Metres run.", "cyclingMeters": "Metres cycled.",
      "earningWalkingMeters": "The metres walked that may earn coins; absent in events of earlier versions.",
      "earningRunningMeters": "The metres run that may earn coins; absent in events of earlier versions.",
      "earningCyclingMeters": "The metres cycled that may earn coins; absent in events of earlier versions.",
      "flagged": "The reasons why some or all of the movement earns nothing, by its kind; absent if all of it earns.",
      "revision": "Grows with each state of this day; of two states, the one with the higher revision is the later.",
    ]
  }

  /// The account that moved.
  public var accountID: AccountID
  /// The account's local day when this was recorded: how late steps arrive decides whether they earn.
  public var recordedDay: LocalDay
  /// The days that changed.
  public var days: [Day]

  /// The event from its parts.
  public init(accountID: AccountID, recordedDay: LocalDay, days: [Day]) {
    self.accountID = accountID
    self.recordedDay = recordedDay
    self.days = days
  }

  public static let notes: Notes = [
    "accountID": "The account whose movement it is.", "recordedDay": "The account's local day at the time of recording.",
    "days": "The days that changed.",
  ]

  public static let spec = EventSpec(
    "movementDays.changed", formerly: "movement.daysChanged", by: .activity, requirements: ["MOVE-2", "MOVE-6", "REW-1"],
    "Day totals of an account changed.")
}
