import IdentityContract
import Logging
import Operations

/// `/v1/live`: live messages as server-sent events (WHATWG HTML, section 9.2).
struct EventStream: Sendable {
  static let path = "/v1/live"
  /// What a personal access token must allow.
  static let scope = ScopeRule.needs(.notificationsRead)

  let feed: LiveFeed
  let connections: OpenConnections
  let revocations: Revocations
  let clock: Clock

  /// The last number the client has seen, from the header of a resuming client or the query of a first one.
  ///
  /// - Throws: `invalid_fields` where it is not a number, or the query has something else.
  static func lastSeen(_ exchange: Exchange) throws(Failure) -> Int? {
    var parameters: [String: String] = [:]
    try Query.parse(exchange.query, into: &parameters)
    let unknown = parameters.keys.filter { $0 != "lastEventID" }.sorted()
    guard unknown.isEmpty else {
      let problems = unknown.map {
        FieldProblem(field: $0.beginning(maxBytes: FieldProblem.maxNameBytes), FieldRule("unknown_field"))
      }
      throw Failure(RequestFailure.invalidFields, fields: problems)
    }
    guard let text = exchange.given.lastEventID ?? parameters["lastEventID"] else { return nil }
    return try LiveFeed.lastSeen(text[...])
  }

  /// Streams until the session, the server or the connection ends.
  ///
  /// - Parameters:
  ///   - held: where what waits for the connection counts.
  ///   - write: returns when the bytes are on their way; throws if the connection is gone.
  func run(
    _ exchange: Exchange, _ identification: Identification, after: Int?, _ held: HeldBytes,
    _ write: @escaping @Sendable ([UInt8]) async throws -> Void
  ) async {
    let subscription = feed.hub.subscribe(identification.account, held)
    let key = connections.enter { subscription.end($0) }
    connections.bind(key, to: identification)
    // What was revoked or invalidated since it was let in has not found the stream to end.
    switch revocations.refusal(of: identification, now: clock.now) {
    case .revoked: subscription.end(LiveEnd(revoked: identification.credential))
    case .expired: subscription.end(.tokenExpired)
    case .invalid, nil: break
    }
    let caller = Caller(
      identification, language: exchange.language, address: exchange.addressText, userAgent: exchange.given.userAgent)
    let end = await feed.run(
      subscription, for: { caller }, allows: { identification.allows($0) }, expiry: { identification.expiresAt }, after: after
    ) { item in
      try await write(EventStream.text(item, name: feed.source.name))
    }
    subscription.end(end)
    connections.unbind(key, from: identification.credential)
    connections.leave(key)
    guard end != .clientGone else { return }
    do {
      try await write(Array("event: end\ndata: {\"reason\":\"\(end.rawValue)\"}\n\n".utf8))
    } catch {
      feed.logger.debug("stream ended", metadata: ["error": "\(error)"])
    }
  }

  static func text(_ item: LiveFeed.Item, name: String) -> [UInt8] {
    switch item {
    case .ready(let ready):
      Array("retry: 1000\nid: \(ready.number)\nevent: ready\ndata: ".utf8) + ready.json + [0x0A, 0x0A]
    case .message(let message): Array("id: \(message.number)\nevent: \(name)\ndata: ".utf8) + message.payload + [0x0A, 0x0A]
    // Without an id, so that the client resumes from the last message.
    case .event(let event): Array("event: \(event.name)\ndata: ".utf8) + event.payload + [0x0A, 0x0A]
    case .heartbeat: Array(":\n\n".utf8)
    }
  }
}
