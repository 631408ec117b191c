public import Operations

/// Changes the fields of an entry that are given (ACT-8).
public enum EditEntry: Operation {
  /// What is left out stays as it is; null removes comment and location.
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
    /// What to say of it.
    public var comment: FieldEdit<String>
    /// Where it was done.
    public var location: FieldEdit<EntryLocation>
    public var found = FoundProblems()

    /// The input from its parts.
    public init(
      activityID: ActivityID, day: DayName, isDone: Bool? = nil, amount: Double? = nil, durationSeconds: Int? = nil,
      comment: FieldEdit<String> = .keep, location: FieldEdit<EntryLocation> = .keep
    ) {
      self.activityID = activityID
      self.day = day
      self.isDone = isDone
      self.amount = amount
      self.durationSeconds = durationSeconds
      self.comment = comment
      self.location = location
    }

    public static let notes: Notes = RecordEntry.Input.notes.merging([
      "comment": Note(
        EntryText.editedComment, length: 0...EntryText.maxCommentCharacters, isNullable: true, example: "Felt great"),
      "location": Note("Where it was done, with the account's consent to location; null removes it.", isNullable: true),
    ]) { $1 }.filter { $0.key != "photo" }

    public func check(_ fields: inout FieldChecks) {
      let progress = [("isDone", isDone != nil), ("amount", amount != nil), ("durationSeconds", durationSeconds != nil)]
      if progress.contains(where: \.1) { fields.refuse(expectExactlyOne(progress)) }
      if let amount { fields.expect(Amounts.isExact(amount), "amount", Amounts.tooPrecise) }
      fields.refuse(EntryText.brokenRules(comment.value, "comment"))
      fields.refuse(location.value?.brokenRules("location") ?? [])
    }
  }

  public typealias Output = Entry

  public static let spec = OperationSpec(
    "entries.edit", of: .activity, .patch("/v1/activities/{activityID}/entries/{day}"), by: .account, effect: .write,
    failures: [ActivityFailure.notFound.kind, EntryFailure.notFound.kind, RequestFailure.consentRequired.kind]
      + EntryFailure.ofWriting, requirements: ["ACT-8", "ID-13"],
    "Change the fields of an entry that are given; null removes comment and location.")
}

extension EditEntry.Input {
  enum CodingKeys: String, CodingKey { case activityID, day, isDone, amount, durationSeconds, comment, location }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      activityID: try container.decode(ActivityID.self, forKey: .activityID),
      day: try container.decode(DayName.self, forKey: .day),
      isDone: try container.decodeIfPresent(Bool.self, forKey: .isDone),
      amount: try container.decodeIfPresent(Double.self, forKey: .amount),
      durationSeconds: try container.decodeIfPresent(Int.self, forKey: .durationSeconds),
      comment: try container.edit(of: String.self, forKey: .comment),
      location: try container.edit(of: EntryLocation.self, forKey: .location))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(activityID, forKey: .activityID)
    try container.encode(day, forKey: .day)
    try container.encodeIfPresent(isDone, forKey: .isDone)
    try container.encodeIfPresent(amount, forKey: .amount)
    try container.encodeIfPresent(durationSeconds, forKey: .durationSeconds)
    try container.encode(comment, forKey: .comment)
    try container.encode(location, forKey: .location)
  }
}
