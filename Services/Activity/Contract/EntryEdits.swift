public import Operations

extension FeatureContract {
  static let entryEdits = FeatureContract(operations: [UpdateEntry.self])
}

/// Changes the given fields of an entry (ACT-8).
public enum UpdateEntry: AccountOperation {
  /// Fields that are left out keep their values; null removes comment and location.
  public struct Input: Form {
    /// Names the activity.
    public var activityID: ActivityID
    /// The day, or today.
    public var day: DayName
    /// `true` completes the day, whatever the goal's kind; `false` is for `check` alone.
    public var isDone: Patch<Bool>
    /// For a quantity: how much is done in all.
    public var amount: Patch<Double>
    /// For a duration: how long was spent in all.
    public var durationSeconds: Patch<Int>
    /// The comment on the entry.
    public var comment: Patch<String?>
    /// Where it was done.
    public var location: Patch<EntryLocation?>
    public var found = FoundProblems()

    private enum CodingKeys: String, CodingKey {
      case activityID, day, isDone, amount, durationSeconds, comment, location
    }

    /// The input from its parts.
    public init(
      activityID: ActivityID, day: DayName, isDone: Patch<Bool> = .keep, amount: Patch<Double> = .keep,
      durationSeconds: Patch<Int> = .keep,
      comment: Patch<String?> = .keep, location: Patch<EntryLocation?> = .keep
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
        EntryText.editedComment, length: 0...EntryText.maxCommentCharacters, example: "Felt great"),
      "location": Note("Where it was done; requires the account's consent to location. Null removes it."),
    ]) { $1 }.filter { $0.key != "photo" }

    public func check(_ fields: inout FieldChecks) {
      let progress = [("isDone", isDone != .keep), ("amount", amount != .keep), ("durationSeconds", durationSeconds != .keep)]
      if progress.contains(where: \.1) { fields.refuse(expectExactlyOne(progress)) }
      if let amount = amount.value { fields.expect(Amounts.isExact(amount), "amount", Amounts.tooPrecise) }
      fields.refuse(EntryText.brokenRules(comment.value, "comment"))
      fields.refuse(location.value?.brokenRules("location") ?? [])
    }
  }

  public typealias Output = Entry

  public static let spec = OperationSpec(
    "entries.update", of: .activity, .patch("/v1/activities/{activityID}/entries/{day}"), by: .account, effect: .write,
    failures: [ActivityFailure.notFound.kind, EntryFailure.notFound.kind, RequestFailure.consentRequired.kind]
      + EntryFailure.ofWriting, requirements: ["ACT-8", "ID-13"],
    "Changes the given fields of an entry; null removes comment and location.")
}
