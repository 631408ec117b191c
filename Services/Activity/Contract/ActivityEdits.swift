public import Operations

extension FeatureContract {
  static let activityEdits = FeatureContract(
    operations: [UpdateActivity.self, DeleteActivity.self, ArchiveActivity.self, UnarchiveActivity.self, ReorderActivity.self])
}

/// Changes the given fields of an activity (ACT-6); fields that are left out keep their values.
///
/// A new schedule or goal applies from the account's present day on; earlier days keep theirs. A new start or end day applies to all days,
/// past ones too: days added to the range become due, days removed from it do not count. A day with an entry cannot be removed.
public enum UpdateActivity: AccountOperation {
  /// What is to be changed.
  public struct Input: Form {
    /// Names the activity.
    public var activityID: ActivityID
    /// The revision on which the edit is based; without it the edit applies to the present revision.
    public var revision: Int?
    /// The activity's title.
    public var title: Patch<String>
    /// The account's reason for doing the activity.
    public var reason: Patch<Reason?>
    /// The activity's category.
    public var category: Patch<ActivityCategory>
    /// The goal of each planned day.
    public var goal: Patch<Goal>
    /// The days on which the activity is planned.
    public var schedule: Patch<Schedule>
    /// The first day on which it may be planned.
    public var startDay: Patch<LocalDay>
    /// The last day on which it may be planned.
    public var endDay: Patch<LocalDay?>
    /// When the owner is reminded of the activity.
    public var reminders: Patch<[ReminderTime]>
    /// The tags by which the owner finds the activity.
    public var tags: Patch<[Tag]>
    /// The kind of movement that completes the activity.
    public var tie: Patch<MovementKind?>
    public var found = FoundProblems()

    private enum CodingKeys: String, CodingKey {
      case activityID, revision, title, reason, category, goal, schedule, startDay, endDay, reminders, tags, tie
    }

    /// The input from its parts.
    public init(
      activityID: ActivityID, revision: Int? = nil, title: Patch<String> = .keep, reason: Patch<Reason?> = .keep,
      category: Patch<ActivityCategory> = .keep, goal: Patch<Goal> = .keep, schedule: Patch<Schedule> = .keep,
      startDay: Patch<LocalDay> = .keep, endDay: Patch<LocalDay?> = .keep, reminders: Patch<[ReminderTime]> = .keep,
      tags: Patch<[Tag]> = .keep, tie: Patch<MovementKind?> = .keep
    ) {
      self.activityID = activityID
      self.revision = revision
      self.title = title
      self.reason = reason
      self.category = category
      self.goal = goal
      self.schedule = schedule
      self.startDay = startDay
      self.endDay = endDay
      self.reminders = reminders
      self.tags = tags
      self.tie = tie
    }

    private static let whenItHolds = """
      from today on, or from the next day on if today has an entry or a timer that does not fit it; the answer's `holdsFrom` says \
      from when.
      """

    public static let notes: Notes = [
      "activityID": "Id of the activity.",
      "revision": Note(
        "The revision that was edited: if the activity has another by now, nothing is changed (`activity_changed`). Without it, the "
          + "given fields are changed in any case.", range: 1...9_007_199_254_740_991, example: 3),
      "title": ActivityText.title,
      "reason": Note("The reason, \(ActivityText.size(ContentLimits.current.activityReason)); null removes it."),
      "category": "What kind of thing it is.", "goal": Note("The goal of a planned day, \(whenItHolds)"),
      "schedule": Note("The days on which it is planned, \(whenItHolds)"),
      "startDay":
        "The first day on which it may be planned, from 1970-01-01 to 2199-12-31; not after the first day with an entry.",
      "endDay": """
      The last day on which it may be planned, which may be in the past; not before the last day with an entry, nor, if an entry or \
      a timer delays a changed goal or schedule, before the day from which that applies. Null removes it.
      """,
      "reminders": ActivityText.reminders, "tags": ActivityText.tags,
      "tie": "The movement that completes it: steps, or a distance in `m` or `km`; null unties it.",
    ]

    public func check(_ fields: inout FieldChecks) {
      if let title = title.value {
        fields.expect(!title.isBlank, "title", FieldRule("empty"))
        ActivityText.checkSize(title, "title", maximum: ContentLimits.current.activityTitle, &fields)
        ActivityText.checkCharacters(title, "title", &fields)
      }
      ActivityText.checkUnit(of: goal.value, &fields)
      PlannableDays.check(startDay.value, "startDay", &fields)
      PlannableDays.check(endDay.value, "endDay", &fields)
    }
  }

  public typealias Output = Activity

  public static let spec = OperationSpec(
    "activities.update", of: .activity, .patch("/v1/activities/{activityID}"), by: .account, effect: .write,
    failures: [ActivityFailure.notFound.kind, ActivityFailure.changedMeanwhile.kind], requirements: ["ACT-6", "ACT-15"],
    "Changes the given fields of an activity; a changed schedule or goal applies from today on, as `holdsFrom` says.")
}

/// An account's reason for doing something, as an edit gives it: a blank text means no reason.
public struct Reason: TextValue {
  static var maxCharacters: Int { ContentLimits.current.activityReason }

  public let description: String

  public init(text: String) throws(FieldRule) {
    guard !text.isBlank else { throw FieldRule("empty") }
    guard !ShortText.hasControl(text) else { throw FieldRule("control_character") }
    if let rule = ShortText.brokenLength(text, maximum: Reason.maxCharacters) { throw rule }
    description = text.trimmed
  }

  public static let placeholder = Reason(trusted: "?")

  public static var schema: JSON {
    ["type": "string", "minLength": 1, "maxLength": .integer(maxCharacters), "examples": ["To feel awake"]]
  }

  private init(trusted: String) { description = trusted }
}

/// Permanently deletes an activity with its entries and reminders (ACT-6). Requires `confirm: true`.
public enum DeleteActivity: AccountOperation {
  /// Which activity to delete, and the confirmation.
  public struct Input: Document {
    /// Names the activity.
    public var activityID: ActivityID
    /// Whether the person has confirmed it.
    public var confirm: Bool?

    /// The input from its parts.
    public init(activityID: ActivityID, confirm: Bool? = nil) {
      self.activityID = activityID
      self.confirm = confirm
    }

    public static let notes: Notes = [
      "activityID": "Id of the activity.",
      "confirm": Note("`true`: the person has confirmed that activity and entries are permanently deleted.", example: true),
    ]

    public func check(_ fields: inout FieldChecks) {
      fields.expect(confirm == true, "confirm", FieldRule("deletion_not_confirmed"))
    }
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "activities.delete", of: .activity, .delete("/v1/activities/{activityID}"), by: .account, effect: .write,
    failures: [ActivityFailure.notFound.kind], requirements: ["ACT-6"],
    "Permanently deletes an activity with its entries and reminders; requires `confirm=true`.")
}

/// Names one activity.
public struct NamedActivity: Document, Hashable {
  /// Names the activity.
  public var activityID: ActivityID

  /// The input from its parts.
  public init(activityID: ActivityID) { self.activityID = activityID }

  public static let notes: Notes = ["activityID": "Id of the activity."]
}

/// Archives an activity without losing its entries (ACT-14). Idempotent.
public enum ArchiveActivity: AccountOperation {
  public typealias Input = NamedActivity
  public typealias Output = Activity

  public static let spec = OperationSpec(
    "activities.archive", of: .activity, .put("/v1/activities/{activityID}/archive"), by: .account, effect: .write,
    failures: [ActivityFailure.notFound.kind], requirements: ["ACT-14"],
    "Archives an activity: it is planned on no day from today on, and its entries stay.")
}

/// Takes an activity out of the archive (ACT-14). The archived days break no streak. Idempotent.
public enum UnarchiveActivity: AccountOperation {
  public typealias Input = NamedActivity
  public typealias Output = Activity

  public static let spec = OperationSpec(
    "activities.unarchive", of: .activity, .delete("/v1/activities/{activityID}/archive"), by: .account, effect: .write,
    failures: [ActivityFailure.notFound.kind], requirements: ["ACT-14"],
    "Takes an activity out of the archive: it is planned again from today on, and the days in between break no streak.")
}

/// Moves an activity to another position in the account's list (ACT-16). Publishes no event.
public enum ReorderActivity: AccountOperation {
  /// Which activity to move, and after which other.
  public struct Input: Document {
    /// Names the activity.
    public var activityID: ActivityID
    /// The activity after which to place it; without one it becomes the first.
    public var after: ActivityID?

    /// The input from its parts.
    public init(activityID: ActivityID, after: ActivityID? = nil) {
      self.activityID = activityID
      self.after = after
    }

    public static let notes: Notes = [
      "activityID": "Id of the activity.", "after": "The activity after which it is placed; it comes first if absent.",
    ]

    public func check(_ fields: inout FieldChecks) {
      fields.expect(after != activityID, "after", FieldRule("after_itself"))
    }
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "activities.reorder", of: .activity, .put("/v1/activities/{activityID}/position"), by: .account, effect: .write,
    failures: [ActivityFailure.notFound.kind], requirements: ["ACT-16"],
    "Moves an activity behind another one, or to the first position; lists and days show activities in this order.")
}
