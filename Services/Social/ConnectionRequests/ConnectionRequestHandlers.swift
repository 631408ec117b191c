import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// What the requests of all kinds have in common: sent, listed, accepted, rejected, withdrawn.
enum ConnectionRequestHandlers<Kind: RequestedConnection> {
  private typealias Rules = ConnectionRequestRules<Kind>
  private typealias Requests = ConnectionRequestStore<Kind>

  /// Who asks, and who is asked.
  struct Asking: Sendable {
    let from: Accounts.Known
    let to: Accounts.Known
  }

  /// Finds both accounts, at identity if their events have not arrived yet.
  static func asking(_ input: some RequestSending, _ call: AccountCall) async throws -> Asking {
    guard let from = try await Accounts.resolve(call.account, call) else { throw Failure(RequestFailure.unauthenticated) }
    guard let to = try await Accounts.resolve(input.username, call) else {
      throw ConnectionRequestFailure.unknownUser.with(["username": .text(input.username.description)])
    }
    return Asking(from: from, to: to)
  }

  static func send(
    _ input: some RequestSending, _ asking: Asking, _ call: AccountCall, _ transaction: Transaction
  ) throws -> ConnectionRequest<Kind> {
    let (from, to) = (asking.from, asking.to)
    let standing = try Requests.standing(of: from.id, to: to.id, in: transaction.database)
    let limit = try Kind.limit(of: from.id, in: transaction.database)
    let sending: Rules.Sending
    do {
      sending = try Rules.send(from: from.id, to: to.id, standing, limit)
    } catch {
      var parameters: [String: Parameter] = ["username": .text(to.username.description)]
      parameters["max"] = limit.map { .number($0.maximum) }
      throw error.with(parameters)
    }
    switch sending {
    case .accept(let id): return try answer(id, .accepted, call, transaction)
    case .new:
      let id = try Requests.add(from: from.id, to: to.id, transaction)
      try transaction.publish(Kind.sent(id, from: Party(from), to: Party(to), at: transaction.now))
      return try Requests.view(id, for: from.id, in: transaction.database)
    }
  }

  static func list(
    _ input: ConnectionRequestFilter, _ call: AccountCall, _ database: Database
  ) throws -> Page<ConnectionRequest<Kind>> {
    try Requests.list(for: call.account, direction: input.direction, state: input.state, call.page(input), in: database)
  }

  static func accept(
    _ input: some RequestAnswer<Kind>, _ call: AccountCall, _ transaction: Transaction
  ) throws -> ConnectionRequest<Kind> {
    try answer(input.requestID, .accepted, call, transaction)
  }

  static func reject(
    _ input: some RequestAnswer<Kind>, _ call: AccountCall, _ transaction: Transaction
  ) throws -> ConnectionRequest<Kind> {
    try answer(input.requestID, .rejected, call, transaction)
  }

  private static func answer(
    _ id: ID<ConnectionRequest<Kind>>, _ answer: ConnectionRequestState, _ call: AccountCall, _ transaction: Transaction
  ) throws -> ConnectionRequest<Kind> {
    let account = call.account
    // To all but its two accounts a request does not exist.
    guard let request = try Requests.find(id, in: transaction.database), let direction = request.direction(for: account)
    else { throw Failure(RequestFailure.notFound) }
    if try Rules.answer(answer, request.state, direction) == .change {
      try Requests.answer(request, answer, transaction)
      if answer == .accepted { try publishAccepted(request, transaction) }
    }
    return try Requests.view(id, for: account, in: transaction.database)
  }

  private static func publishAccepted(_ request: Requests.Stored, _ transaction: Transaction) throws {
    let from = try Accounts.known(request.from, in: transaction.database)
    let to = try Accounts.known(request.to, in: transaction.database)
    try transaction.publish(Kind.accepted(request.id, from: Party(from), to: Party(to), at: transaction.now))
  }
}
