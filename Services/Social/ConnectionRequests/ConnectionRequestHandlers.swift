import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// What the requests of all kinds have in common: sent, listed, accepted, rejected, withdrawn.
enum ConnectionRequestHandlers<Kind: RequestedConnection> {
  private typealias Rules = ConnectionRequestRules<Kind>
  private typealias Requests = ConnectionRequestStore<Kind>

  /// The sender and the recipient of a request.
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
    if try BlockStore.hasBlocked(from.id, to.id, in: transaction.database) {
      throw BlockFailure.blockedByYou.with(["username": .text(to.username.description)])
    }
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
      let refused = try Requests.refused(from: from.id, to: to.id, in: transaction.database)
      if let seconds = ConnectionRequestRepetition.wait(refused, at: call.now) {
        throw ConnectionRequestFailure.askedTooOften.with(
          ["username": .text(to.username.description), "max": .number(ConnectionRequestRepetition.maxPerDay)],
          retryAfterSeconds: seconds)
      }
      // To a blocked sender the request looks sent; the recipient never sees it.
      let isHidden = try BlockStore.hasBlocked(to.id, from.id, in: transaction.database)
      let id = try Requests.add(from: from.id, to: to.id, isHidden: isHidden, transaction)
      if !isHidden { try transaction.publish(Kind.sent(id, from: Party(from), to: Party(to), at: transaction.now)) }
      try RelationStore.publish(from.id, to.id, transaction)
      return try Requests.view(id, for: from.id, in: transaction.database)
    }
  }

  static func list(
    _ input: ConnectionRequestFilter, _ call: AccountCall, _ database: Database
  ) throws -> Page<ConnectionRequest<Kind>> {
    try Requests.list(
      for: call.account, direction: input.direction, state: input.state, call.page(input), now: call.now, in: database)
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

  static func withdraw(
    _ input: some RequestAnswer<Kind>, _ call: AccountCall, _ transaction: Transaction
  ) throws -> ConnectionRequest<Kind> {
    guard let request = try Requests.find(input.requestID, in: transaction.database),
      let direction = request.direction(for: call.account),
      try request.isHidden || direction == .received || !BlockStore.hasBlocked(request.to, request.from, in: transaction.database)
    else { throw Failure(RequestFailure.notFound) }
    if try Rules.withdraw(request.state, direction) == .change {
      try Requests.end(request, .withdrawn, transaction)
      try RelationStore.publish(request.from, request.to, transaction)
    }
    return try Requests.view(request.id, for: call.account, in: transaction.database)
  }

  private static func answer(
    _ id: ID<ConnectionRequest<Kind>>, _ answer: ConnectionRequestState, _ call: AccountCall, _ transaction: Transaction
  ) throws -> ConnectionRequest<Kind> {
    let account = call.account
    // To all but its two accounts a request does not exist, nor between two of whom one has blocked the other.
    guard let request = try Requests.find(id, in: transaction.database), let direction = request.direction(for: account),
      try direction == .sent || !BlockStore.areApart(request.from, request.to, in: transaction.database)
    else { throw Failure(RequestFailure.notFound) }
    // Nor while the other is suspended, who is not in the lists of requests then.
    let other = try Accounts.find(direction == .received ? request.from : request.to, in: transaction.database)
    guard other?.isSuspended(at: call.now) != true else { throw Failure(RequestFailure.notFound) }
    if try Rules.answer(answer, request.state, direction) == .change {
      try Requests.end(request, answer, transaction)
      if answer == .accepted { try publishAccepted(request, transaction) }
      try RelationStore.publish(request.from, request.to, transaction)
    }
    return try Requests.view(id, for: account, in: transaction.database)
  }

  private static func publishAccepted(_ request: Requests.Stored, _ transaction: Transaction) throws {
    let from = try Accounts.known(request.from, in: transaction.database)
    let to = try Accounts.known(request.to, in: transaction.database)
    try transaction.publish(Kind.accepted(request.id, from: Party(from), to: Party(to), at: transaction.now))
  }
}
