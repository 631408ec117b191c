public import Operations

extension FeatureContract {
  static let movementSamples = FeatureContract(operations: [RecordMovementSamples.self, DeleteMovementSamples.self])
}

/// What is measured: steps, or the distance of one kind of movement.
public enum MovementKind: String, Choice {
  /// Steps.
  case steps
  /// Metres walked.
  case walking
  /// Metres run.
  case running
  /// Metres cycled.
  case cycling
}

/// Movement that a device measured between two instants (MOVE-1); assumed to be evenly spread over them.
public struct MovementSample: Document, Hashable {
  /// Identifies the sample within its account, across all kinds; assigned by the source.
  public var id: String
  /// What was measured.
  public var kind: MovementKind
  /// When measuring began.
  public var start: Instant
  /// When measuring ended.
  public var end: Instant
  /// How many steps, or how many metres.
  public var amount: Double
  /// The program that measured the movement.
  public var source: String?
  /// The device that measured the movement.
  public var device: String?
  /// Whether a person typed the sample in; nil for no.
  public var isHandTyped: Bool?
  /// Incremented with each correction of the sample; nil for 0.
  public var version: Int?

  /// A sample from its parts.
  public init(
    id: String, kind: MovementKind, start: Instant, end: Instant, amount: Double, source: String? = nil, device: String? = nil,
    isHandTyped: Bool? = nil, version: Int? = nil
  ) {
    self.id = id
    self.kind = kind
    self.start = start
    self.end = end
    self.amount = amount
    self.source = source
    self.device = device
    self.isHandTyped = isHandTyped
    self.version = version
  }

  /// Steps.
  public init(id: String, start: Instant, end: Instant, steps: Int, source: String? = nil, device: String? = nil) {
    self.init(id: id, kind: .steps, start: start, end: end, amount: Double(steps), source: source, device: device)
  }

  public static let notes: Notes = [
    "id": Note(
      "Id of the sample, unique for its account over all kinds; chosen by whoever measured.", length: 1...64,
      example: "watch-2026-11-21T08"),
    "kind": "What was measured: `steps`, or the distance of `walking`, `running` or `cycling`.",
    "start": "When measuring began.", "end": "When measuring ended, at most 24 hours later.",
    "amount": Note(
      "The number of steps (whole), or of metres (at most 3 decimals).", range: 0...1_000_000, example: 1204),
    "source": Note("The program that measured.", length: 1...64, example: "com.apple.health"),
    "device": Note("The device that measured.", length: 1...64, example: "Watch6,2"),
    "isHandTyped": "Whether a person typed it in; no by default.",
    "version": Note("Grows with each correction of the sample; 0 by default.", range: 0...1_000_000_000_000_000, example: 1),
  ]

  public func check(_ fields: inout FieldChecks) {
    if kind == .steps {
      fields.expect(amount.rounded() == amount, "amount", FieldRule("not_a_whole_number"))
    } else {
      fields.expect(Amounts.isExact(amount), "amount", Amounts.tooPrecise)
    }
  }
}

/// Takes in samples of movement (MOVE-1). A sample is identified by its id: repeating it changes nothing, and a higher version replaces a
/// lower one. Where an id occurs twice in a batch, the second sample is evaluated as if it came later.
///
/// A batch of many days is recorded in several transactions, in the order of its days, and answered after the last one. If one fails, what
/// was recorded before stays, and repeating the batch records the rest.
///
/// Consent to activity data is checked in each transaction that would keep samples: without it the batch is refused, and nothing is kept
/// or published from then on. Samples taken before consent was withdrawn stay until the account is deleted.
public enum RecordMovementSamples: AccountOperation {
  /// The samples.
  public struct Input: Document {
    /// The samples, in any order.
    public var samples: [MovementSample]

    /// The input from its parts.
    public init(samples: [MovementSample]) { self.samples = samples }

    public static let notes: Notes = ["samples": Note("The samples, in any order.", items: 1...1000)]
  }

  /// The result: `accepted`, `repeated`, `replaced` and the number of `rejected` add up to the number of samples.
  public struct Output: Document, Hashable {
    /// How many were new.
    public var accepted: Int
    /// How many existed already, identical in every field.
    public var repeated: Int
    /// How many replaced an older version.
    public var replaced: Int
    /// The samples that were rejected.
    public var rejected: [RejectedSample]
    /// The samples that were accepted and earn nothing.
    public var flagged: [FlaggedSample]
    /// What the flags mean.
    public var reasons: [FlagReason]
    /// The days that changed, as they stand now.
    public var days: [MovementDay]

    /// The output from its parts.
    public init(
      accepted: Int, repeated: Int, replaced: Int = 0, rejected: [RejectedSample] = [], flagged: [FlaggedSample] = [],
      reasons: [FlagReason] = [], days: [MovementDay]
    ) {
      self.accepted = accepted
      self.repeated = repeated
      self.replaced = replaced
      self.rejected = rejected
      self.flagged = flagged
      self.reasons = reasons
      self.days = days
    }

    public static let notes: Notes = [
      "accepted": "The number of new samples.",
      "repeated": "The number of samples that were there already, the same in every field.",
      "replaced": "The number of samples that replaced an older version.",
      "rejected": "The samples that were rejected, each with the reason.",
      "flagged":
        "The samples that were recorded and are shown, but earn nothing, each with its flags. Samples that earn nothing because of others of the same minute or day are reported with their day.",
      "reasons": "The meaning of these flags, in the caller's language.", "days": "The days that changed, as they are now.",
    ]
  }

  public static let spec = OperationSpec(
    "movementSamples.record", of: .activity, .post("/v1/movement-samples"), by: .account, effect: .write, rate: .bulk,
    failures: [RequestFailure.consentRequired.kind], requirements: ["ID-13", "MOVE-1", "MOVE-2", "MOVE-6"],
    """
    Records samples of movement, with the account's consent; a sample is identified by its id, and repeating it changes nothing. An error \
    may leave some days of the batch recorded; repeating the batch then records the rest, and answers without the days and flags of those.
    """)
}

/// A sample that was rejected.
public struct RejectedSample: Document, Hashable {
  /// Why a sample is rejected.
  public enum Reason: String, Choice {
    /// A different sample with this id and version was taken before; the first one stays.
    case conflict
    /// A later version of this id was taken before, or the sample was deleted.
    case outdated
    /// It ends before it starts.
    case endsBeforeStart
    /// It is longer than 24 hours.
    case tooLong
    /// It starts before 1970.
    case tooOld
    /// It ends more than a year from now.
    case tooFarAhead
    /// It names a new source, and the account has reached the maximum number of sources.
    case tooManySources
    /// The account has reached the maximum number of samples of that kind and day.
    case tooMany
  }

  /// The sample's position in the list, from 0.
  public var index: Int
  /// The sample's id.
  public var id: String
  /// Why the sample was rejected.
  public var code: Reason

  /// A rejection from its parts.
  public init(index: Int, id: String, code: Reason) {
    self.index = index
    self.id = id
    self.code = code
  }

  public static let notes: Notes = [
    "index": "The sample's position in the list, from 0.", "id": "The sample's id.",
    "code":
      "`conflict`: another sample with this id and version was recorded before; `outdated`: a later version was recorded, or it was deleted; `endsBeforeStart`; `tooLong`: more than 24 hours; `tooOld`: starts before 1970; `tooFarAhead`: ends more than a year after now; `tooManySources`: the account already has 100 sources; `tooMany`: it already has 65,536 samples of that kind and day.",
  ]
}

/// Deletes samples (MOVE-1): the days stand as if the samples had never arrived. Sending them again restores them only with a higher
/// version. Samples of many days are deleted in several transactions, as ``RecordMovementSamples`` records them.
public enum DeleteMovementSamples: AccountOperation {
  /// Which samples.
  public struct Input: Document {
    /// The samples' ids.
    public var ids: [String]

    /// The input from its parts.
    public init(ids: [String]) { self.ids = ids }

    public static let notes: Notes = ["ids": Note("The samples' ids; one that is given more often counts once.", items: 1...1000)]

    public func check(_ fields: inout FieldChecks) {
      for (index, id) in ids.enumerated() where id.isEmpty || id.count > 64 {
        fields.refuse("ids[\(index)]", id.isEmpty ? FieldRule("empty") : FieldRule("too_long", ["max": .number(64)]))
      }
    }
  }

  /// The result.
  public struct Output: Document, Hashable {
    /// How many were deleted.
    public var deleted: Int
    /// Ids for which there is no sample, or no longer one.
    public var unknown: [String]
    /// The days that changed, as they stand now.
    public var days: [MovementDay]

    /// The output from its parts.
    public init(deleted: Int, unknown: [String], days: [MovementDay]) {
      self.deleted = deleted
      self.unknown = unknown
      self.days = days
    }

    public static let notes: Notes = [
      "deleted": "The number of deleted samples.",
      "unknown": "Ids without a sample of the account, or without one any more, each once.",
      "days": "The days that changed, as they are now.",
    ]
  }

  public static let spec = OperationSpec(
    "movementSamples.delete", of: .activity, .post("/v1/movement-samples/deletions"), by: .account, effect: .write, rate: .bulk,
    requirements: ["MOVE-1", "MOVE-2"],
    """
    Deletes samples of movement; repeating it changes nothing. An error may leave some of the samples deleted; repeating it then deletes \
    the rest, reports those as unknown, and answers without their days.
    """)
}
