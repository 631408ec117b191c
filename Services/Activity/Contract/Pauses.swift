public import Operations

/// A range of days on which an activity rests: they are not asked for, and neither add to a streak nor break it (ACT-14).
public struct Pause: Document, Hashable {
  /// Names the pause.
  public var id: PauseID
  /// The activity.
  public var activityID: ActivityID
  /// The first day of it.
  public var firstDay: LocalDay
  /// The last day of it.
  public var lastDay: LocalDay

  /// A pause from its parts.
  public init(id: PauseID, activityID: ActivityID, firstDay: LocalDay, lastDay: LocalDay) {
    self.id = id
    self.activityID = activityID
    self.firstDay = firstDay
    self.lastDay = lastDay
  }

  public static let notes: Notes = [
    "id": "Names the pause.", "activityID": "The activity.", "firstDay": "The first day of it.", "lastDay": "The last day of it.",
  ]
}

/// Names a pause.
public typealias PauseID = ID<Pause>
