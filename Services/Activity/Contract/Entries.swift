public import Operations

extension FeatureContract {
  static let entries = FeatureContract(
    operations: [RecordEntry.self, CreateEntry.self, IncrementEntry.self, DeleteEntry.self, GetEntry.self],
    events: [EntryRecorded.self])
}

/// What was done for an activity on one planned day; there is at most one entry per activity and day (ACT-7, ACT-8).
public struct Entry: Document, Hashable {
  /// The activity of the entry.
  public var activityID: ActivityID
  /// On which day.
  public var day: LocalDay
  /// Whether the goal is reached; for a limit: whether the day is over and the limit was not exceeded.
  public var isDone: Bool
  /// For a quantity: how much.
  public var amount: Double?
  /// For a duration: how long.
  public var durationSeconds: Int?
  /// The account's comment on the entry.
  public var comment: String?
  /// Where it was done.
  public var location: EntryLocation?
  /// Identifies the exact bytes of the entry's photo; nil without one.
  public var photoTag: String?
  /// When any field of the entry was last written.
  public var recordedAt: Instant

  /// An entry from its parts.
  public init(
    activityID: ActivityID, day: LocalDay, isDone: Bool, amount: Double?, durationSeconds: Int?, comment: String? = nil,
    location: EntryLocation? = nil, photoTag: String? = nil, recordedAt: Instant
  ) {
    self.activityID = activityID
    self.day = day
    self.isDone = isDone
    self.amount = amount
    self.durationSeconds = durationSeconds
    self.comment = comment
    self.location = location
    self.photoTag = photoTag
    self.recordedAt = recordedAt
  }

  public static let notes: Notes = [
    "activityID": "The activity.", "day": "The day.", "isDone": Note(EntryText.isDone),
    "amount": "For a quantity: the amount.", "durationSeconds": "For a duration: the time.",
    "comment": Note("The account's comment.", example: "Felt great"), "location": "Where it was done.",
    "photoTag": Note(
      "Identifies exactly the bytes of its photo, and is the photo's `ETag`; absent without one.",
      example: "9f86d081884c7d659a2feaa0c55ad015"),
    "recordedAt": "When any part of it was last changed.",
  ]
}

/// Where an entry was made. Kept only with the account's consent to location, which is checked in the transaction that keeps it. Removing a
/// location needs no consent.
public struct EntryLocation: Document, Hashable {
  /// Degrees north of the equator.
  public var latitude: Double
  /// Degrees east of Greenwich.
  public var longitude: Double
  /// The accuracy in metres; nil where the device does not report one.
  public var accuracyMeters: Double?

  /// A location from its parts.
  public init(latitude: Double, longitude: Double, accuracyMeters: Double? = nil) {
    self.latitude = latitude
    self.longitude = longitude
    self.accuracyMeters = accuracyMeters
  }

  /// The valid latitudes, from pole to pole.
  public static let latitudes: ClosedRange<Double> = -90...90
  /// The valid longitudes.
  public static let longitudes: ClosedRange<Double> = -180...180
  /// The valid accuracies: a larger value identifies no point on earth.
  public static let accuracies: ClosedRange<Double> = 0...1_000_000

  public static let notes: Notes = [
    "latitude": Note("Degrees north of the equator.", range: latitudes, isCheckedByFeature: true, example: .number(40.4168)),
    "longitude": Note("Degrees east of Greenwich.", range: longitudes, isCheckedByFeature: true, example: .number(-3.7038)),
    "accuracyMeters": Note(
      "The accuracy, in metres.", range: accuracies, isCheckedByFeature: true, example: .number(12)),
  ]

  /// Returns the rules that the coordinates break. The operation that takes the location calls this, so that one bad change in a batch is
  /// refused alone.
  func brokenRules(_ field: String) -> [BrokenRule] {
    func broken(_ value: Double?, _ range: ClosedRange<Double>, _ name: String) -> [BrokenRule] {
      guard let value, !range.contains(value) else { return [] }
      let limits: [String: Parameter] = ["min": .number(Int(range.lowerBound)), "max": .number(Int(range.upperBound))]
      return [("\(field).\(name)", FieldRule("out_of_range", limits))]
    }
    return broken(latitude, EntryLocation.latitudes, "latitude") + broken(longitude, EntryLocation.longitudes, "longitude")
      + broken(accuracyMeters, EntryLocation.accuracies, "accuracyMeters")
  }
}

/// Ways in which reading or writing an entry can fail.
public enum EntryFailure: String, FailureCode {
  /// The activity is not planned on that day.
  case notPlanned = "not_planned"
  /// The day has not begun in the account's time zone.
  case inFuture = "entry_in_future"
  /// The activity is paused on that day.
  case paused = "day_paused"
  /// The account skips that day.
  case skipped = "day_skipped"
  /// Nothing was recorded on that day.
  case notFound = "entry_not_found"
  /// Something is recorded on that day already.
  case exists = "entry_exists"
  /// There is no change left to undo.
  case nothingToUndo = "nothing_to_undo"
  /// The entry already has a different offline change with that id and device.
  case changeReused = "change_id_reused"
  /// The account has sent more offline changes than are accepted in one day.
  case tooManyChanges = "too_many_changes"

  public var status: Int {
    switch self {
    case .notFound: 404
    case .tooManyChanges: 429
    case .notPlanned, .inFuture, .paused, .skipped, .nothingToUndo, .changeReused, .exists: 409
    }
  }

  /// Failures of writing an entry that depend on its day. Deleting an entry has none of them.
  public static let ofWriting = [notPlanned.kind, inFuture.kind, paused.kind, skipped.kind, ActivityFailure.archived.kind]
}

enum EntryText {
  static var maxCommentCharacters: Int { ContentLimits.current.entryComment }
  /// The meaning of `isDone`, shared by entries and their events.
  static let isDone =
    "Whether the goal is reached; of a limit: whether the day is over and did not exceed it, so never while it is open."
  static let day: Note = "A day such as `2026-11-21`, from 1970-01-01 to 2199-12-31, or `today`."
  /// The rules for a comment, shared by all operations that write one.
  static var comment: Note {
    Note(
      """
      A comment, \(ActivityText.size(maxCommentCharacters)); one without visible characters removes the present one.
      """, length: 0...maxCommentCharacters, example: "Felt great")
  }

  /// The same for an edit, where null removes the comment.
  static var editedComment: String {
    "A comment, \(ActivityText.size(maxCommentCharacters)); null, or one without visible characters, removes it."
  }

  /// Returns the rules that a comment breaks.
  static func brokenRules(_ comment: String?, _ field: String) -> [BrokenRule] {
    guard let comment else { return [] }
    if let rule = ShortText.brokenLength(comment, maximum: maxCommentCharacters) { return [(field, rule)] }
    return ShortText.hasControl(comment) ? [(field, FieldRule("control_character"))] : []
  }
}

/// An invalid field, and the rule that it breaks.
typealias BrokenRule = (field: String, rule: FieldRule)

extension FieldChecks {
  mutating func refuse(_ broken: [BrokenRule]) {
    for (field, rule) in broken { refuse(field, rule) }
  }
}

/// Checks that exactly one of several alternative fields is given. Returns every surplus field, or all fields where none is given.
func expectExactlyOne(_ fields: [(name: String, isGiven: Bool)]) -> [BrokenRule] {
  let given = fields.filter(\.isGiven)
  guard given.count != 1 else { return [] }
  let names = fields.map(\.name).joined(separator: ", ")
  return (given.isEmpty ? fields : given).map { ($0.name, FieldRule("exactly_one", ["fields": .text(names)])) }
}

extension FieldChecks {
  /// Refuses the input unless exactly one of these fields is given. Passes where none could be read and one of them was malformed: that one
  /// may have been meant.
  mutating func expectExactlyOne(_ fields: [(name: String, isGiven: Bool)]) {
    guard fields.contains(where: \.isGiven) || fields.allSatisfy({ areRight($0.name) }) else { return }
    refuse(ActivityContract.expectExactlyOne(fields))
  }
}

/// Sets the progress of a planned day, and the other fields of its entry (ACT-7, ACT-8). Idempotent.
///
/// The input is accepted or refused as a whole: where the photo is too large, nothing is kept. Zero progress is progress too: a day
/// recorded as 0 or as not done has an entry.
public enum RecordEntry: AccountOperation {
  /// Exactly one of the three kinds of progress; other fields that are left out keep their values.
  public struct Input: Form {
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
    /// The comment on the entry.
    public var comment: String?
    /// Where it was done.
    public var location: EntryLocation?
    /// A photo for the entry.
    public var photo: Base64Bytes?
    public var found = FoundProblems()

    private enum CodingKeys: String, CodingKey {
      case activityID, day, isDone, amount, durationSeconds, comment, location, photo
    }

    /// The input from its parts.
    public init(
      activityID: ActivityID, day: DayName, isDone: Bool? = nil, amount: Double? = nil, durationSeconds: Int? = nil,
      comment: String? = nil, location: EntryLocation? = nil, photo: Base64Bytes? = nil
    ) {
      self.activityID = activityID
      self.day = day
      self.isDone = isDone
      self.amount = amount
      self.durationSeconds = durationSeconds
      self.comment = comment
      self.location = location
      self.photo = photo
    }

    public static let notes: Notes = [
      "activityID": "Id of the activity.", "day": EntryText.day,
      "isDone":
        "`true` completes the day, whatever the goal's kind, except where a limit is exceeded; `false` is for `check` only.",
      "amount": Note(
        "For a quantity: the whole amount done, at most 3 decimals.", range: 0...Amounts.maximum, example: .number(1.5)),
      "durationSeconds": Note(
        "For a duration: the whole time spent.", range: 0...Double(Amounts.maxSeconds), example: 900),
      "comment": EntryText.comment, "location": "Where it was done; requires the account's consent to location.",
      "photo": Note(
        "A picture of it: PNG, JPEG or WebP, at most \(ContentLimits.current.photoBytes) bytes and 2,048 pixels each way."),
    ]

    public func check(_ fields: inout FieldChecks) {
      fields.expectExactlyOne([
        ("isDone", isDone != nil), ("amount", amount != nil), ("durationSeconds", durationSeconds != nil),
      ])
      if let amount { fields.expect(Amounts.isExact(amount), "amount", Amounts.tooPrecise) }
      fields.refuse(EntryText.brokenRules(comment, "comment"))
      fields.refuse(location?.brokenRules("location") ?? [])
    }
  }

  public typealias Output = Entry

  public static let spec = OperationSpec(
    "entries.record", of: .activity, .put("/v1/activities/{activityID}/entries/{day}"), by: .account, effect: .write,
    failures: [ActivityFailure.notFound.kind, RequestFailure.consentRequired.kind] + EntryFailure.ofWriting,
    requirements: ["ACT-7", "ACT-8", "ID-13"],
    "Sets the progress of a planned day, with an optional comment, photo and location.")
}

/// Creates the entry of a planned day that has none (T UC 02.01). Where there is one already, the call fails and changes nothing. Accepted
/// or refused as a whole, as is ``RecordEntry``, which sets the progress any number of times.
public enum CreateEntry: AccountOperation {
  public typealias Input = RecordEntry.Input
  public typealias Output = Entry

  public static let spec = OperationSpec(
    "entries.create", of: .activity, .post("/v1/activities/{activityID}/entries"), by: .account, effect: .create,
    failures: [ActivityFailure.notFound.kind, EntryFailure.exists.kind, RequestFailure.consentRequired.kind]
      + EntryFailure.ofWriting,
    requirements: ["ACT-8", "ID-13"],
    """
    Creates the entry of a planned day, with an optional comment, photo and location; where there is one already the answer says \
    so: `entries.update` changes it.
    """)
}

/// Adds to the progress of a planned day, or subtracts from it, never below 0 (ACT-7). Subtracting from a day without an entry returns 0
/// and records nothing.
public enum IncrementEntry: AccountOperation {
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
      "activityID": "Id of the activity.", "day": EntryText.day,
      "amount": Note(
        "For a quantity: the amount to add, or to subtract if negative, at most 3 decimals; not 0.",
        range: -Amounts.maximum...Amounts.maximum,
        example: .number(1)),
      "durationSeconds": Note(
        "For a duration: the time to add, or to subtract if negative; not 0.",
        range: -Double(Amounts.maxSeconds)...Double(Amounts.maxSeconds), example: 60),
    ]

    public func check(_ fields: inout FieldChecks) {
      fields.expectExactlyOne([("amount", amount != nil), ("durationSeconds", durationSeconds != nil)])
      if let amount { fields.expect(Amounts.isExact(amount), "amount", Amounts.tooPrecise) }
      fields.expect(amount != 0, "amount", FieldRule("adds_nothing"))
      fields.expect(durationSeconds != 0, "durationSeconds", FieldRule("adds_nothing"))
    }
  }

  public typealias Output = Entry

  public static let spec = OperationSpec(
    "entries.increment", of: .activity, .post("/v1/activities/{activityID}/entries/{day}/increments"), by: .account,
    effect: .create,
    failures: [ActivityFailure.notFound.kind] + EntryFailure.ofWriting, requirements: ["ACT-7"],
    """
    Adds to the progress of a planned day, or subtracts from it, never below 0; subtracting where nothing is recorded answers 0 \
    and records nothing.
    """)
}

/// Names an entry.
public struct EntryName: Document, Hashable {
  /// Names the activity.
  public var activityID: ActivityID
  /// The day, or today.
  public var day: DayName

  /// The name from its parts.
  public init(activityID: ActivityID, day: DayName) {
    self.activityID = activityID
    self.day = day
  }

  public static let notes: Notes = ["activityID": "Id of the activity.", "day": EntryText.day]
}

/// Returns an entry (ACT-8).
public enum GetEntry: AccountOperation {
  public typealias Input = EntryName
  public typealias Output = Entry

  public static let spec = OperationSpec(
    "entries.get", of: .activity, .get("/v1/activities/{activityID}/entries/{day}"), by: .account, effect: .read,
    failures: [ActivityFailure.notFound.kind, EntryFailure.notFound.kind], requirements: ["ACT-8"], "Returns an entry.")
}

/// Deletes an entry, on whatever day: the day is as if nothing had been recorded (ACT-7, ACT-8). Idempotent.
public enum DeleteEntry: AccountOperation {
  public typealias Input = EntryName
  public typealias Output = Empty

  public static let spec = OperationSpec(
    "entries.delete", of: .activity, .delete("/v1/activities/{activityID}/entries/{day}"), by: .account, effect: .write,
    failures: [ActivityFailure.notFound.kind], requirements: ["ACT-7", "ACT-8"],
    "Deletes an entry: the day is as if nothing had been recorded.")
}

/// The present progress of an activity on a day, or the end of a limit's day that has an entry. Comment, photo and location are private to
/// the account and are not published.
public struct EntryRecorded: Event, Hashable {
  /// The account that owns the activity.
  public var accountID: AccountID
  /// The activity.
  public var activityID: ActivityID
  /// The day.
  public var day: LocalDay
  /// Whether the goal is reached; for a limit: whether the day is over and the limit was not exceeded.
  public var isDone: Bool
  /// Whether the entry was deleted.
  public var isDeleted: Bool
  /// For a quantity: how much.
  public var amount: Double?
  /// For a duration: how long.
  public var durationSeconds: Int?
  /// When the entry was written: how late after its day decides what it is worth.
  public var recordedAt: Instant

  /// The event from its parts.
  public init(
    accountID: AccountID, activityID: ActivityID, day: LocalDay, isDone: Bool, isDeleted: Bool, amount: Double?,
    durationSeconds: Int?, recordedAt: Instant
  ) {
    self.accountID = accountID
    self.activityID = activityID
    self.day = day
    self.isDone = isDone
    self.isDeleted = isDeleted
    self.amount = amount
    self.durationSeconds = durationSeconds
    self.recordedAt = recordedAt
  }

  public static let notes: Notes = [
    "accountID": "The account whose activity it is.", "activityID": "The activity.", "day": "The day.",
    "isDone": Note(EntryText.isDone),
    "isDeleted": "Whether the entry was deleted.", "amount": "For a quantity: the amount.",
    "durationSeconds": "For a duration: the time.", "recordedAt": "When it was written.",
  ]

  public static let spec = EventSpec(
    "entries.recorded", by: .activity, requirements: ["ACT-7", "ACT-8"],
    "The progress of an activity on a day was recorded or changed, or a day with an entry of a limit is over.")
}
