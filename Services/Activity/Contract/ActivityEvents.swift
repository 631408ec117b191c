public import Operations

extension FeatureContract {
  static let activityEvents = FeatureContract(events: [ActivityChanged.self, ActivityDeleted.self])
}

/// The present state of an account's activity; published when it is created and with each change.
public struct ActivityChanged: Event, Hashable {
  /// The account that owns the activity.
  public var accountID: AccountID
  /// The whole activity; of two states the one with the higher revision is the later.
  public var activity: Activity

  /// The event from its parts.
  public init(accountID: AccountID, activity: Activity) {
    self.accountID = accountID
    self.activity = activity
  }

  public static let notes: Notes = [
    "accountID": "The account that it belongs to.",
    "activity": "The whole activity; of two states, the one with the higher revision is the later.",
  ]

  public static let spec = EventSpec(
    "activities.changed", by: .activity, requirements: ["ACT-1", "ACT-6"],
    "An activity was created or changed; carries its whole state.")
}

/// An account deleted an activity, with its entries and reminders. No further event about the activity is published.
public struct ActivityDeleted: Event, Hashable {
  /// The account that owned the activity.
  public var accountID: AccountID
  /// The deleted activity.
  public var activityID: ActivityID

  /// The event from its parts.
  public init(accountID: AccountID, activityID: ActivityID) {
    self.accountID = accountID
    self.activityID = activityID
  }

  public static let notes: Notes = ["accountID": "The account that it belonged to.", "activityID": "The activity."]

  public static let spec = EventSpec(
    "activities.deleted", by: .activity, requirements: ["ACT-6"],
    "An account deleted an activity, with its entries and reminders.")
}
