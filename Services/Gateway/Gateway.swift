import GatewayContract
import HummingbirdCore
import HummingbirdTLS
import IdentityContract
public import Logging
public import Messaging
import NIOCore
import NIOPosix
import NIOSSL
import NotificationsContract
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
  private let configuration: GatewayConfiguration
  private let logger: Logger
  private let group: MultiThreadedEventLoopGroup
  private let bound = BoundAddresses()
  private let http: any Service
  private let rpc: RPCListener
  private let listeners: [EventListener]
  private let hub: LiveHub
  private let connections: OpenConnections
  private let isStopping: StopFlag
  private let keys: KeyRing

  /// - Parameters:
  ///   - contracts: of all services whose operations clients may call.
  ///   - metrics: this process's metrics as Prometheus text.
  public init(
    configuration: GatewayConfiguration, bus: any Bus, contracts: [Contract], logger: Logger, clock: Clock,
    metrics: @escaping @Sendable () -> String = { "" }
  ) throws {
    let limits = configuration.limits
    let group = MultiThreadedEventLoopGroup(numberOfThreads: configuration.threads ?? System.coreCount)
    let hub = LiveHub(queue: configuration.live.queue)
    let connections = OpenConnections()
    let isStopping = StopFlag()
    let counts = ConnectionCounts(limits)
    let bytes = BytesInFlight(limits)
    let catalog = Catalog(
      contracts, pages: BrowserPages.all(mailbox: configuration.mailbox, isEncrypted: configuration.certificate != nil))
    let problems = ProblemWriter(contracts + [.gateway])
    let heads = ResponseHeads(configuration, clock: clock)
    let client = GatewayClient(bus: bus, clock: clock)
    let keys = KeyRing(clock: clock, logger: logger) { try await client.request(ListKeys.self, Empty()).keys }
    let verifier = TokenVerifier(configuration.tokens, keys: keys, clock: clock) { hash in
      try await client.request(IdentifyPersonalAccessToken.self, .init(hash: hash))
    }
    let admission = Admission(limiter: RateLimiter(configuration.rates, clock: clock), verifier: verifier)
    let switchboard = Switchboard(bus: bus, clock: clock, logger: logger, answerSeconds: limits.answerSeconds)
    let source = LiveSource(
      "notification", event: NotificationCreated.self, payload: "notification", backlog: NotificationsSince.self)
    let feed = LiveFeed(
      source: source, hub: hub, bus: bus, clock: clock, logger: logger, pageSize: configuration.live.page,
      answerSeconds: limits.answerSeconds)
    let eventHandlers = EventHandlers(
      revocations: verifier.revocations, languages: verifier.languages, connections: connections, hub: hub, sources: [source],
      logger: logger)
    let listeners = eventHandlers.listeners(bus: bus)
    let ownMetrics: @Sendable () -> String = {
      for listener in listeners { listener.recordLag() }
      return metrics()
    }
    let system = SystemResponder(configuration, catalog, problems, client, ownMetrics: ownMetrics) {
      isStopping.isSet
    } healthProblems: {
      // One that has not caught up yet waits for a service that says itself what is wrong. Without what was revoked, though, no token is taken.
      listeners.compactMap(\.healthProblem).filter { $0.state != .catchingUp }
        + (verifier.revocations.areKnown ? [] : [HealthProblem(part: "revocations", state: .catchingUp)])
    }
    let caller = OperationCaller(admission: admission, switchboard: switchboard)
    let responder = HTTPResponder(
      catalog: catalog, admission: admission, caller: caller, problems: problems, heads: heads, system: system,
      pages: PageServices(endpoints: catalog.byName, caller: caller, client: client, problems: problems))
    let stream = EventStream(feed: feed, connections: connections, revocations: verifier.revocations, clock: clock)
    let processor = RPCProcessor(
      catalog: catalog, admission: admission, switchboard: switchboard, problems: problems, feed: feed, connections: connections,
      limits: limits, logger: logger)
    let tls = try configuration.certificate?.tls()
    let bound = bound
    self.configuration = configuration
    self.logger = logger
    self.group = group
    self.hub = hub
    self.connections = connections
    self.isStopping = isStopping
    self.keys = keys
    self.listeners = listeners
    rpc = RPCListener(
      listener: configuration.tcp, tls: try tls.map { try NIOSSLContext(configuration: $0) }, group: group, counts: counts,
      bytes: bytes, proxies: configuration.tcpProxies, processor: processor
    ) { await bound.set(tcp: $0) }
    let listener = HTTPListener(
      limits: limits, counts: counts, bytes: bytes, healthNetworks: configuration.healthNetworks,
      proxies: configuration.proxies.networks.isEmpty ? nil : configuration.proxies, responder: responder, stream: stream)
    let address = ServerConfiguration(address: .hostname(configuration.http.host, port: configuration.http.port), backlog: 1024)
    let onRunning: @Sendable (any Channel) async -> Void = { await bound.set(http: $0.localAddress?.port ?? 0) }
    if let tls {
      http = try TLSChannel(listener, tlsConfiguration: tls).server(
        configuration: address, onServerRunning: onRunning, eventLoopGroup: group, logger: logger)
    } else {
      http = listener.server(configuration: address, onServerRunning: onRunning, eventLoopGroup: group, logger: logger)
    }
  }

  /// Where it listens, once it does.
  public var addresses: Addresses { get async { await bound.all } }

  /// Serves until it is asked to stop; then takes no more, finishes what is in flight, and informs those who are connected why it ends.
  public func run() async throws {
    OpenFiles.raiseLimit(logger)
    let result: Result<Void, any Error>
    do {
      try await withGracefulShutdownHandler {
        try await serve()
      } onGracefulShutdown: {
        self.isStopping.set()
        self.connections.stop()
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
      for listener in listeners { background.addTask { await listener.run() } }
      background.addTask { try await self.beat() }
      background.addTask { try await self.keys.follow(every: self.configuration.tokens.keySeconds) }
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
      try await Task.sleep(for: .seconds(configuration.live.heartbeatSeconds))
      hub.beat()
    }
  }

  /// Ends what has not ended by itself in the time there is for it.
  private func stopLate() async throws {
    try await gracefulShutdown()
    try await Task.sleep(for: .seconds(configuration.limits.stopSeconds))
    logger.notice("some connections are cut: they did not end in time")
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
