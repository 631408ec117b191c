import GRDB
import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

typealias FollowRequestStore = ConnectionRequestStore<Following>

/// Follow requests: sent, listed, accepted, rejected, withdrawn; those that nobody answers expire (SOC-7).
struct FollowRequestFeature: Feature {
  private typealias Handlers = ConnectionRequestHandlers<Following>

  let life: ConnectionRequestLife
  let migrations = [
    FollowRequestStore.migration(8, "follow requests"), FollowRequestStore.hiddenMigration(19, "hidden follow requests"),
  ]
  let tables: [ErasedTable] = [.rows("follow_requests", "from_account = :account OR to_account = :account", .followRequests)]
  let snapshot = [
    SnapshotPart(
      "followRequests", FollowRequestSent.self, FollowRequestAccepted.self, FollowRequestEnded.self,
      page: FollowRequestStore.snapshot)
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(SendFollowRequest.self, prepare: Handlers.asking, write: Handlers.send)
    service.serve(ListFollowRequests.self, read: Handlers.list)
    service.serve(AcceptFollowRequest.self, write: Handlers.accept)
    service.serve(RejectFollowRequest.self, write: Handlers.reject)
    service.serve(WithdrawFollowRequest.self, write: Handlers.withdraw)
    service.run { [life] in ConnectionRequestWorker<Following>(store: $0, life: life) }
  }
}

extension Following: RequestedConnection {
  typealias Refusal = FollowRequestFailure

  /// Whom one account may follow, those included who have not answered yet.
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

extension FollowRequestFailure: ConnectionRefusal {
  static var alreadyConnected: FollowRequestFailure { .alreadyFollowing }
}

extension SendFollowRequest.Input: RequestSending {}

extension AnswerFollowRequest: RequestAnswer {
  var requestID: ID<FollowRequest> { followRequestID }
}
