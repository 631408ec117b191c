import CoreMetrics
import Logging
import Messaging
import Operations
import ServiceKit

/// One call of a client on its way to the service that serves it, whichever protocol it came by.
struct ClientCall: Sendable {
  let endpoint: Endpoint
  let name: RequestName
  let trace: TraceContext
  let caller: Caller
  /// Fields from path and query.
  var parameters: [String: String] = [:]
  var idempotencyKey: String?
  /// JSON, unread.
  var body: [UInt8]
}

/// What a call ended in.
enum Answer: Sendable {
  /// HTTP status 200 or 201 and the output as JSON, unread.
  case output(status: Int, body: [UInt8])
  case failure(Failure)
}

/// Connects calls with services: one hop over the bus, within the deadline.
///
/// Each call is one line of the log, with `requestID` and `traceID`: a warning if it failed on our side (5xx), `info` if it took more than
/// a second, `debug` otherwise.
struct Switchboard: Sendable {
  let bus: any Bus
  let clock: Clock
  let logger: Logger
  let answerSeconds: Int

  func answer(_ call: ClientCall) async -> Answer {
    let start = ContinuousClock.now
    let spec = call.endpoint.spec
    let header = RequestHeader(
      id: call.name.inner, operation: spec.name, caller: call.caller, deadline: clock.now.adding(seconds: answerSeconds),
      idempotencyKey: call.idempotencyKey, traceparent: call.trace.nextTraceparent(),
      parameters: call.parameters.isEmpty ? nil : call.parameters)
    var answer = await reply(to: Request(header: header, body: call.body), spec)
    if case .failure(let failure) = answer { answer = .failure(failure.ending(spec.name)) }
    let duration = ContinuousClock.now - start
    call.endpoint.timer.recordNanoseconds(duration.nanoseconds)
    if Task.isCancelled {
      // The client is gone, which is no failure of anybody's.
      logger.debug(
        "request given up by its client",
        metadata: ["requestID": "\(call.name.inner)", "traceID": "\(call.trace.traceID)", "operation": "\(spec.name)"])
    } else if case .failure(let failure) = answer, failure.status >= 500 {
      call.endpoint.failures.increment()
      logger.warning(
        "request failed",
        metadata: [
          "requestID": "\(call.name.inner)", "traceID": "\(call.trace.traceID)", "operation": "\(spec.name)",
          "code": "\(failure.code)", "milliseconds": "\(duration.nanoseconds / 1_000_000)",
        ])
    } else if duration > .seconds(1) {
      logger.info(
        "request answered late",
        metadata: [
          "requestID": "\(call.name.inner)", "traceID": "\(call.trace.traceID)", "operation": "\(spec.name)",
          "milliseconds": "\(duration.nanoseconds / 1_000_000)",
        ])
    } else {
      logger.debug(
        "request answered",
        metadata: [
          "requestID": "\(call.name.inner)", "traceID": "\(call.trace.traceID)", "operation": "\(spec.name)",
          "microseconds": "\(duration.nanoseconds / 1000)",
        ])
    }
    return answer
  }

  private func reply(to request: Operations.Request, _ spec: OperationSpec) async -> Answer {
    do {
      return try Switchboard.read(await bus.request(request, to: spec.service))
    } catch BusFailure.unavailable where spec.effect == .read && clock.now < request.header.deadline {
      // A read changes nothing, so it may be asked twice: a service that was just restarted then answers.
      do {
        return try Switchboard.read(await bus.request(request, to: spec.service))
      } catch {
        return .failure(Failure(error))
      }
    } catch {
      return .failure(Failure(error))
    }
  }

  private static func read(_ reply: Reply) -> Answer {
    guard reply.header.isFailure else { return .output(status: reply.header.status, body: reply.body) }
    do {
      return .failure(try Failure.decode(reply.body))
    } catch {
      return .failure(Failure(RequestFailure.internalError))
    }
  }
}

extension Duration {
  /// The whole duration in nanoseconds.
  var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
