public import Operations

extension FeatureContract {
  static let entryChanges = FeatureContract(operations: [UndoEntry.self, ListEntryChanges.self, DeleteEntryChanges.self])
}

/// A field of an entry; the later write of a field replaces the earlier one (ACT-17).
public enum EntryField: String, Choice {
  /// How far the goal was reached.
  case progress
  /// The account's comment.
  case comment
  /// Where it was done.
  case location
  /// The photo.
  case photo
  /// The whole entry: it was deleted.
  case entry
}

/// A write of an entry's field that does not count, or no longer counts (ACT-17).
public struct EntryChange: Document, Hashable {
  /// Why a write does not count.
  public enum Cause: String, Choice {
    /// A later write replaced it.
    case overwritten
    /// The entry was deleted after the write.
    case deleted
    /// A later write had already arrived.
    case late
    /// The account undid it.
    case undone
  }

  /// The write's number in the entry's history, ascending.
  public var number: Int
  /// The field that was written.
  public var field: EntryField
  /// For the progress of a check: whether it was done.
  public var isDone: Bool?
  /// For the progress of a quantity: how much.
  public var amount: Double?
  /// For the progress of a duration: how long.
  public var durationSeconds: Int?
  /// The comment that was written; absent where it was removed.
  public var comment: String?
  /// The location that was written; absent where it was removed.
  public var location: EntryLocation?
  /// The photo's tag; the picture itself is gone.
  public var photoTag: String?
  /// The effective time of the write.
  public var madeAt: Instant
  /// The id that the device gave to the change; absent for writes that did not come from `entries.sync`.
  public var changeID: ChangeID?
  /// The device.
  public var deviceID: DeviceID?
  /// Why the write does not count.
  public var cause: Cause
  /// Since when the write does not count.
  public var lostAt: Instant

  /// A change from its parts, without its value.
  public init(
    number: Int, field: EntryField, madeAt: Instant, changeID: ChangeID?, deviceID: DeviceID?, cause: Cause, lostAt: Instant
  ) {
    self.number = number
    self.field = field
    self.madeAt = madeAt
    self.changeID = changeID
    self.deviceID = deviceID
    self.cause = cause
    self.lostAt = lostAt
  }

  public static let notes: Notes = [
    "number": "Its number in the entry's history, growing.",
    "field": "The field that was written; `entry` if the whole entry was deleted.",
    "isDone": "For the progress of a check: whether it was done.", "amount": "For the progress of a quantity: the amount.",
    "durationSeconds": "For the progress of a duration: the time.",
    "comment": "The comment that was written; absent if it was removed.",
    "location": "The location that was written; absent if it was removed.",
    "photoTag": "The photo's tag; the picture itself is no longer kept.",
    "madeAt": "The time of the write by which it is ordered.",
    "changeID": "The change's id from its device; absent for writes that did not come by `entries.sync`.",
    "deviceID": "The device that made the change.",
    "cause":
      "`overwritten`: a later write replaced it; `deleted`: the entry was deleted after it; `late`: a later write was there when it arrived; `undone`: it was undone itself.",
    "lostAt": "Since when it no longer counts.",
  ]
}

/// Lists the writes of an entry that do not count any more, newest first (ACT-17).
public enum ListEntryChanges: AccountOperation {
  /// Which entry, and which page.
  public struct Input: ListInput, Hashable {
    /// Names the activity.
    public var activityID: ActivityID
    /// The day, or today.
    public var day: DayName
    public var limit: Int?
    public var cursor: PageCursor?

    /// The input from its parts.
    public init(activityID: ActivityID, day: DayName, limit: Int? = nil, cursor: PageCursor? = nil) {
      self.activityID = activityID
      self.day = day
      self.limit = limit
      self.cursor = cursor
    }

    public static let notes = listNotes(["activityID": "Id of the activity.", "day": EntryText.day])
  }

  public typealias Output = Page<EntryChange>

  public static let spec = OperationSpec(
    "entryChanges.list", of: .activity, .get("/v1/activities/{activityID}/entries/{day}/changes"), by: .account, effect: .read,
    failures: [ActivityFailure.notFound.kind], requirements: ["ACT-17"],
    "Lists the writes of an entry that no longer count, newest first; at least the last 2,000 writes.")
}

/// Permanently forgets the writes of an entry that do not count any more. The entry stays as it is.
///
/// Deleting the activity or the account forgets them too; deleting the entry does not, so that the deletion can be undone.
public enum DeleteEntryChanges: AccountOperation {
  public typealias Input = EntryName
  public typealias Output = Empty

  public static let spec = OperationSpec(
    "entryChanges.delete", of: .activity, .delete("/v1/activities/{activityID}/entries/{day}/changes"), by: .account,
    effect: .write, failures: [ActivityFailure.notFound.kind], requirements: ["ACT-17"],
    "Permanently deletes the writes of an entry that no longer count.")
}

/// Undoes the last change of an entry's progress, or its deletion, with the other fields of the same change; a further call undoes the
/// change before (ACT-7). Each call is one step: a caller that lost the reply retries with the same idempotency key.
public enum UndoEntry: AccountOperation {
  public typealias Input = EntryName

  /// The entry after the undo.
  public struct Output: Document, Hashable {
    /// Absent where nothing is recorded any more.
    public var entry: Entry?

    /// The output from its parts.
    public init(entry: Entry?) { self.entry = entry }

    public static let notes: Notes = ["entry": "The entry after that; absent if nothing is recorded any more."]
  }

  public static let spec = OperationSpec(
    "entries.undo", of: .activity, .post("/v1/activities/{activityID}/entries/{day}/undo"), by: .account, effect: .write,
    failures: [ActivityFailure.notFound.kind, EntryFailure.nothingToUndo.kind] + EntryFailure.ofWriting,
    requirements: ["ACT-7"],
    """
    Undoes the last change of an entry's progress, with what was written beside it, or its deletion; repeated, the change \
    before.
    """)
}
