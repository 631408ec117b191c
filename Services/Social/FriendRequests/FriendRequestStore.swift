import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The table `friend_requests`: what is done with it is the same as with requests of other kinds.
typealias FriendRequestStore = ConnectionRequestStore<Friendship>

extension Friendship: RequestedConnection {
  typealias Refusal = FriendRequestFailure

  static let table = "friend_requests"
  static let idColumn = "friend_request_id"
  static let isMutual = true

  /// A subscriber that counts friendships counts only current ones: a friendship that ended is published as requested only.
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
