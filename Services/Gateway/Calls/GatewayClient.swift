import Messaging
import Operations
import ServiceKit

/// Calls services in the gateway's own name.
struct GatewayClient: Sendable {
  let bus: any Bus
  let clock: Clock

  /// - Parameter service: the service to ask, for operations that every service answers; the operation's owner by default.
  /// - Throws: ``Failure``.
  func request<O: Operation>(
    _ operation: O.Type, _ input: O.Input, to service: ServiceName? = nil, seconds: Int = 5
  ) async throws(Failure) -> O.Output {
    let header = RequestHeader(
      id: RequestName().inner, operation: O.spec.name, caller: .service(.gateway), deadline: clock.now.adding(seconds: seconds))
    let reply: Reply
    do {
      reply = try await bus.request(Request(header: header, body: input.json), to: service ?? O.spec.service)
    } catch {
      throw Failure(error)
    }
    return try reply.output(O.Output.self)
  }
}
