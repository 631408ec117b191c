public import Operations

/// What was done of an activity on one planned day; there is at most one per activity and day (ACT-7, ACT-8).
public struct Entry: Document, Hashable {
  /// Whose activity.
  public var activityID: ActivityID
  /// On which day.
  public var day: LocalDay
  /// Whether the goal is reached.
  public var isDone: Bool
  /// For a quantity: how much.
  public var amount: Double?
  /// For a duration: how long.
  public var durationSeconds: Int?
  /// When it was last written.
  public var recordedAt: Instant

  /// An entry from its parts.
  public init(
    activityID: ActivityID, day: LocalDay, isDone: Bool, amount: Double?, durationSeconds: Int?, recordedAt: Instant
  ) {
    self.activityID = activityID
    self.day = day
    self.isDone = isDone
    self.amount = amount
    self.durationSeconds = durationSeconds
    self.recordedAt = recordedAt
  }

  public static let notes: Notes = [
    "activityID": "The activity.", "day": "The day.", "isDone": "Whether the goal is reached.",
    "amount": "For a quantity: how much.", "durationSeconds": "For a duration: how long.",
    "recordedAt": "When it was last written.",
  ]
}

/// Ways in which writing an entry can fail.
public enum EntryFailure: String, FailureCode {
  /// The activity is not planned on that day.
  case notPlanned = "not_planned"
  /// The day has not begun where the account is.
  case inFuture = "entry_in_future"
  /// The activity is paused on that day.
  case paused = "day_paused"
  /// The account skips that day.
  case skipped = "day_skipped"

  public var status: Int { 409 }
}

extension FieldChecks {
  /// Refuses, by name, the fields that are given beside each other; where none is given, all of which one is missing.
  fileprivate mutating func expectExactlyOne(_ fields: [(name: String, isGiven: Bool)]) {
    let given = fields.filter(\.isGiven)
    guard given.count != 1 else { return }
    let names = fields.map(\.name).joined(separator: ", ")
    for field in given.isEmpty ? fields : given { refuse(field.name, FieldRule("exactly_one", ["fields": .text(names)])) }
  }
}

/// Sets the progress of a planned day (ACT-7). Repeating it changes nothing.
public enum RecordEntry: Operation {
  /// Exactly one of the three.
  public struct Input: Document {
    /// Names the activity.
    public var activityID: ActivityID
    /// The day, or today.
    public var day: DayName
    /// `true` completes the day, whatever the goal's kind; `false` is for `check` alone.
    public var isDone: Bool?
    /// For a quantity: how much is done in all.
    public var amount: Double?
    /// For a duration: how long was spent in all.
    public var durationSeconds: Int?

    /// The input from its parts.
    public init(activityID: ActivityID, day: DayName, isDone: Bool? = nil, amount: Double? = nil, durationSeconds: Int? = nil) {
      self.activityID = activityID
      self.day = day
      self.isDone = isDone
      self.amount = amount
      self.durationSeconds = durationSeconds
    }

    public static let notes: Notes = [
      "activityID": "Names the activity.", "day": "A day such as `2026-11-21`, or `today`.",
      "isDone": "`true` completes the day, whatever the goal's kind, but for a limit that is exceeded; `false` only for `check`.",
      "amount": Note(
        "For a quantity: how much is done in all, at most 3 decimals.", range: 0...Amounts.most, example: .number(1.5)),
      "durationSeconds": Note(
        "For a duration: how long was spent in all.", range: 0...Double(Amounts.mostSeconds), example: 900),
    ]

    public func check(_ fields: inout FieldChecks) {
      fields.expectExactlyOne([
        ("isDone", isDone != nil), ("amount", amount != nil), ("durationSeconds", durationSeconds != nil),
      ])
      if let amount { fields.expect(Amounts.isExact(amount), "amount", Amounts.tooPrecise) }
    }
  }

  public typealias Output = Entry

  public static let spec = OperationSpec(
    "entries.record", of: .activity, .put("/v1/activities/{activityID}/entries/{day}"), by: .account, effect: .write,
    failures: [ActivityFailure.notFound.kind] + EntryFailure.allCases.map(\.kind),
    requirements: ["ACT-7", "ACT-8"], "Set the progress of a planned day.")
}

/// Adds to the progress of a planned day, or takes from it, never below 0 (ACT-7).
public enum IncrementEntry: Operation {
  /// Exactly one of the two.
  public struct Input: Document {
    /// Names the activity.
    public var activityID: ActivityID
    /// The day, or today.
    public var day: DayName
    /// For a quantity: how much more, or less if negative.
    public var amount: Double?
    /// For a duration: how much longer, or shorter if negative.
    public var durationSeconds: Int?

    /// The input from its parts.
    public init(activityID: ActivityID, day: DayName, amount: Double? = nil, durationSeconds: Int? = nil) {
      self.activityID = activityID
      self.day = day
      self.amount = amount
      self.durationSeconds = durationSeconds
    }

    public static let notes: Notes = [
      "activityID": "Names the activity.", "day": "A day such as `2026-11-21`, or `today`.",
      "amount": Note(
        "For a quantity: how much more, or less if negative, at most 3 decimals.", range: -Amounts.most...Amounts.most,
        example: .number(1)),
      "durationSeconds": Note(
        "For a duration: how much longer, or shorter if negative.",
        range: -Double(Amounts.mostSeconds)...Double(Amounts.mostSeconds), example: 60),
    ]

    public func check(_ fields: inout FieldChecks) {
      fields.expectExactlyOne([("amount", amount != nil), ("durationSeconds", durationSeconds != nil)])
      if let amount { fields.expect(Amounts.isExact(amount), "amount", Amounts.tooPrecise) }
    }
  }

  public typealias Output = Entry

  public static let spec = OperationSpec(
    "entries.increment", of: .activity, .post("/v1/activities/{activityID}/entries/{day}/increments"), by: .account,
    effect: .create, failures: [ActivityFailure.notFound.kind] + EntryFailure.allCases.map(\.kind),
    requirements: ["ACT-7"], "Add to the progress of a planned day, or take from it, never below 0.")
}

/// Takes an entry back: the day stands as if nothing had been written (ACT-7). Repeating it changes nothing.
public enum DeleteEntry: Operation {
  /// Which entry.
  public struct Input: Document {
    /// Names the activity.
    public var activityID: ActivityID
    /// The day, or today.
    public var day: DayName

    /// The input from its parts.
    public init(activityID: ActivityID, day: DayName) {
      self.activityID = activityID
      self.day = day
    }

    public static let notes: Notes = ["activityID": "Names the activity.", "day": "A day such as `2026-11-21`, or `today`."]
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "entries.delete", of: .activity, .delete("/v1/activities/{activityID}/entries/{day}"), by: .account, effect: .write,
    failures: [ActivityFailure.notFound.kind], requirements: ["ACT-7"],
    "Take an entry back: the day stands as if nothing had been written.")
}

/// The progress of an activity on a day is now this.
public struct EntryRecorded: Event, Hashable {
  /// Whose activity.
  public var accountID: AccountID
  /// The activity.
  public var activityID: ActivityID
  /// The day.
  public var day: LocalDay
  /// Whether the goal is reached.
  public var isDone: Bool
  /// Whether the entry was taken back.
  public var isDeleted: Bool
  /// For a quantity: how much.
  public var amount: Double?
  /// For a duration: how long.
  public var durationSeconds: Int?

  /// The event from its parts.
  public init(
    accountID: AccountID, activityID: ActivityID, day: LocalDay, isDone: Bool, isDeleted: Bool, amount: Double?,
    durationSeconds: Int?
  ) {
    self.accountID = accountID
    self.activityID = activityID
    self.day = day
    self.isDone = isDone
    self.isDeleted = isDeleted
    self.amount = amount
    self.durationSeconds = durationSeconds
  }

  public static let notes: Notes = [
    "accountID": "Whose activity.", "activityID": "The activity.", "day": "The day.", "isDone": "Whether the goal is reached.",
    "isDeleted": "Whether the entry was taken back.", "amount": "For a quantity: how much.",
    "durationSeconds": "For a duration: how long.",
  ]

  public static let spec = EventSpec(
    "entries.recorded", by: .activity, requirements: ["ACT-7", "ACT-8"], "The progress of an activity on a day is now this.")
}
