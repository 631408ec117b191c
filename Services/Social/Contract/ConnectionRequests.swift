public import Operations

/// What one account can ask another for: ``Friendship``, or ``Following`` it.
public protocol Connection: Sendable {
  /// What the documentation for clients calls a request for it.
  static var requestName: String { get }
}

/// One account's wish for a connection with another, as one of the two sees it: a ``FriendRequest`` or a ``FollowRequest``.
public struct ConnectionRequest<Wish: Connection>: Document, Hashable {
  public typealias Direction = ConnectionRequestDirection
  public typealias State = ConnectionRequestState

  public var id: ID<ConnectionRequest>
  public var direction: Direction
  public var accountID: AccountID
  public var username: Username
  public var nickname: String?
  public var photoURL: PhotoURL?
  public var state: State
  public var sentAt: Instant
  public var answeredAt: Instant?

  /// The request as the account that has `accountID` on its other end sees it.
  public init(
    id: ID<ConnectionRequest>, direction: Direction, accountID: AccountID, username: Username, nickname: String?,
    photoURL: PhotoURL? = nil, state: State, sentAt: Instant, answeredAt: Instant?
  ) {
    self.id = id
    self.direction = direction
    self.accountID = accountID
    self.username = username
    self.nickname = nickname
    self.photoURL = photoURL
    self.state = state
    self.sentAt = sentAt
    self.answeredAt = answeredAt
  }

  public static var schemaName: String { Wish.requestName }

  public static var notes: Notes {
    [
      "id": "Id of the request.", "direction": "Whether it was received or sent.", "accountID": "The account on the other end.",
      "username": "Its username.", "nickname": "Its nickname, if it has one.",
      "photoURL": "Its photo, if it has one.", "state": "The state of the request.",
      "sentAt": "When it was sent.", "answeredAt": "When it was accepted, rejected or withdrawn, or when it expired.",
    ]
  }
}

/// Which way a request goes, for the account that looks at it.
public enum ConnectionRequestDirection: String, Choice { case received, sent }

/// The state of a request. `accepted` remains even if the connection ends later; `expired` requests were not answered in time, which is 90
/// days unless the operator has set another time.
public enum ConnectionRequestState: String, Choice { case pending, accepted, rejected, withdrawn, expired }

/// Which of an account's requests are listed.
public struct ConnectionRequestFilter: ListInput {
  public var direction: ConnectionRequestDirection?
  public var state: ConnectionRequestState?
  public var limit: Int?
  public var cursor: PageCursor?

  public init(
    direction: ConnectionRequestDirection? = nil, state: ConnectionRequestState? = nil, limit: Int? = nil,
    cursor: PageCursor? = nil
  ) {
    self.direction = direction
    self.state = state
    self.limit = limit
    self.cursor = cursor
  }

  public static let notes = listNotes([
    "direction": "Only those received, or only those sent.", "state": "Only those in this state.",
  ])
}

/// Why no request of any kind can be sent; each kind has further failures of its own.
public enum ConnectionRequestFailure: String, FailureCode {
  case unknownUser = "unknown_user"
  /// As many requests to that account as may be in a day were withdrawn or rejected.
  case askedTooOften = "asked_too_often"

  public var status: Int { self == .unknownUser ? 404 : 429 }
}
