import Logging
import Metrics
import Operations

/// Answers one request: reads its header, sees to its deadline and its sender's rights, and asks the service's handler.
struct Serving: Sendable {
  let handler: @Sendable (Request) async -> Reply
  /// Who may call what; nil where the sockets' directory is the trust.
  let grants: Grants?
  let limits: BusLimits
  let clock: Clock
  let metrics: BusMetrics
  let complaints: Complaints

  /// The reply, or nil if nobody waits for it any more.
  func answer(header bytes: [UInt8], body: [UInt8], from userID: String?) async -> RawReply? {
    let header: RequestHeader
    do {
      header = try RequestHeader(wire: bytes)
    } catch {
      return refuseMalformed(error)
    }
    guard header.deadline > clock.now else {
      metrics.expired.increment()
      return nil
    }
    if let grants, !grants.permits(header, from: userID) {
      metrics.forbidden.increment()
      complaints.warn(
        "Refused a request that its sender was not granted",
        ["operation": "\(header.operation)", "key": "\(userID ?? "none")", "callerKind": "\(header.caller.kind)"])
      return RawReply(Reply(id: header.id, Failure(RequestFailure.forbidden)))
    }
    let reply = await handler(Request(header: header, body: body))
    guard reply.body.count <= limits.messageBytes else {
      complaints.warn(
        "A reply is larger than the bus carries", ["operation": "\(header.operation)", "bytes": "\(reply.body.count)"])
      return RawReply(Reply(id: header.id, Failure(RequestFailure.internalError)))
    }
    return RawReply(reply)
  }

  /// What a request that cannot be read is told: its id is not known, but a REQ socket waits for some answer.
  func refuseMalformed(_ failure: Failure) -> RawReply {
    metrics.malformed.increment()
    complaints.warn("Refused a malformed request", ["code": "\(failure.code)"])
    return RawReply(Reply(id: "", failure))
  }

  /// What a request beyond the bounds is told, or one that comes while the service stops.
  func refuse(header bytes: [UInt8], _ failure: RequestFailure) -> RawReply {
    do {
      let header = try RequestHeader(wire: bytes)
      return RawReply(Reply(id: header.id, Failure(failure, retryAfterSeconds: 1)))
    } catch {
      return refuseMalformed(error)
    }
  }
}

extension RawReply {
  init(_ reply: Reply) { self.init(header: reply.header.wire, body: reply.body) }
}
