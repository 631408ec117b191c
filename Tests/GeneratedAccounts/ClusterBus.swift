import Logging
public import Messaging
public import Operations
import ServiceKit

/// The bus of a cluster on this machine, to which this process speaks as its gateway or as one of its services does.
public struct ClusterBus: Sendable {
  public let bus: ZeroMQBus

  public init(home: String) throws {
    bus = ZeroMQBus(
      .gateway, endpoints: .local(directory: Home(path: home).sockets),
      logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() })
    try bus.start()
  }

  public func stop() async { await bus.stop(within: .seconds(1)) }

  /// Calls an operation in the name of a service.
  ///
  /// - Throws: ``Failure``
  public func ask<O: Operations.Operation>(
    _ operation: O.Type, _ input: O.Input, as service: ServiceName, to target: ServiceName? = nil, seconds: Int = 15
  ) async throws -> O.Output {
    try await ServiceClient(bus: bus, service: service, clock: .system).request(
      operation, input, to: target, deadline: Instant.now.adding(seconds: seconds))
  }
}
