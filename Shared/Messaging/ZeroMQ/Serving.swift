import Logging
import Metrics
import Operations

/// Answers one request: reads its header, checks its deadline and its sender's rights, and calls the service's handler.
struct Serving: Sendable {
  let handler: @Sendable (Request) async -> Reply
  /// Who may call what; nil if access to the sockets' directory is the only check.
  let grants: Grants?
  let limits: BusLimits
  let clock: Clock
  let metrics: BusMetrics
  let throttledLog: ThrottledLog

  /// A larger difference between a caller's clock and ours is logged as a warning.
  static let toleratedSkewMilliseconds: Int64 = 2000

  /// The reply; nil if the caller no longer waits for it.
  ///
  /// - Parameters:
  ///   - received: when the request arrived, on the monotonic clock, in nanoseconds.
  ///   - transit: the transit times of its connection.
  func answer(
    header bytes: [UInt8], body: [UInt8], from userID: String?, received: Int64, transit: Transit
  ) async -> RawReply? {
    var header: RequestHeader
    do {
      header = try RequestHeader(wire: bytes)
    } catch {
      return refuseMalformed(error)
    }
    let left = left(of: header, received, transit)
    guard left > 0 else {
      metrics.expired.increment()
      return nil
    }
    header.deadline = clock.now.adding(milliseconds: left)
    (header.leftMilliseconds, header.sentMilliseconds) = (nil, nil)
    if let grants, !grants.permits(header, from: userID) {
      metrics.forbidden.increment()
      throttledLog.warn(
        "Refused a request that its sender was not granted",
        ["operation": "\(header.operation)", "key": "\(userID ?? "none")", "callerKind": "\(header.caller.kind)"])
      return RawReply(Reply(id: header.id, Failure(RequestFailure.forbidden)))
    }
    let reply = await handler(Request(header: header, body: body))
    guard reply.body.count <= limits.messageBytes else {
      throttledLog.warn(
        "A reply is larger than the bus carries", ["operation": "\(header.operation)", "bytes": "\(reply.body.count)"])
      return RawReply(Reply(id: header.id, Failure(RequestFailure.internalError)))
    }
    return RawReply(reply)
  }

  /// How long the caller still waits, in milliseconds: the time left when the request was sent, minus the time it has waited since.
  private func left(of header: RequestHeader, _ received: Int64, _ transit: Transit) -> Int64 {
    let now = clock.now.milliseconds
    guard let left = header.leftMilliseconds.map(Int64.init) else {
      let left = header.deadline.milliseconds - now
      if left <= 0 {
        throttledLog.warn(
          "Dropped a request behind its deadline that does not say what time was left: is its caller's clock right?",
          every: .seconds(60), ["operation": "\(header.operation)", "milliseconds": "\(-left)"])
      }
      return left
    }
    let handled = (Monotonic.now - received) / 1_000_000
    let waited =
      handled + (header.sentMilliseconds.map { transit.delay(sent: Int64($0), received: received / 1_000_000) } ?? 0)
    let skew = now - waited - (header.deadline.milliseconds - left)
    if abs(skew) > Serving.toleratedSkewMilliseconds {
      throttledLog.warn(
        "a caller's clock differs from ours", every: .seconds(60),
        [
          "callerKind": "\(header.caller.kind)", "service": "\(header.caller.service?.rawValue ?? "")",
          "oursAheadMilliseconds": "\(skew)",
        ])
    }
    return left - waited
  }

  /// The reply to an unreadable request: its id is unknown, but a REQ socket waits for some reply.
  func refuseMalformed(_ failure: Failure) -> RawReply {
    metrics.malformed.increment()
    throttledLog.warn("Refused a malformed request", ["code": "\(failure.code)"])
    return RawReply(Reply(id: "", failure))
  }

  /// The reply to a request beyond the limits.
  func refuse(header bytes: [UInt8]) -> RawReply { refuse(bytes, .overloaded, wasBegun: nil) }

  /// The reply to a request that arrives while the service is stopping.
  func sendBack(header bytes: [UInt8]) -> RawReply { refuse(bytes, .unavailable, wasBegun: false) }

  private func refuse(_ bytes: [UInt8], _ failure: RequestFailure, wasBegun: Bool?) -> RawReply {
    do {
      let header = try RequestHeader(wire: bytes)
      var reply = Reply(id: header.id, Failure(failure, retryAfterSeconds: 1))
      reply.header.wasBegun = wasBegun
      return RawReply(reply)
    } catch {
      return refuseMalformed(error)
    }
  }
}

extension RawReply {
  init(_ reply: Reply) { self.init(header: reply.header.wire, body: reply.body) }
}
