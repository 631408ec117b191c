public import Operations

extension FeatureContract {
  static let followedActivities = FeatureContract(operations: [ListFollowedActivities.self])
}

/// An activity of an account that the caller follows, and its state today (ACT-13).
public struct FollowedActivity: Document, Hashable {
  /// The account that owns the activity.
  public var accountID: AccountID
  /// Its owner's username.
  public var username: Username
  /// Its owner's nickname, if there is one.
  public var nickname: String?
  /// Where its owner's photo is, if there is one.
  public var photoURL: PhotoURL?
  /// Names the activity.
  public var activityID: ActivityID
  /// The activity's title.
  public var title: String
  /// The activity's category.
  public var category: ActivityCategory
  /// Name of the category's icon.
  public var icon: String
  /// The owner's present local day.
  public var day: LocalDay
  /// The activity's state today; nil if nothing is planned.
  public var state: DayState?

  /// An activity from its parts; the icon is its category's.
  public init(
    accountID: AccountID, username: Username, nickname: String?, photoURL: PhotoURL? = nil, activityID: ActivityID,
    title: String, category: ActivityCategory, day: LocalDay, state: DayState?
  ) {
    self.accountID = accountID
    self.username = username
    self.nickname = nickname
    self.photoURL = photoURL
    self.activityID = activityID
    self.title = title
    self.category = category
    icon = category.icon
    self.day = day
    self.state = state
  }

  public static let notes: Notes = [
    "accountID": "The account whose activity it is.", "username": "Its owner's username.",
    "nickname": "Its owner's nickname, if there is one.",
    "photoURL": "Its owner's photo, if there is one.", "activityID": "Id of the activity.", "title": "Its title.",
    "category": "What kind of thing it is.",
    "icon": Note("Name of the category's icon, as in the Lucide set.", example: "droplet"),
    "day": "The owner's present local day.", "state": "Its state today; absent if nothing is planned.",
  ]
}

/// Lists the activities of the accounts that the caller follows, by their owners' usernames (ACT-13).
public enum ListFollowedActivities: AccountOperation {
  /// Which activities to list.
  public struct Input: ListInput {
    /// Only activities of this account.
    public var accountID: AccountID?
    public var limit: Int?
    public var cursor: PageCursor?

    /// The input from its parts.
    public init(accountID: AccountID? = nil, limit: Int? = nil, cursor: PageCursor? = nil) {
      self.accountID = accountID
      self.limit = limit
      self.cursor = cursor
    }

    public static let notes = listNotes(["accountID": "Only those of this account, which the caller must follow."])
  }

  public typealias Output = Page<FollowedActivity>

  public static let spec = OperationSpec(
    "followedActivities.list", of: .activity, .get("/v1/followed-activities"), by: .account, effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["ACT-13"],
    "Lists the activities of the accounts that the caller follows, with their state today.")
}
