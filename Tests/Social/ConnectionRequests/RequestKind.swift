import InProcess
import Operations
import SocialContract
import Storage

/// One of the two kinds of request between accounts, under one set of names, for tests of what holds for both.
enum RequestKind: CaseIterable {
  case friendship, following

  /// The events of a request that is sent and accepted, in order.
  var events: [String] {
    switch self {
    case .friendship: ["friendRequests.sent", "friendRequests.accepted"]
    case .following: ["followRequests.sent", "follows.changed", "followRequests.accepted"]
    }
  }

  /// The event of a request that ended without an answer.
  var ended: String {
    switch self {
    case .friendship: "friendRequests.ended"
    case .following: "followRequests.ended"
    }
  }

  /// The code of the failure for which friend requests have one and follow requests another.
  func code(_ friendship: FriendRequestFailure, _ following: FollowRequestFailure) -> String {
    switch self {
    case .friendship: friendship.rawValue
    case .following: following.rawValue
    }
  }

  /// What is published of a request that is sent.
  func sent(_ event: LoggedEvent) throws -> (id: ID<EitherRequest>?, from: Username, to: AccountID) {
    switch self {
    case .friendship:
      let sent = try FriendRequestSent.decode(event.body)
      return (ID(bytes: sent.friendRequestID.bytes), sent.fromUsername, sent.toAccountID)
    case .following:
      let sent = try FollowRequestSent.decode(event.body)
      return (ID(bytes: sent.followRequestID.bytes), sent.fromUsername, sent.toAccountID)
    }
  }
}

/// A request of either kind.
typealias EitherRequest = ConnectionRequest<EitherConnection>

enum EitherConnection: Connection {
  static let requestName = "EitherRequest"
}

extension EitherRequest {
  fileprivate init<Kind>(_ request: ConnectionRequest<Kind>) throws {
    self.init(
      id: try request.id.renamed(), direction: request.direction, accountID: request.accountID, username: request.username,
      nickname: request.nickname, photoURL: request.photoURL, state: request.state, sentAt: request.sentAt,
      answeredAt: request.answeredAt)
  }
}

extension ID {
  /// The same id as one of another kind of thing.
  fileprivate func renamed<Other>() throws -> ID<Other> { try ID<Other>(text: description) }
}

extension ServicesInProcess {
  /// What social has published, without the relations that changed by it.
  func publishedButRelations() async throws -> [LoggedEvent] {
    try await published(by: .social).filter { $0.name != RelationChanged.spec.name }
  }

  /// Lets a caller ask the account of that username.
  func ask(_ kind: RequestKind, _ username: Username, as caller: Caller, key: String? = nil) async throws -> EitherRequest {
    switch kind {
    case .friendship: try EitherRequest(await call(SendFriendRequest.self, .init(username: username), as: caller, key: key))
    case .following: try EitherRequest(await call(SendFollowRequest.self, .init(username: username), as: caller, key: key))
    }
  }

  func accept(_ kind: RequestKind, _ request: EitherRequest, as caller: Caller) async throws -> EitherRequest {
    switch kind {
    case .friendship:
      try EitherRequest(await call(AcceptFriendRequest.self, .init(friendRequestID: request.id.renamed()), as: caller))
    case .following:
      try EitherRequest(await call(AcceptFollowRequest.self, .init(followRequestID: request.id.renamed()), as: caller))
    }
  }

  func reject(_ kind: RequestKind, _ request: EitherRequest, as caller: Caller) async throws -> EitherRequest {
    switch kind {
    case .friendship:
      try EitherRequest(await call(RejectFriendRequest.self, .init(friendRequestID: request.id.renamed()), as: caller))
    case .following:
      try EitherRequest(await call(RejectFollowRequest.self, .init(followRequestID: request.id.renamed()), as: caller))
    }
  }

  func withdraw(_ kind: RequestKind, _ request: EitherRequest, as caller: Caller) async throws -> EitherRequest {
    switch kind {
    case .friendship:
      try EitherRequest(await call(WithdrawFriendRequest.self, .init(friendRequestID: request.id.renamed()), as: caller))
    case .following:
      try EitherRequest(await call(WithdrawFollowRequest.self, .init(followRequestID: request.id.renamed()), as: caller))
    }
  }

  func requests(
    _ kind: RequestKind, _ filter: ConnectionRequestFilter = .init(), of caller: Caller
  ) async throws -> (items: [EitherRequest], nextCursor: PageCursor?) {
    switch kind {
    case .friendship:
      let page = try await call(ListFriendRequests.self, filter, as: caller)
      return (try page.items.map { try EitherRequest($0) }, page.nextCursor)
    case .following:
      let page = try await call(ListFollowRequests.self, filter, as: caller)
      return (try page.items.map { try EitherRequest($0) }, page.nextCursor)
    }
  }

  /// The friends of a caller, or those whom it follows.
  func connected(_ kind: RequestKind, to caller: Caller) async throws -> [AccountID] {
    switch kind {
    case .friendship: try await call(ListFriends.self, .init(), as: caller).items.map(\.accountID)
    case .following: try await call(ListFollows.self, .init(), as: caller).items.map(\.accountID)
    }
  }

  /// The failure that a call ends in; nil where it succeeds.
  func failure<Result>(of body: () async throws -> Result) async throws -> Failure? {
    do {
      _ = try await body()
      return nil
    } catch let failure as Failure {
      return failure
    }
  }
}
