import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The table `follow_requests`: what is done with it is the same as with requests of other kinds.
typealias FollowRequestStore = ConnectionRequestStore<Following>

extension Following: RequestedConnection {
  typealias Refusal = FollowRequestFailure

  /// The most accounts that one account may follow, including pending requests.
  static let maximum = 1000

  static let table = "follow_requests"
  static let idColumn = "follow_request_id"
  static let isMutual = false
  /// Which followings there are is published as ``FollowChanged``.
  static let isPublishedAsAccepted = "TRUE"

  static func exists(from account: AccountID, to other: AccountID, in database: Database) throws -> Bool {
    try FollowStore.follows(account, other, in: database)
  }

  static func limit(of account: AccountID, in database: Database) throws -> ConnectionLimit<FollowRequestFailure>? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT (SELECT count(*) FROM follows WHERE follower_account = ?1 AND state = 'accepted')
          + (SELECT count(*) FROM follow_requests WHERE from_account = ?1 AND state = 'pending')
        """)
    return ConnectionLimit(maximum: maximum, count: try Int.fetchOne(statement, arguments: [account]) ?? 0, refusal: .tooMany)
  }

  static func begin(from account: AccountID, to other: AccountID, _ transaction: Transaction) throws {
    try FollowStore.change(account, follows: other, .accepted, transaction)
  }

  static func sent(_ id: ID<FollowRequest>, from: Party, to: Party, at: Instant) -> any Event {
    FollowRequestSent(followRequestID: id, fromAccountID: from.id, fromUsername: from.username, toAccountID: to.id, at: at)
  }

  static func accepted(_ id: ID<FollowRequest>, from: Party, to: Party, at: Instant) -> any Event {
    FollowRequestAccepted(
      followRequestID: id, fromAccountID: from.id, toAccountID: to.id, toUsername: to.username, at: at)
  }

  static func ended(_ id: ID<FollowRequest>, to account: AccountID, _ state: ConnectionRequestState, at: Instant) -> any Event {
    FollowRequestEnded(followRequestID: id, accountID: account, state: state, at: at)
  }
}
