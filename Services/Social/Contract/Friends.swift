public import Operations

extension FeatureContract {
  static let friends = FeatureContract(operations: [ListFriends.self, RemoveFriend.self])
}

/// The other side of a friendship (SOC-2).
public struct Friend: Document, Hashable {
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
    "accountID": "The friend's account.", "username": "Its username.", "nickname": "Its nickname, if it has one.",
    "photoURL": "Its photo, if it has one.", "since": "When the friendship began.",
  ]
}

/// An account's friends by username (SOC-2). For a moment after somebody's change of it, they may stand at the place of the former one.
public enum ListFriends: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<Friend>

  public static let spec = OperationSpec(
    "friends.list", of: .social, .get("/v1/friends"), by: .account, effect: .read,
    requirements: ["SOC-2"], "Lists the caller's friends by username; for a moment after a change, by the former one.")
}

/// Ends a friendship for both (SOC-3). What they wrote each other stays readable; nothing can be added to it.
public enum RemoveFriend: AccountOperation {
  public struct Input: Document {
    public var accountID: AccountID

    public init(accountID: AccountID) { self.accountID = accountID }

    public static let notes: Notes = ["accountID": "The friend's account."]
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "friends.remove", of: .social, .delete("/v1/friends/{accountID}"), by: .account, effect: .write,
    failures: [RequestFailure.notFound.kind], requirements: ["SOC-3"], "Ends a friendship, for both accounts.")
}
