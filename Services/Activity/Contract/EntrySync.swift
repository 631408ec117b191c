public import Operations

extension FeatureContract {
  static let entrySync = FeatureContract(operations: [SyncEntries.self])
}

/// An id that a client chose: 1 to 64 visible ASCII characters.
public struct ClientMadeID<Named>: TextValue, Comparable {
  public let description: String

  static var maxCharacters: Int { 64 }

  public init(text: String) throws(FieldRule) {
    guard (1...ClientMadeID.maxCharacters).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw FieldRule("not_a_client_id", ["max": .number(ClientMadeID.maxCharacters)]) }
    description = text
  }

  private init(trusted: String) { description = trusted }

  public static var placeholder: ClientMadeID { ClientMadeID(trusted: "_") }

  public static var schema: JSON {
    ["type": "string", "pattern": "^[!-~]{1,64}$", "examples": ["7f3a-000017"]]
  }

  public static func < (left: ClientMadeID, right: ClientMadeID) -> Bool { left.description < right.description }
}

/// A device on which an account makes entries.
public enum Device {}

/// Identifies a change among those of its device.
public typealias ChangeID = ClientMadeID<OfflineChange>
/// Identifies a device among those of its account.
public typealias DeviceID = ClientMadeID<Device>

/// A change of an entry, made on a device while it was offline (ACT-17).
///
/// Identified within its entry by its own id and its device: sent again it changes nothing, and a different change with the same ids is
/// refused (`change_id_reused`).
public struct OfflineChange: Document, Hashable {
  /// Identifies the change among those of its device.
  public var id: ChangeID
  /// Identifies the device among those of its account.
  public var deviceID: DeviceID
  /// When the change was made, by the device's clock.
  public var madeAt: Instant
  /// Names the activity.
  public var activityID: ActivityID
  /// The day.
  public var day: LocalDay
  /// `true` deletes the entry; no other value may be given with it.
  public var isDeleted: Bool?
  /// `true` completes the day, whatever the goal's kind, except for a limit; `false` is for `check` alone.
  public var isDone: Bool?
  /// For a quantity: how much is done in all.
  public var amount: Double?
  /// For a duration: how long was spent in all.
  public var durationSeconds: Int?
  /// The comment on the entry.
  public var comment: Patch<String?>
  /// Where it was done.
  public var location: Patch<EntryLocation?>

  /// A change from its parts.
  public init(
    id: ChangeID, deviceID: DeviceID, madeAt: Instant, activityID: ActivityID, day: LocalDay, isDeleted: Bool? = nil,
    isDone: Bool? = nil, amount: Double? = nil, durationSeconds: Int? = nil, comment: Patch<String?> = .keep,
    location: Patch<EntryLocation?> = .keep
  ) {
    self.id = id
    self.deviceID = deviceID
    self.madeAt = madeAt
    self.activityID = activityID
    self.day = day
    self.isDeleted = isDeleted
    self.isDone = isDone
    self.amount = amount
    self.durationSeconds = durationSeconds
    self.comment = comment
    self.location = location
  }

  public static let notes: Notes = [
    "id": "Id of the change, unique for its device.", "deviceID": "Id of the device, unique for its account.",
    "madeAt": "When it was made, by the device's clock; a time ahead of the server's clock counts as the time of arrival.",
    "activityID": "Id of the activity.", "day": "The day, from 1970-01-01 to 2199-12-31.",
    "isDeleted": "`true` deletes the entry; given without the fields below.",
    "isDone": """
    `true` completes the day, whatever the goal's kind, except for a limit (`atMost`), which needs the amount or time instead. \
    `false` is for `check` only.
    """,
    "amount": Note(
      "For a quantity: the whole amount done, at most 3 decimals.", range: 0...Amounts.maximum, isCheckedByFeature: true,
      example: .number(1.5)),
    "durationSeconds": Note(
      "For a duration: the whole time spent.", range: 0...Double(Amounts.maxSeconds), isCheckedByFeature: true,
      example: 900),
    "comment": Note(EntryText.editedComment, example: "Felt great"),
    "location": Note("Where it was done; requires the account's consent to location. Null removes it."),
  ]

  /// Every invalid field; the problems refuse this change and no other.
  public var problems: [FieldProblem] {
    let progress = [("isDone", isDone != nil), ("amount", amount != nil), ("durationSeconds", durationSeconds != nil)]
    let others = [("comment", comment != .keep), ("location", location != .keep)]
    var broken: [BrokenRule] = []
    if isDeleted == true {
      broken = (progress + others).filter(\.1).map { ($0.0, FieldRule("not_when_deleted")) }
    } else if !(progress + others).contains(where: \.1) {
      broken = [("isDone", FieldRule("nothing_changed"))]
    } else if progress.contains(where: \.1) {
      broken = expectExactlyOne(progress)
    }
    func range(_ maximum: Int) -> FieldRule { FieldRule("out_of_range", ["min": .number(0), "max": .number(maximum)]) }
    if let amount {
      if !(0...Amounts.maximum).contains(amount) {
        broken.append(("amount", range(Int(Amounts.maximum))))
      } else if !Amounts.isExact(amount) {
        broken.append(("amount", Amounts.tooPrecise))
      }
    }
    if let durationSeconds, !(0...Amounts.maxSeconds).contains(durationSeconds) {
      broken.append(("durationSeconds", range(Amounts.maxSeconds)))
    }
    broken += EntryText.brokenRules(comment.value, "comment") + (location.value?.brokenRules("location") ?? [])
    if !PlannableDays.all.contains(day) { broken.append(("day", PlannableDays.outside)) }
    return broken.map { FieldProblem(field: $0.field, $0.rule) }
  }
}

/// The result of an offline change.
public struct OfflineChangeResult: Document, Hashable {
  /// The possible outcomes.
  public enum Outcome: String, Choice {
    /// At least one of the change's fields counts.
    case applied
    /// The same change had already arrived.
    case repeated
    /// Later writes of all its fields had already arrived; the change is kept in the entry's history.
    case superseded
    /// The change is not acceptable, and nothing of it is kept.
    case refused
  }

  /// The change's id.
  public var id: ChangeID
  /// The change's device.
  public var deviceID: DeviceID
  /// The change's outcome.
  public var outcome: Outcome
  /// Fields of which later writes already existed when the change first arrived; nil for none.
  public var supersededFields: [EntryField]?
  /// Why the change was refused.
  public var refusal: ChangeRefusal?
  /// The entry as it is now; absent if there is none, or the change was refused.
  public var entry: Entry?

  /// A result from its parts.
  public init(
    id: ChangeID, deviceID: DeviceID, outcome: Outcome, supersededFields: [EntryField]? = nil, refusal: ChangeRefusal? = nil,
    entry: Entry? = nil
  ) {
    self.id = id
    self.deviceID = deviceID
    self.outcome = outcome
    self.supersededFields = supersededFields
    self.refusal = refusal
    self.entry = entry
  }

  public static let notes: Notes = [
    "id": "The change's id.", "deviceID": "Id of the change's device.",
    "outcome":
      "`applied`: it counts, in at least one of its fields; `repeated`: it was known already, with the same content; `superseded`: later writes were there already, and it is kept in the entry's history; `refused`: nothing of it is kept.",
    "supersededFields": "Fields that already had a later write when the change first arrived; absent for none.",
    "refusal": "Why it was refused.",
    "entry": "The entry as it is now; absent if there is none, or the change was refused.",
  ]
}

/// Why one change of a batch was refused, in the terms of a problem document.
public struct ChangeRefusal: Document, Hashable {
  /// An invalid field.
  public struct Field: Document, Hashable {
    /// The field's name.
    public var field: String
    /// The rule that it breaks.
    public var code: String
    /// The rule in the caller's language.
    public var message: String
    /// What to do about it, in the caller's language.
    public var suggestion: String?

    /// A field from its parts.
    public init(field: String, code: String, message: String, suggestion: String? = nil) {
      self.field = field
      self.code = code
      self.message = message
      self.suggestion = suggestion
    }

    public static let notes: Notes = [
      "field": Note("The field.", example: "comment"), "code": Note("The rule that it breaks.", example: "too_long"),
      "message": "The broken rule, in the caller's language.", "suggestion": "How to correct it, in the caller's language.",
    ]
  }

  /// Stable code of the problem; of several problems, of the first.
  public var code: String
  /// All problems of the change as a whole, in the caller's language.
  public var message: String
  /// Every invalid field.
  public var fields: [Field]

  /// A refusal from its parts.
  public init(code: String, message: String, fields: [Field]) {
    self.code = code
    self.message = message
    self.fields = fields
  }

  public static let notes: Notes = [
    "code": Note("Stable name of what is wrong; of several, the first.", example: "not_planned"),
    "message": "Everything that is wrong with the change, in the caller's language.",
    "fields": "Every invalid field.",
  ]
}

/// Takes in changes that devices made while they were offline (ACT-17), in any order and any number of times.
///
/// The later write of each field wins; the loser is kept in the entry's history. A malformed batch is refused as a whole, but a single
/// change that is refused does not stop the others. A change sent again is `repeated`; one that was refused before is evaluated again.
public enum SyncEntries: AccountOperation {
  /// The changes.
  public struct Input: Document, Hashable {
    /// In any order.
    public var changes: [OfflineChange]

    /// The input from its parts.
    public init(changes: [OfflineChange]) { self.changes = changes }

    /// The most changes in one call.
    public static let maxChanges = 200

    public static let notes: Notes = ["changes": Note("The changes, in any order.", items: 1...maxChanges)]
  }

  /// The results.
  public struct Output: Document, Hashable {
    /// One result for each change, in their order.
    public var results: [OfflineChangeResult]

    /// The output from its parts.
    public init(results: [OfflineChangeResult]) { self.results = results }

    public static let notes: Notes = ["results": "One for each change, in the same order."]
  }

  /// The maximum number of new changes per account and UTC day: their names are kept for a year.
  public static let maxPerDay = 5_000

  public static let spec = OperationSpec(
    "entries.sync", of: .activity, .post("/v1/entries/sync"), by: .account, effect: .write, rate: .bulk,
    // The first is reported for a single change, like all failures of one; no other operation has this code.
    failures: [EntryFailure.changeReused.kind, EntryFailure.tooManyChanges.kind],
    // Each change carries its own id, which is remembered for longer than an idempotency key; so the reply, which may be long, need not be
    // kept.
    takesIdempotencyKey: false,
    requirements: ["ACT-17", "ID-13"],
    """
    Applies changes of entries that devices made while they were offline, each once, however often it is sent; the later write \
    of each field wins.
    """)
}
