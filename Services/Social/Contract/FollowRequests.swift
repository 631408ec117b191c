public import Operations

extension FeatureContract {
  static let followRequests = FeatureContract(
    operations: [
      SendFollowRequest.self, ListFollowRequests.self, AcceptFollowRequest.self, RejectFollowRequest.self,
      WithdrawFollowRequest.self,
    ],
    events: [FollowRequestSent.self, FollowRequestAccepted.self, FollowRequestEnded.self])
}

/// To follow the other account, one way (SOC-7).
public enum Following: Connection {
  public static let requestName = "FollowRequest"
}

/// One account's wish to follow another, as one of the two sees it (SOC-7).
public typealias FollowRequest = ConnectionRequest<Following>

/// Why a follow request cannot be sent or answered; see ``ConnectionRequestFailure`` too.
public enum FollowRequestFailure: String, FailureCode {
  case toOneself = "follow_request_to_oneself"
  case alreadyFollowing = "already_following"
  case pending = "follow_request_pending"
  case answered = "follow_request_answered"
  /// It was withdrawn, or expired without an answer.
  case ended = "follow_request_ended"
  /// As many are followed, or asked, as one account may follow.
  case tooMany = "too_many_follows"

  public var status: Int {
    switch self {
    case .toOneself: 422
    case .alreadyFollowing, .pending, .answered, .ended, .tooMany: 409
    }
  }
}

/// Asks another account for permission to follow it (SOC-7). By accepting, that account does not follow back.
public enum SendFollowRequest: AccountOperation {
  public struct Input: Document {
    public var username: Username

    public init(username: Username) { self.username = username }

    public static let notes: Notes = ["username": "The username of the account to follow."]
  }

  public typealias Output = FollowRequest

  public static let spec = OperationSpec(
    "followRequests.send", of: .social, .post("/v1/follow-requests"), by: .verifiedAccount, effect: .create,
    failures: [
      ConnectionRequestFailure.unknownUser.kind, ConnectionRequestFailure.askedTooOften.kind,
      FollowRequestFailure.toOneself.kind, FollowRequestFailure.alreadyFollowing.kind,
      FollowRequestFailure.pending.kind, FollowRequestFailure.tooMany.kind, BlockFailure.blockedByYou.kind,
    ],
    requirements: ["SOC-7"],
    "Asks another account for permission to follow it; the caller may follow, or have asked, at most 1,000.")
}

/// The requests an account has received and sent, newest first (SOC-7).
public enum ListFollowRequests: AccountOperation {
  public typealias Input = ConnectionRequestFilter
  public typealias Output = Page<FollowRequest>

  public static let spec = OperationSpec(
    "followRequests.list", of: .social, .get("/v1/follow-requests"), by: .account, effect: .read,
    requirements: ["SOC-7"],
    "Lists the follow requests that the caller has received and sent, newest first.")
}

/// Accepts a request received: the asker follows from then on (SOC-7). Accepting it again changes nothing.
public enum AcceptFollowRequest: AccountOperation {
  public typealias Input = AnswerFollowRequest
  public typealias Output = FollowRequest

  public static let spec = OperationSpec(
    "followRequests.accept", of: .social, .post("/v1/follow-requests/{followRequestID}/accept"), by: .verifiedAccount,
    effect: .write, failures: AnswerFollowRequest.failures, requirements: ["SOC-7"],
    "Accepts a follow request that the caller has received.")
}

/// Rejects a request received (SOC-7). The asker sees its state and is not notified; it may ask again.
public enum RejectFollowRequest: AccountOperation {
  public typealias Input = AnswerFollowRequest
  public typealias Output = FollowRequest

  public static let spec = OperationSpec(
    "followRequests.reject", of: .social, .post("/v1/follow-requests/{followRequestID}/reject"), by: .account, effect: .write,
    failures: AnswerFollowRequest.failures, requirements: ["SOC-7"],
    "Rejects a follow request that the caller has received.")
}

/// Withdraws the caller's own pending request (SOC-7). The recipient sees its state and is not notified; the caller may ask again.
/// Withdrawing it again changes nothing.
public enum WithdrawFollowRequest: AccountOperation {
  public typealias Input = AnswerFollowRequest
  public typealias Output = FollowRequest

  public static let spec = OperationSpec(
    "followRequests.withdraw", of: .social, .post("/v1/follow-requests/{followRequestID}/withdraw"), by: .account,
    effect: .write, failures: AnswerFollowRequest.failures, requirements: ["SOC-7"],
    "Withdraws a follow request that the caller has sent.")
}

/// Which request is answered, or withdrawn.
public struct AnswerFollowRequest: Document {
  public var followRequestID: ID<FollowRequest>

  public init(followRequestID: ID<FollowRequest>) { self.followRequestID = followRequestID }

  public static let notes: Notes = ["followRequestID": "The request."]

  /// Only the addressee answers, and only the sender withdraws; to third accounts the request does not exist.
  static let failures = [
    RequestFailure.notFound.kind, RequestFailure.forbidden.kind, FollowRequestFailure.answered.kind,
    FollowRequestFailure.ended.kind,
  ]
}

// MARK: - Events

/// An account asked another for permission to follow it.
public struct FollowRequestSent: Event, Hashable {
  public var followRequestID: ID<FollowRequest>
  public var fromAccountID: AccountID
  public var fromUsername: Username
  public var toAccountID: AccountID
  public var at: Instant

  public init(
    followRequestID: ID<FollowRequest>, fromAccountID: AccountID, fromUsername: Username, toAccountID: AccountID, at: Instant
  ) {
    self.followRequestID = followRequestID
    self.fromAccountID = fromAccountID
    self.fromUsername = fromUsername
    self.toAccountID = toAccountID
    self.at = at
  }

  public static let notes: Notes = [
    "followRequestID": "The request.", "fromAccountID": "The account that asked.",
    "fromUsername": "The username of the account that asked, at that time.",
    "toAccountID": "The account that was asked.", "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "followRequests.sent", by: .social, requirements: ["SOC-7"], "An account asked another for permission to follow it.")
}

/// A request was accepted; that its asker follows now is published as ``FollowChanged``.
public struct FollowRequestAccepted: Event, Hashable {
  public var followRequestID: ID<FollowRequest>
  public var fromAccountID: AccountID
  public var toAccountID: AccountID
  public var toUsername: Username
  public var at: Instant

  public init(
    followRequestID: ID<FollowRequest>, fromAccountID: AccountID, toAccountID: AccountID, toUsername: Username, at: Instant
  ) {
    self.followRequestID = followRequestID
    self.fromAccountID = fromAccountID
    self.toAccountID = toAccountID
    self.toUsername = toUsername
    self.at = at
  }

  public static let notes: Notes = [
    "followRequestID": "The request.", "fromAccountID": "The account that had asked.",
    "toAccountID": "The account that accepted.",
    "toUsername": "The username of the account that accepted, at that time.", "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "followRequests.accepted", by: .social, requirements: ["SOC-7"], "A follow request was accepted.")
}

/// A request was withdrawn or expired before it was answered. For its recipient.
public struct FollowRequestEnded: Event, Hashable {
  public var followRequestID: ID<FollowRequest>
  public var accountID: AccountID
  public var state: ConnectionRequestState
  public var at: Instant

  public init(followRequestID: ID<FollowRequest>, accountID: AccountID, state: ConnectionRequestState, at: Instant) {
    self.followRequestID = followRequestID
    self.accountID = accountID
    self.state = state
    self.at = at
  }

  public static let notes: Notes = [
    "followRequestID": "The request.", "accountID": "The account that was asked.", "state": "`withdrawn` or `expired`.",
    "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "followRequests.ended", by: .social, requirements: ["SOC-7"],
    "A follow request was withdrawn, or expired without an answer.")
}
