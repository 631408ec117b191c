public import Logging
public import Messaging
import NIOCore
import NIOPosix
public import Operations
import ServiceKit
public import ServiceLifecycle
import Synchronization

/// The one entry for clients: HTTP/1.1 and JSON-RPC over the same operations, made from the contracts alone.
///
/// Built by the executable and the tests alike:
///
///     let gateway = try Gateway(configuration: configuration, bus: bus, contracts: contracts, logger: logger, clock: .system)
///     try await gateway.run()
public final class Gateway: Service {
  private let parts: GatewayParts
  private let subscribers: [EventSubscriber]
  private let isStopping: StopFlag
  private let group: MultiThreadedEventLoopGroup
  private let bound = BoundAddresses()
  private let http: any Service
  private let rpc: RPCListener

  /// The body of the executable.
  ///
  /// - Parameter contracts: of all services whose operations clients may call.
  public static func main(contracts: [Contract]) -> Never {
    ServiceProcess.start(.gateway, health: LivenessProbe.health) { environment in
      var configuration = GatewayConfiguration(environment.settings)
      configuration.mailbox = MailboxAccess(environment.settings, environment.home, environment.logger)
      let gateway = try Gateway(
        configuration: configuration, bus: environment.bus, contracts: contracts, logger: environment.logger,
        clock: environment.clock, metrics: environment.metrics)
      return [BusRunner(environment.bus), gateway]
    }
  }

  /// - Parameters:
  ///   - contracts: of all services whose operations clients may call.
  ///   - metrics: this process's metrics as Prometheus text.
  public init(
    configuration: GatewayConfiguration, bus: any Bus, contracts: [Contract], logger: Logger, clock: Clock,
    metrics: @escaping @Sendable () -> String = { "" }
  ) throws {
    let parts = GatewayParts(configuration, bus: bus, contracts: contracts, logger: logger, clock: clock)
    let subscribers = parts.eventHandlers.subscribers(bus: bus)
    let isStopping = StopFlag()
    let system = parts.system(subscribers, isStopping: { isStopping.isSet }, metrics: metrics)
    let tls = try configuration.certificate?.tls()
    let group = MultiThreadedEventLoopGroup(numberOfThreads: configuration.threads ?? System.coreCount)
    self.parts = parts
    self.subscribers = subscribers
    self.isStopping = isStopping
    self.group = group
    http = try parts.http(system, tls, group, bound)
    rpc = try parts.rpc(tls, group, bound)
  }

  /// Where it listens, once it does.
  public var addresses: Addresses { get async { await bound.all } }

  /// Serves until it is asked to stop; then accepts nothing new, finishes the requests in flight, and tells connected clients why it ends.
  public func run() async throws {
    OpenFiles.raiseLimit(parts.logger)
    let result: Result<Void, any Error>
    do {
      try await withGracefulShutdownHandler {
        try await serve()
      } onGracefulShutdown: {
        self.isStopping.set()
        self.parts.connections.stop()
      }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    try await group.shutdownGracefully()
    try result.get()
  }

  private func serve() async throws {
    try await withThrowingTaskGroup(of: Void.self) { background in
      for subscriber in subscribers { background.addTask { await subscriber.run() } }
      background.addTask { try await self.beat() }
      background.addTask { try await self.parts.keys.follow(every: self.parts.configuration.tokens.keySeconds) }
      defer { background.cancelAll() }
      try await withThrowingTaskGroup(of: Void.self) { servers in
        servers.addTask { try await self.http.run() }
        servers.addTask { try await self.rpc.run() }
        servers.addTask { try await self.stopLate() }
        defer { servers.cancelAll() }
        for _ in 0..<2 { try await servers.next() }
      }
    }
  }

  /// Heartbeats of live connections.
  private func beat() async throws {
    while true {
      try await Task.sleep(for: .seconds(parts.configuration.live.heartbeatSeconds))
      parts.hub.beat()
    }
  }

  /// Ends what has not ended by itself in the time there is for it.
  private func stopLate() async throws {
    try await gracefulShutdown()
    try await Task.sleep(for: .seconds(parts.configuration.limits.stopSeconds))
    parts.logger.notice("connections that did not end in time are closed")
  }
}

/// The ports that the gateway listens on.
public struct Addresses: Sendable, Hashable {
  public var httpPort: Int
  public var tcpPort: Int
}

/// Whether the gateway is stopping.
final class StopFlag: Sendable {
  private let flag = Atomic(false)

  var isSet: Bool { flag.load(ordering: .relaxed) }

  func set() { flag.store(true, ordering: .relaxed) }
}
