import GRDB
import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

typealias FriendRequestStore = ConnectionRequestStore<Friendship>

/// Friend requests: sent, listed, accepted, rejected, withdrawn; those that nobody answers expire (SOC-1, SOC-2, SOC-3).
struct FriendRequestFeature: Feature {
  private typealias Handlers = ConnectionRequestHandlers<Friendship>

  let life: ConnectionRequestLife
  let migrations = [
    FriendRequestStore.migration(3, "friend requests"), FriendRequestStore.hiddenMigration(18, "hidden friend requests"),
  ]
  let tables: [ErasedTable] = [.rows("friend_requests", "from_account = :account OR to_account = :account", .friendRequests)]
  let snapshot = [
    SnapshotPart(
      "friendRequests", FriendRequestSent.self, FriendRequestAccepted.self, FriendRequestEnded.self,
      page: FriendRequestStore.snapshot)
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(SendFriendRequest.self, prepare: Handlers.asking, write: Handlers.send)
    service.serve(ListFriendRequests.self, read: Handlers.list)
    service.serve(AcceptFriendRequest.self, write: Handlers.accept)
    service.serve(RejectFriendRequest.self, write: Handlers.reject)
    service.serve(WithdrawFriendRequest.self, write: Handlers.withdraw)
    service.run { [life] in ConnectionRequestWorker<Friendship>(store: $0, life: life) }
  }
}

extension Friendship: RequestedConnection {
  typealias Refusal = FriendRequestFailure

  static let table = "friend_requests"
  static let idColumn = "friend_request_id"
  static let isMutual = true

  /// Whoever counts friendships ends with those that there are: one that ended is published as asked for only.
  static let isPublishedAsAccepted = """
    EXISTS (
      SELECT 1 FROM friendships WHERE low_account = min(r.from_account, r.to_account)
        AND high_account = max(r.from_account, r.to_account))
    """

  static func exists(from account: AccountID, to other: AccountID, in database: Database) throws -> Bool {
    try FriendStore.areFriends(account, other, in: database)
  }

  static func limit(of account: AccountID, in database: Database) -> ConnectionLimit<FriendRequestFailure>? { nil }

  static func begin(from account: AccountID, to other: AccountID, _ transaction: Transaction) throws {
    try FriendStore.add(account, other, transaction)
  }

  static func sent(_ id: ID<FriendRequest>, from: Party, to: Party, at: Instant) -> any Event {
    FriendRequestSent(friendRequestID: id, fromAccountID: from.id, fromUsername: from.username, toAccountID: to.id, at: at)
  }

  static func accepted(_ id: ID<FriendRequest>, from: Party, to: Party, at: Instant) -> any Event {
    FriendRequestAccepted(
      friendRequestID: id, fromAccountID: from.id, fromUsername: from.username, toAccountID: to.id, toUsername: to.username,
      at: at)
  }

  static func ended(_ id: ID<FriendRequest>, to account: AccountID, _ state: ConnectionRequestState, at: Instant) -> any Event {
    FriendRequestEnded(friendRequestID: id, accountID: account, state: state, at: at)
  }
}

extension FriendRequestFailure: ConnectionRefusal {
  static var alreadyConnected: FriendRequestFailure { .alreadyFriends }
}

extension SendFriendRequest.Input: RequestSending {}

extension AnswerFriendRequest: RequestAnswer {
  var requestID: ID<FriendRequest> { friendRequestID }
}
