public import Operations

/// An account's activity is now this: published when it is made, and with each change of it.
public struct ActivityChanged: Event, Hashable {
  /// Whose it is.
  public var accountID: AccountID
  /// The activity, whole; of two states the one with the higher revision is the later.
  public var activity: Activity

  /// The event from its parts.
  public init(accountID: AccountID, activity: Activity) {
    self.accountID = accountID
    self.activity = activity
  }

  public static let notes: Notes = [
    "accountID": "Whose it is.", "activity": "The activity, whole; of two states the one with the higher revision is the later.",
  ]

  public static let spec = EventSpec(
    "activities.changed", by: .activity, requirements: ["ACT-1", "ACT-6"],
    "An account's activity is now this: published when it is made, and with each change of it.")
}

/// An account deleted an activity, with its entries and reminders. Nothing is published of it any more.
public struct ActivityDeleted: Event, Hashable {
  /// Whose it was.
  public var accountID: AccountID
  /// Which one.
  public var activityID: ActivityID

  /// The event from its parts.
  public init(accountID: AccountID, activityID: ActivityID) {
    self.accountID = accountID
    self.activityID = activityID
  }

  public static let notes: Notes = ["accountID": "Whose it was.", "activityID": "Which one."]

  public static let spec = EventSpec(
    "activities.deleted", by: .activity, requirements: ["ACT-6"],
    "An account deleted an activity, with its entries and reminders.")
}
