public import Operations

extension FeatureContract {
  static let pauses = FeatureContract(operations: [CreatePause.self, UpdatePause.self, DeletePause.self])
}

/// A range of days on which an activity is paused: the days are not due, and neither add to a streak nor break it (ACT-14).
public struct Pause: Document, Hashable {
  /// Names the pause.
  public var id: PauseID
  /// The activity.
  public var activityID: ActivityID
  /// The first day of the pause.
  public var firstDay: LocalDay
  /// The last day of the pause.
  public var lastDay: LocalDay
  /// Whether archiving made the pause: it lasts from the day on which the activity was archived until it is unarchived.
  public var isArchive: Bool

  /// A pause from its parts.
  public init(id: PauseID, activityID: ActivityID, firstDay: LocalDay, lastDay: LocalDay, isArchive: Bool = false) {
    self.id = id
    self.activityID = activityID
    self.firstDay = firstDay
    self.lastDay = lastDay
    self.isArchive = isArchive
  }

  public static let notes: Notes = [
    "id": "Id of the pause.", "activityID": "The activity.", "firstDay": "The first paused day.",
    "lastDay": "The last paused day.",
    "isArchive": "Whether it belongs to the archive: it lasts until the activity is unarchived, and cannot be changed.",
  ]
}

/// Names a pause.
public typealias PauseID = ID<Pause>

/// Ways in which pausing an activity can fail.
public enum PauseFailure: String, FailureCode {
  /// The activity has no pause with that id.
  case notFound = "pause_not_found"
  /// The activity is already paused on some of the days.
  case overlaps = "pause_overlaps"
  /// The activity has reached the maximum number of pauses.
  case tooMany = "too_many_pauses"

  public var status: Int {
    switch self {
    case .notFound: 404
    case .overlaps, .tooMany: 409
    }
  }
}

/// Pauses an activity for a range of days, past ones too (ACT-14). Entries on these days stay, and count again without the pause.
///
/// On an archived activity it applies in addition to the archive's own pause, and continues after the activity is unarchived.
public enum CreatePause: AccountOperation {
  /// Which activity and days.
  public struct Input: Document {
    /// Names the activity.
    public var activityID: ActivityID
    /// The first day; the account's today by default.
    public var firstDay: LocalDay?
    /// The last day.
    public var lastDay: LocalDay

    /// The input from its parts.
    public init(activityID: ActivityID, firstDay: LocalDay? = nil, lastDay: LocalDay) {
      self.activityID = activityID
      self.firstDay = firstDay
      self.lastDay = lastDay
    }

    public static let notes: Notes = [
      "activityID": "Id of the activity.",
      "firstDay": "The first day, from 1970-01-01 on; the account's today by default.",
      "lastDay": "The last day, up to 2199-12-31. An activity has at most 200 pauses.",
    ]

    public func check(_ fields: inout FieldChecks) {
      PlannableDays.check(firstDay, "firstDay", &fields)
      PlannableDays.check(lastDay, "lastDay", &fields)
      PlannableDays.checkOrder(("firstDay", firstDay), ("lastDay", lastDay), &fields)
    }
  }

  public typealias Output = Pause

  public static let spec = OperationSpec(
    "pauses.create", of: .activity, .post("/v1/activities/{activityID}/pauses"), by: .account, effect: .create,
    failures: [ActivityFailure.notFound.kind, PauseFailure.overlaps.kind, PauseFailure.tooMany.kind], requirements: ["ACT-14"],
    "Pauses an activity for a range of days.")
}

/// Changes the days of a pause (ACT-14), but not of the archive's own.
public enum UpdatePause: AccountOperation {
  /// Which pause, and its new days.
  public struct Input: Document {
    /// Names the activity.
    public var activityID: ActivityID
    /// Names the pause.
    public var pauseID: PauseID
    /// The first day.
    public var firstDay: Patch<LocalDay>
    /// The last day.
    public var lastDay: Patch<LocalDay>

    /// The input from its parts.
    public init(activityID: ActivityID, pauseID: PauseID, firstDay: Patch<LocalDay> = .keep, lastDay: Patch<LocalDay> = .keep) {
      self.activityID = activityID
      self.pauseID = pauseID
      self.firstDay = firstDay
      self.lastDay = lastDay
    }

    public static let notes: Notes = [
      "activityID": "Id of the activity.", "pauseID": "Id of the pause.",
      "firstDay": "The first paused day; unchanged if absent.",
      "lastDay": "The last paused day; unchanged if absent.",
    ]

    public func check(_ fields: inout FieldChecks) {
      PlannableDays.check(firstDay.value, "firstDay", &fields)
      PlannableDays.check(lastDay.value, "lastDay", &fields)
      PlannableDays.checkOrder(("firstDay", firstDay.value), ("lastDay", lastDay.value), &fields)
    }
  }

  public typealias Output = Pause

  public static let spec = OperationSpec(
    "pauses.update", of: .activity, .patch("/v1/activities/{activityID}/pauses/{pauseID}"), by: .account, effect: .write,
    failures: [
      ActivityFailure.notFound.kind, ActivityFailure.archived.kind, PauseFailure.notFound.kind, PauseFailure.overlaps.kind,
    ], requirements: ["ACT-14"], "Changes the days of a pause.")
}

/// Deletes a pause: its days are due as if there had been none (ACT-14). The archive's own pause ends with `activities.unarchive`.
public enum DeletePause: AccountOperation {
  /// Which pause.
  public struct Input: Document {
    /// Names the activity.
    public var activityID: ActivityID
    /// Names the pause.
    public var pauseID: PauseID

    /// The input from its parts.
    public init(activityID: ActivityID, pauseID: PauseID) {
      self.activityID = activityID
      self.pauseID = pauseID
    }

    public static let notes: Notes = ["activityID": "Id of the activity.", "pauseID": "Id of the pause."]
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "pauses.delete", of: .activity, .delete("/v1/activities/{activityID}/pauses/{pauseID}"), by: .account, effect: .write,
    failures: [ActivityFailure.notFound.kind, ActivityFailure.archived.kind, PauseFailure.notFound.kind],
    requirements: ["ACT-14"],
    "Deletes a pause: its days are asked for as if there had been none.")
}
