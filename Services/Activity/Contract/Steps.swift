public import Operations

/// Steps counted by a device between two instants (MOVE-1).
public struct StepSample: Document, Hashable {
  /// Names the sample for its account; given by whoever measured.
  public var id: String
  /// When counting began.
  public var start: Instant
  /// When counting ended.
  public var end: Instant
  /// How many steps.
  public var steps: Int
  /// The program that measured.
  public var source: String?
  /// The device that measured.
  public var device: String?

  /// A sample from its parts.
  public init(id: String, start: Instant, end: Instant, steps: Int, source: String? = nil, device: String? = nil) {
    self.id = id
    self.start = start
    self.end = end
    self.steps = steps
    self.source = source
    self.device = device
  }

  public static let notes: Notes = [
    "id": Note("Names the sample for its account; given by whoever measured.", length: 1...64, example: "watch-2026-11-21T08"),
    "start": "When counting began.", "end": "When counting ended, at most 24 hours later.",
    "steps": Note("How many steps.", range: 0...1_000_000, example: 1204),
    "source": Note("The program that measured.", length: 1...64, example: "com.apple.health"),
    "device": Note("The device that measured.", length: 1...64, example: "Watch6,2"),
  ]
}

/// Takes step samples in (MOVE-1). A sample is known by its id: repeating it changes nothing.
public enum RecordStepSamples: Operation {
  /// The samples.
  public struct Input: Document {
    /// The samples, in any order.
    public var samples: [StepSample]

    /// The input from its parts.
    public init(samples: [StepSample]) { self.samples = samples }

    public static let notes: Notes = ["samples": Note("The samples, in any order.", items: 1...1000)]
  }

  /// What became of them: `accepted`, `repeated` and the number of `rejected` add up to the number of samples.
  public struct Output: Document, Hashable {
    /// How many were new.
    public var accepted: Int
    /// How many were there already, the same in every field.
    public var repeated: Int
    /// Those that were not taken.
    public var rejected: [RejectedSample]
    /// The totals of the days that the new samples changed.
    public var days: [StepDay]

    /// The output from its parts.
    public init(accepted: Int, repeated: Int, rejected: [RejectedSample], days: [StepDay]) {
      self.accepted = accepted
      self.repeated = repeated
      self.rejected = rejected
      self.days = days
    }

    public static let notes: Notes = [
      "accepted": "How many were new.", "repeated": "How many were there already, the same in every field.",
      "rejected": "Those that were not taken, each with its reason.",
      "days": "The totals of the days that the new samples changed.",
    ]
  }

  public static let spec = OperationSpec(
    "stepSamples.record", of: .activity, .post("/v1/step-samples"), by: .account, effect: .write, rate: .bulk,
    failures: [RequestFailure.consentRequired.kind], requirements: ["ID-13", "MOVE-1", "MOVE-2"],
    "Take step samples in, with the account's consent; a sample is known by its id, and repeating it changes nothing.")
}

/// A sample that was not taken.
public struct RejectedSample: Document, Hashable {
  /// Why a sample is not taken.
  public enum Reason: String, Choice {
    /// Another sample of this id was taken before; the first one stays.
    case conflict
    /// It ends more than 5 minutes after now.
    case inFuture
    /// It ends before it starts.
    case endsBeforeStart
    /// It is longer than 24 hours.
    case tooLong
    /// It starts before 1970.
    case tooOld
  }

  /// The sample's place in the list, from 0.
  public var index: Int
  /// The sample's id.
  public var id: String
  /// Why.
  public var code: Reason

  /// A rejection from its parts.
  public init(index: Int, id: String, code: Reason) {
    self.index = index
    self.id = id
    self.code = code
  }

  public static let notes: Notes = [
    "index": "The sample's place in the list, from 0.", "id": "The sample's id.",
    "code":
      "`conflict`: another sample of this id was taken before; `inFuture`: ends more than 5 minutes after now; `endsBeforeStart`; `tooLong`: more than 24 hours; `tooOld`: starts before 1970.",
  ]
}

/// The steps of a local day (MOVE-2).
public struct StepDay: Document, Hashable {
  /// The day.
  public var day: LocalDay
  /// How many steps.
  public var steps: Int

  /// A day from its parts.
  public init(day: LocalDay, steps: Int) {
    self.day = day
    self.steps = steps
  }

  public static let notes: Notes = ["day": "The local day.", "steps": Note("How many steps.", example: 8043)]
}

/// Lists the steps of each day (MOVE-2).
public enum ListStepDays: Operation {
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

    /// The most days in one answer.
    public static let mostDays = 400

    public static let notes: Notes = ["from": "The first day.", "to": "The last day, at most 399 days after the first."]

    public func check(_ fields: inout FieldChecks) {
      fields.expect(
        (0..<Input.mostDays).contains(from.distance(to: to)), "to",
        FieldRule(
          "out_of_range",
          ["least": .text(from.description), "most": .text(from.advanced(by: Input.mostDays - 1).description)]))
    }
  }

  /// The days that have samples, oldest first, all on one page.
  public typealias Output = Page<StepDay>

  public static let spec = OperationSpec(
    "stepDays.list", of: .activity, .get("/v1/step-days"), by: .account, effect: .read, requirements: ["MOVE-2"],
    "List the steps of each day.")
}

/// An account's day totals are now these. Told once per batch of samples.
public struct StepsChanged: Event, Hashable {
  /// A day's total, and which of its states this is.
  public struct Day: Document, Hashable {
    /// The local day.
    public var day: LocalDay
    /// All its steps.
    public var steps: Int
    /// Grows with each state of this day; a listener keeps the highest it has seen.
    public var revision: Int

    /// A day from its parts.
    public init(day: LocalDay, steps: Int, revision: Int) {
      self.day = day
      self.steps = steps
      self.revision = revision
    }

    public static let notes: Notes = [
      "day": "The local day.", "steps": "All its steps.",
      "revision": "Grows with each state of this day; a listener keeps the highest it has seen.",
    ]
  }

  /// Whose steps.
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
    "accountID": "Whose steps.", "recordedDay": "The account's local day when this was recorded.",
    "days": "The days that changed.",
  ]

  public static let spec = EventSpec(
    "movement.stepsChanged", by: .activity, requirements: ["MOVE-2", "REW-1"], "An account's day totals are now these.")
}
