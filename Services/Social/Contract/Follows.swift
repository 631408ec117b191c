public import Operations

extension FeatureContract {
  static let follows = FeatureContract(
    operations: [ListFollows.self, ListFollowers.self, RemoveFollow.self, RemoveFollower.self], events: [FollowChanged.self])
}

/// The other account of a follow: one that the account follows, or that follows it (SOC-7).
public struct Follow: Document, Hashable {
  public var accountID: AccountID
  public var username: Username
  public var nickname: String?
  public var photoURL: PhotoURL?
  public var since: Instant

  public init(accountID: AccountID, username: Username, nickname: String?, photoURL: PhotoURL? = nil, since: Instant) {
    self.accountID = accountID
    self.username = username
    self.nickname = nickname
    self.photoURL = photoURL
    self.since = since
  }

  public static let notes: Notes = [
    "accountID": "The other account.", "username": "Its username.", "nickname": "Its nickname, if it has one.",
    "photoURL": "Its photo, if it has one.", "since": "When the following began.",
  ]
}

/// Whom an account follows, by username (SOC-7).
public enum ListFollows: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<Follow>

  public static let spec = OperationSpec(
    "follows.list", of: .social, .get("/v1/follows"), by: .account, effect: .read,
    requirements: ["SOC-7"], "Lists the accounts that the caller follows, by username.")
}

/// Who follows an account, by username (SOC-7). For a moment after somebody's change of it, they may stand at the place of the former one.
public enum ListFollowers: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<Follow>

  public static let spec = OperationSpec(
    "followers.list", of: .social, .get("/v1/followers"), by: .account, effect: .read,
    requirements: ["SOC-7"],
    "Lists the accounts that follow the caller, by username; for a moment after a change, by the former one.")
}

/// Ends following another account (SOC-7).
public enum RemoveFollow: AccountOperation {
  public struct Input: Document {
    public var accountID: AccountID

    public init(accountID: AccountID) { self.accountID = accountID }

    public static let notes: Notes = ["accountID": "The account that is followed."]
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "follows.remove", of: .social, .delete("/v1/follows/{accountID}"), by: .account, effect: .write,
    failures: [RequestFailure.notFound.kind], requirements: ["SOC-7"], "Stops following an account.")
}

/// Ends that another account follows one's own (SOC-7). It is not notified.
public enum RemoveFollower: AccountOperation {
  public struct Input: Document {
    public var accountID: AccountID

    public init(accountID: AccountID) { self.accountID = accountID }

    public static let notes: Notes = ["accountID": "The account that follows."]
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "followers.remove", of: .social, .delete("/v1/followers/{accountID}"), by: .account, effect: .write,
    failures: [RequestFailure.notFound.kind], requirements: ["SOC-7"], "Removes a follower of the caller.")
}

// MARK: - Events

/// The state of a follow between two accounts, which may have ended. A subscriber keeps the highest revision, and may receive events in any
/// order.
public struct FollowChanged: Event, Hashable {
  public enum State: String, Choice {
    /// It follows, and may see what followers see.
    case accepted
    /// The follow has ended, by either of the two.
    case ended
  }

  public var followerAccountID: AccountID
  public var followedAccountID: AccountID
  public var state: State
  /// Grows with each change of the two.
  public var revision: Int
  public var at: Instant

  public init(followerAccountID: AccountID, followedAccountID: AccountID, state: State, revision: Int, at: Instant) {
    self.followerAccountID = followerAccountID
    self.followedAccountID = followedAccountID
    self.state = state
    self.revision = revision
    self.at = at
  }

  public static let notes: Notes = [
    "followerAccountID": "The account that follows, or followed.", "followedAccountID": "The account that is followed, or was.",
    "state": "Whether the account follows now.", "revision": Note("Grows with each change between the two.", range: 1...9e15),
    "at": "When this changed.",
  ]

  public static let spec = EventSpec(
    "follows.changed", by: .social, requirements: ["SOC-7"], "An account began or stopped following another.")
}
