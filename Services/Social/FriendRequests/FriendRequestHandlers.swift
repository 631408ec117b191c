import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Friend requests: sent, listed, accepted, rejected.
enum FriendRequestHandlers {
  static func serve(_ service: inout ServiceDefinition) {
    service.serve(SendFriendRequest.self, prepare: accounts, write: send)
    service.serve(ListFriendRequests.self, read: list)
    service.serve(AcceptFriendRequest.self, write: accept)
    service.serve(RejectFriendRequest.self, write: reject)
  }

  /// Who asks, and who is asked.
  struct Asking: Sendable {
    let from: Accounts.Known
    let to: Accounts.Known
  }

  /// Finds both accounts, at identity if their events have not arrived yet.
  private static func accounts(_ input: SendFriendRequest.Input, _ call: Call) async throws -> Asking {
    guard let from = try await Accounts.resolve(call.account, call) else { throw Failure(RequestFailure.unauthenticated) }
    guard let to = try await Accounts.resolve(input.username, call) else {
      throw FriendRequestFailure.unknownUser.with(["username": .text(input.username.description)])
    }
    return Asking(from: from, to: to)
  }

  private static func send(
    _ input: SendFriendRequest.Input, _ asking: Asking, _ call: Call, _ transaction: Transaction
  ) throws -> FriendRequest {
    let (from, to) = (asking.from, asking.to)
    let standing = try FriendRequestStore.standing(of: from.id, to: to.id, in: transaction.database)
    let sending: FriendRequestRules.Sending
    do {
      sending = try FriendRequestRules.send(from: from.id, to: to.id, standing)
    } catch {
      throw error.with(["username": .text(to.username.description)])
    }
    switch sending {
    case .accept(let id): return try answer(id, .accepted, call, transaction)
    case .new:
      let id = try FriendRequestStore.add(from: from.id, to: to.id, transaction)
      try transaction.tell(
        FriendRequestSent(
          friendRequestID: id, fromAccountID: from.id, fromUsername: from.username, toAccountID: to.id, at: transaction.now))
      return try FriendRequestStore.view(id, for: from.id, in: transaction.database)
    }
  }

  private static func list(_ input: ListFriendRequests.Input, _ call: Call, _ database: Database) throws -> Page<FriendRequest> {
    try FriendRequestStore.list(
      for: call.account, direction: input.direction, state: input.state, call.page(input), in: database)
  }

  private static func accept(_ input: AnswerFriendRequest, _ call: Call, _ transaction: Transaction) throws -> FriendRequest {
    try answer(input.friendRequestID, .accepted, call, transaction)
  }

  private static func reject(_ input: AnswerFriendRequest, _ call: Call, _ transaction: Transaction) throws -> FriendRequest {
    try answer(input.friendRequestID, .rejected, call, transaction)
  }

  private static func answer(
    _ id: ID<FriendRequest>, _ answer: FriendRequest.State, _ call: Call, _ transaction: Transaction
  ) throws -> FriendRequest {
    let account = try call.account
    // To all but its two accounts a request does not exist.
    guard let request = try FriendRequestStore.find(id, in: transaction.database),
      let direction = request.direction(for: account)
    else { throw Failure(RequestFailure.notFound) }
    if try FriendRequestRules.answer(answer, request.state, direction) == .change {
      try FriendRequestStore.answer(request, answer, transaction)
      if answer == .accepted { try tellAccepted(request, transaction) }
    }
    return try FriendRequestStore.view(id, for: account, in: transaction.database)
  }

  private static func tellAccepted(_ request: FriendRequestStore.Stored, _ transaction: Transaction) throws {
    let from = try Accounts.known(request.from, in: transaction.database)
    let to = try Accounts.known(request.to, in: transaction.database)
    try transaction.tell(
      FriendRequestAccepted(
        friendRequestID: request.id, fromAccountID: from.id, fromUsername: from.username, toAccountID: to.id,
        toUsername: to.username, at: transaction.now))
  }
}
