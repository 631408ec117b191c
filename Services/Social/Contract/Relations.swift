public import Operations

extension FeatureContract {
  static let relations = FeatureContract(events: [RelationChanged.self])
}

/// The relation between an account and another, as the first one sees it (SOC-2, SOC-7, SOC-8).
///
/// Only pending requests are included. A block by the other account does not show: the account's own requests look pending.
public struct Relation: Document, Hashable {
  public var isFriend: Bool
  public var friendRequest: ConnectionRequestDirection?
  public var friendRequestID: ID<FriendRequest>?
  public var follows: Bool
  public var isFollowedBy: Bool
  public var followRequestSentID: ID<FollowRequest>?
  public var followRequestReceivedID: ID<FollowRequest>?
  public var isBlocked: Bool

  public init(
    isFriend: Bool = false, friendRequest: ConnectionRequestDirection? = nil, friendRequestID: ID<FriendRequest>? = nil,
    follows: Bool = false, isFollowedBy: Bool = false, followRequestSentID: ID<FollowRequest>? = nil,
    followRequestReceivedID: ID<FollowRequest>? = nil, isBlocked: Bool = false
  ) {
    self.isFriend = isFriend
    self.friendRequest = friendRequest
    self.friendRequestID = friendRequestID
    self.follows = follows
    self.isFollowedBy = isFollowedBy
    self.followRequestSentID = followRequestSentID
    self.followRequestReceivedID = followRequestReceivedID
    self.isBlocked = isBlocked
  }

  public static let notes: Notes = [
    "isFriend": "Whether the two are friends.", "friendRequest": "Whether the pending friend request was received or sent.",
    "friendRequestID": "The pending friend request.", "follows": "Whether the caller follows the other account.",
    "isFollowedBy": "Whether the other account follows the caller.",
    "followRequestSentID": "The caller's pending request to follow the other account.",
    "followRequestReceivedID": "The other account's pending request to follow the caller, who can answer it.",
    "isBlocked": "Whether the caller has blocked the other account.",
  ]
}

// MARK: - Events

/// The relation between two accounts has changed: its whole current state, as one of the two sees it. There is an event for each of the
/// two.
///
/// A subscriber keeps the event with the highest ``revision`` and ignores older ones. The snapshot includes all relations, even those that
/// have ended.
public struct RelationChanged: Event, Hashable {
  public var accountID: AccountID
  public var otherAccountID: AccountID
  public var relation: Relation
  /// For services alone: the account itself is not to know.
  public var isBlockedByOther: Bool
  public var revision: Int
  public var at: Instant

  public init(
    accountID: AccountID, otherAccountID: AccountID, relation: Relation, isBlockedByOther: Bool, revision: Int, at: Instant
  ) {
    self.accountID = accountID
    self.otherAccountID = otherAccountID
    self.relation = relation
    self.isBlockedByOther = isBlockedByOther
    self.revision = revision
    self.at = at
  }

  /// Whether neither is to see or reach the other: one of them has blocked the other.
  public var isApart: Bool { relation.isBlocked || isBlockedByOther }

  public static let notes: Notes = [
    "accountID": "The account whose relation it is.", "otherAccountID": "The other account.",
    "relation": "The whole relation between the two now.",
    "isBlockedByOther": "Whether the other account has blocked this one.",
    "revision": "Grows with each change between the two; the highest is the newest.", "at": "When it changed.",
  ]

  public static let spec = EventSpec(
    "relations.changed", by: .social, requirements: ["SOC-2", "SOC-3", "SOC-7", "SOC-8"],
    "The relation between two accounts changed: friendship, follows, requests, blocks.")
}
