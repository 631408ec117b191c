import Operations
import SocialContract

/// The rules for sending, answering and withdrawing requests for a connection (SOC-1, SOC-3, SOC-7).
enum ConnectionRequestRules<Kind: RequestedConnection> {
  /// The sender's standing with the recipient.
  enum Standing: Hashable, Sendable {
    case strangers
    case connected
    /// Its own request waits for an answer.
    case asking
    /// The other's request waits for its answer, and is for the same: the connection goes both ways.
    case asked(ID<ConnectionRequest<Kind>>)
  }

  /// The effect of sending a request.
  enum Sending: Hashable, Sendable {
    case new
    /// Both have asked: they agree.
    case accept(ID<ConnectionRequest<Kind>>)
  }

  static func send(
    from account: AccountID, to other: AccountID, _ standing: Standing, _ limit: ConnectionLimit<Kind.Refusal>?
  ) throws(Kind.Refusal) -> Sending {
    guard account != other else { throw .toOneself }
    switch standing {
    case .strangers:
      if let limit, limit.count >= limit.maximum { throw limit.refusal }
      return .new
    case .asked(let request): return .accept(request)
    case .connected: throw .alreadyConnected
    case .asking: throw .pending
    }
  }

  /// The effect of answering or withdrawing a request.
  enum Answering: Hashable, Sendable {
    case change
    /// The same was done before.
    case nothing
  }

  /// - Parameters:
  ///   - answer: `accepted` or `rejected`.
  ///   - direction: which way the request goes for the account that answers.
  static func answer(
    _ answer: ConnectionRequestState, _ state: ConnectionRequestState, _ direction: ConnectionRequestDirection
  ) throws(Failure) -> Answering {
    guard direction == .received else { throw Failure(RequestFailure.forbidden) }
    switch state {
    case .pending: return .change
    case answer: return .nothing
    case .accepted, .rejected: throw Kind.Refusal.answered.with()
    case .withdrawn, .expired: throw Kind.Refusal.ended.with()
    }
  }

  /// The effect of withdrawing a request.
  ///
  /// - Parameter direction: the request's direction, as the withdrawing account sees it.
  static func withdraw(
    _ state: ConnectionRequestState, _ direction: ConnectionRequestDirection
  ) throws(Failure) -> Answering {
    guard direction == .sent else { throw Failure(RequestFailure.forbidden) }
    switch state {
    case .pending: return .change
    case .withdrawn: return .nothing
    case .accepted, .rejected: throw Kind.Refusal.answered.with()
    case .expired: throw Kind.Refusal.ended.with()
    }
  }
}
