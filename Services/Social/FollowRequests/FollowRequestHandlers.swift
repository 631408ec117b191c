import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Follow requests: sent, listed, accepted, rejected.
enum FollowRequestHandlers {
  static func serve(_ service: inout ServiceDefinition) {
    service.serve(SendFollowRequest.self, prepare: accounts, write: send)
    service.serve(ListFollowRequests.self, read: list)
    service.serve(AcceptFollowRequest.self, write: accept)
    service.serve(RejectFollowRequest.self, write: reject)
  }

  /// Who asks, and who is asked.
  struct Asking: Sendable {
    let from: Accounts.Known
    let to: Accounts.Known
  }

  /// Finds both accounts, at identity if their events have not arrived yet.
  private static func accounts(_ input: SendFollowRequest.Input, _ call: Call) async throws -> Asking {
    guard let from = try await Accounts.resolve(call.account, call) else { throw Failure(RequestFailure.unauthenticated) }
    guard let to = try await Accounts.resolve(input.username, call) else {
      throw FriendRequestFailure.unknownUser.with(["username": .text(input.username.description)])
    }
    return Asking(from: from, to: to)
  }

  private static func send(
    _ input: SendFollowRequest.Input, _ asking: Asking, _ call: Call, _ transaction: Transaction
  ) throws -> FollowRequest {
    let (from, to) = (asking.from, asking.to)
    let standing = try FollowRequestStore.standing(of: from.id, to: to.id, in: transaction.database)
    let count = try FollowRequestStore.count(of: from.id, in: transaction.database)
    do {
      try FollowRequestRules.send(from: from.id, to: to.id, standing, count: count)
    } catch {
      throw error.with(["username": .text(to.username.description), "most": .number(FollowRequestRules.most)])
    }
    let id = try FollowRequestStore.add(from: from.id, to: to.id, transaction)
    try transaction.tell(
      FollowRequestSent(
        followRequestID: id, fromAccountID: from.id, fromUsername: from.username, toAccountID: to.id, at: transaction.now))
    return try FollowRequestStore.view(id, for: from.id, in: transaction.database)
  }

  private static func list(_ input: ListFollowRequests.Input, _ call: Call, _ database: Database) throws -> Page<FollowRequest> {
    try FollowRequestStore.list(
      for: call.account, direction: input.direction, state: input.state, call.page(input), in: database)
  }

  private static func accept(_ input: AnswerFollowRequest, _ call: Call, _ transaction: Transaction) throws -> FollowRequest {
    try answer(input.followRequestID, .accepted, call, transaction)
  }

  private static func reject(_ input: AnswerFollowRequest, _ call: Call, _ transaction: Transaction) throws -> FollowRequest {
    try answer(input.followRequestID, .rejected, call, transaction)
  }

  private static func answer(
    _ id: ID<FollowRequest>, _ answer: FollowRequest.State, _ call: Call, _ transaction: Transaction
  ) throws -> FollowRequest {
    let account = try call.account
    // To all but its two accounts a request does not exist.
    guard let request = try FollowRequestStore.find(id, in: transaction.database),
      let direction = request.direction(for: account)
    else { throw Failure(RequestFailure.notFound) }
    if try FollowRequestRules.answer(answer, request.state, direction) == .change {
      try FollowRequestStore.answer(request, answer, transaction)
      if answer == .accepted { try begin(request, transaction) }
    }
    return try FollowRequestStore.view(id, for: account, in: transaction.database)
  }

  private static func begin(_ request: FollowRequestStore.Stored, _ transaction: Transaction) throws {
    try FollowStore.change(request.from, follows: request.to, .accepted, transaction)
    let to = try Accounts.known(request.to, in: transaction.database)
    try transaction.tell(
      FollowRequestAccepted(
        followRequestID: request.id, fromAccountID: request.from, toAccountID: to.id, toUsername: to.username,
        at: transaction.now))
  }
}
