public import Operations

extension FeatureContract {
  static let friendRequests = FeatureContract(
    operations: [
      SendFriendRequest.self, ListFriendRequests.self, AcceptFriendRequest.self, RejectFriendRequest.self,
      WithdrawFriendRequest.self,
    ],
    events: [FriendRequestSent.self, FriendRequestAccepted.self, FriendRequestEnded.self])
}

/// To be friends, both ways (SOC-1).
public enum Friendship: Connection {
  public static let requestName = "FriendRequest"
}

/// One account's wish to be friends with another, as one of the two sees it (SOC-1, SOC-2).
public typealias FriendRequest = ConnectionRequest<Friendship>

/// Why a friend request cannot be sent or answered; see ``ConnectionRequestFailure`` too.
public enum FriendRequestFailure: String, FailureCode {
  case toOneself = "friend_request_to_oneself"
  case alreadyFriends = "already_friends"
  case pending = "friend_request_pending"
  case answered = "friend_request_answered"
  /// It was withdrawn, or expired without an answer.
  case ended = "friend_request_ended"

  public var status: Int {
    switch self {
    case .toOneself: 422
    case .alreadyFriends, .pending, .answered, .ended: 409
    }
  }
}

/// Asks another account for friendship (SOC-1).
///
/// If that account has asked first, both want the same: its request is accepted, and the output is that request,
/// `received` and `accepted`.
public enum SendFriendRequest: AccountOperation {
  public struct Input: Document {
    public var username: Username

    public init(username: Username) { self.username = username }

    public static let notes: Notes = ["username": "The username of the account to ask."]
  }

  public typealias Output = FriendRequest

  public static let spec = OperationSpec(
    "friendRequests.send", of: .social, .post("/v1/friend-requests"), by: .verifiedAccount, effect: .create,
    failures: [
      ConnectionRequestFailure.unknownUser.kind, ConnectionRequestFailure.askedTooOften.kind,
      FriendRequestFailure.toOneself.kind, FriendRequestFailure.alreadyFriends.kind,
      FriendRequestFailure.pending.kind, BlockFailure.blockedByYou.kind,
    ],
    requirements: ["SOC-1"],
    "Sends a friend request; if the other account has sent the caller one, that is accepted instead.")
}

/// The requests an account has received and sent, newest first (SOC-2).
public enum ListFriendRequests: AccountOperation {
  public typealias Input = ConnectionRequestFilter
  public typealias Output = Page<FriendRequest>

  public static let spec = OperationSpec(
    "friendRequests.list", of: .social, .get("/v1/friend-requests"), by: .account, effect: .read,
    requirements: ["SOC-2"],
    "Lists the friend requests that the caller has received and sent, newest first.")
}

/// Accepts a request received; the two are friends from then on (SOC-3). Accepting it again changes nothing.
public enum AcceptFriendRequest: AccountOperation {
  public typealias Input = AnswerFriendRequest
  public typealias Output = FriendRequest

  public static let spec = OperationSpec(
    "friendRequests.accept", of: .social, .post("/v1/friend-requests/{friendRequestID}/accept"), by: .verifiedAccount,
    effect: .write, failures: AnswerFriendRequest.failures, requirements: ["SOC-3"],
    "Accepts a friend request that the caller has received.")
}

/// Rejects a request received (SOC-3). The asker sees its state and is not notified; it may ask again.
public enum RejectFriendRequest: AccountOperation {
  public typealias Input = AnswerFriendRequest
  public typealias Output = FriendRequest

  public static let spec = OperationSpec(
    "friendRequests.reject", of: .social, .post("/v1/friend-requests/{friendRequestID}/reject"), by: .account, effect: .write,
    failures: AnswerFriendRequest.failures, requirements: ["SOC-3"],
    "Rejects a friend request that the caller has received.")
}

/// Withdraws the caller's own pending request (SOC-3). The recipient sees its state and is not notified; the caller may ask again.
/// Withdrawing it again changes nothing.
public enum WithdrawFriendRequest: AccountOperation {
  public typealias Input = AnswerFriendRequest
  public typealias Output = FriendRequest

  public static let spec = OperationSpec(
    "friendRequests.withdraw", of: .social, .post("/v1/friend-requests/{friendRequestID}/withdraw"), by: .account,
    effect: .write, failures: AnswerFriendRequest.failures, requirements: ["SOC-3"],
    "Withdraws a friend request that the caller has sent.")
}

/// Which request is answered, or withdrawn.
public struct AnswerFriendRequest: Document {
  public var friendRequestID: ID<FriendRequest>

  public init(friendRequestID: ID<FriendRequest>) { self.friendRequestID = friendRequestID }

  public static let notes: Notes = ["friendRequestID": "The request."]

  /// Only the addressee answers, and only the sender withdraws; to third accounts the request does not exist.
  static let failures = [
    RequestFailure.notFound.kind, RequestFailure.forbidden.kind, FriendRequestFailure.answered.kind,
    FriendRequestFailure.ended.kind,
  ]
}

// MARK: - Events

/// An account asked another for friendship.
public struct FriendRequestSent: Event, Hashable {
  public var friendRequestID: ID<FriendRequest>
  public var fromAccountID: AccountID
  public var fromUsername: Username
  public var toAccountID: AccountID
  public var at: Instant

  public init(
    friendRequestID: ID<FriendRequest>, fromAccountID: AccountID, fromUsername: Username, toAccountID: AccountID, at: Instant
  ) {
    self.friendRequestID = friendRequestID
    self.fromAccountID = fromAccountID
    self.fromUsername = fromUsername
    self.toAccountID = toAccountID
    self.at = at
  }

  public static let notes: Notes = [
    "friendRequestID": "The request.", "fromAccountID": "The account that asked.",
    "fromUsername": "The username of the account that asked, at that time.",
    "toAccountID": "The account that was asked.", "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "friendRequests.sent", by: .social, requirements: ["SOC-1"], "An account sent another a friend request.")
}

/// A request was accepted: its two accounts are friends.
public struct FriendRequestAccepted: Event, Hashable {
  public var friendRequestID: ID<FriendRequest>
  public var fromAccountID: AccountID
  public var fromUsername: Username
  public var toAccountID: AccountID
  public var toUsername: Username
  public var at: Instant

  public init(
    friendRequestID: ID<FriendRequest>, fromAccountID: AccountID, fromUsername: Username, toAccountID: AccountID,
    toUsername: Username, at: Instant
  ) {
    self.friendRequestID = friendRequestID
    self.fromAccountID = fromAccountID
    self.fromUsername = fromUsername
    self.toAccountID = toAccountID
    self.toUsername = toUsername
    self.at = at
  }

  public static let notes: Notes = [
    "friendRequestID": "The request.", "fromAccountID": "The account that had asked.",
    "fromUsername": "The username of the account that asked, at that time.",
    "toAccountID": "The account that accepted.", "toUsername": "The username of the account that accepted, at that time.",
    "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "friendRequests.accepted", by: .social, requirements: ["SOC-3"], "A friend request was accepted: the two are friends.")
}

/// A request was withdrawn or expired before it was answered. For its recipient.
public struct FriendRequestEnded: Event, Hashable {
  public var friendRequestID: ID<FriendRequest>
  public var accountID: AccountID
  public var state: ConnectionRequestState
  public var at: Instant

  public init(friendRequestID: ID<FriendRequest>, accountID: AccountID, state: ConnectionRequestState, at: Instant) {
    self.friendRequestID = friendRequestID
    self.accountID = accountID
    self.state = state
    self.at = at
  }

  public static let notes: Notes = [
    "friendRequestID": "The request.", "accountID": "The account that was asked.", "state": "`withdrawn` or `expired`.",
    "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "friendRequests.ended", by: .social, requirements: ["SOC-3"],
    "A friend request was withdrawn, or expired without an answer.")
}
