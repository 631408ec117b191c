import Logging
import Messaging
import Operations
import ServiceKit

/// Follows one source for one connection: first what it missed, then what happens, each message once and in order.
struct LiveFeed: Sendable {
  /// What a connection is to show.
  enum Item: Sendable {
    case ready(Ready)
    case message(LiveMessage)
    case event(LiveEvent)
    case heartbeat
  }

  /// How a delivery begins.
  struct Ready: Sendable, Hashable {
    /// What comes has larger numbers.
    let number: Int
    /// Whether the client's number is beyond the store's newest, and so from another store: delivery begins at the newest, and the client's
    /// data may be from a store that no longer exists.
    let isReset: Bool

    var json: [UInt8] { Array((isReset ? "{\"number\":\(number),\"reset\":true}" : "{\"number\":\(number)}").utf8) }
  }

  let source: LiveSource
  let hub: LiveHub
  let bus: any Bus
  let clock: Clock
  let logger: Logger
  let pageSize: Int
  let answerSeconds: Int

  /// The largest number the backlog's input allows: asking after it returns only the newest number.
  static let farAhead = 9_000_000_000_000_000

  /// The number of the last message seen, as a client gives it.
  static func lastSeen(_ digits: Substring) throws(Failure) -> Int {
    guard let number = Int(digits), (0...farAhead).contains(number) else {
      throw .field("lastEventID", FieldRule("not_a_whole_number"))
    }
    return number
  }

  /// Runs until the subscription ends, the token expires or the connection takes no more.
  ///
  /// The subscription must begin before this call, so that no message is lost between backlog and hub. A caller in doubt gets everything
  /// from the backlog: only the service knows what such a caller may not see.
  ///
  /// - Parameters:
  ///   - caller: the connected caller, by the current token.
  ///   - allows: the scopes that the current token allows.
  ///   - expiry: the expiry of the current token.
  ///   - after: the last number that the client has seen; nil begins with new messages.
  ///   - emit: sends an item; throws if the connection is gone.
  func run(
    _ subscription: LiveSubscription, for caller: @Sendable () -> Caller, allows: @Sendable (ScopeRule) -> Bool,
    expiry: @Sendable () -> Instant?, after: Int?,
    _ emit: (Item) async throws -> Void
  ) async -> LiveEnd {
    do {
      let newest = try await page(after: LiveFeed.farAhead, limit: 1, caller()).lastNumber
      var cursor = LiveCursor(last: min(after ?? newest, newest))
      try await emit(.ready(Ready(number: cursor.last, isReset: after.map { $0 > newest } ?? false)))
      if cursor.last < newest { try await catchUp(&cursor, subscription, caller(), emit) }
      for await signal in subscription.signals {
        if let expiry = expiry(), clock.now >= expiry { return .tokenExpired }
        switch signal {
        case .heartbeat: try await emit(.heartbeat)
        case .event(let event):
          defer { subscription.give(event) }
          // What of its own messages is not for a caller in doubt, the source's service alone knows.
          let isHidden = event.service == source.service && caller().isInDoubt == true
          if !isHidden, allows(event.scope) { try await emit(.event(event)) }
        case .message(let message):
          defer { subscription.give(message) }
          let caller = caller()
          switch cursor.step(message.number, isForAll: caller.isInDoubt != true) {
          case .deliver: try await emit(.message(message))
          case .passOver: break
          case .fetch: try await catchUp(&cursor, subscription, caller, emit)
          }
        }
      }
      return subscription.end ?? .clientGone
    } catch let failure as Failure {
      logger.debug("live backlog cannot be fetched", metadata: ["code": "\(failure.code)"])
      return subscription.end ?? .unavailable
    } catch let failure as LiveFailure {
      logger.error("live backlog is invalid", metadata: ["error": "\(failure)", "operation": "\(source.backlog)"])
      return .unavailable
    } catch {
      return subscription.end ?? .clientGone
    }
  }

  private func catchUp(
    _ cursor: inout LiveCursor, _ subscription: LiveSubscription, _ caller: Caller, _ emit: (Item) async throws -> Void
  ) async throws {
    while subscription.end == nil {
      let page = try await page(after: cursor.last, limit: pageSize, caller)
      let (messages, isComplete) = cursor.take(
        page.messages, lastNumber: page.lastNumber, limit: pageSize, nextAfter: page.nextAfter)
      guard subscription.take(messages) else { return subscription.end(.tooSlow) }
      for message in messages {
        try await emit(.message(message))
        subscription.give(message)
      }
      if isComplete { return }
    }
  }

  private func page(
    after: Int, limit: Int, _ caller: Caller
  ) async throws -> (messages: [LiveMessage], lastNumber: Int, nextAfter: Int?) {
    guard let account = caller.account else { throw Failure(RequestFailure.unauthenticated) }
    let header = RequestHeader(
      id: RequestName().inner, operation: source.backlog, caller: caller, deadline: clock.now.adding(seconds: answerSeconds))
    let input: JSON = ["after": .integer(after), "limit": .integer(limit)]
    let reply: Reply
    do throws(BusFailure) {
      reply = try await bus.request(Request(header: header, body: input.bytes), to: source.service)
    } catch {
      throw Failure(error)
    }
    return try source.page(of: account, reply)
  }
}
