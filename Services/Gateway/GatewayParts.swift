import GatewayContract
import HummingbirdCore
import HummingbirdTLS
import IdentityContract
import Logging
import Messaging
import NIOCore
import NIOPosix
import NIOSSL
import NotificationsContract
import Operations
import ServiceKit
import ServiceLifecycle

/// What HTTP and JSON-RPC share, each part made once for the process, and the servers that are made from it.
struct GatewayParts: Sendable {
  let configuration: GatewayConfiguration
  let logger: Logger
  let clock: Clock
  let catalog: Catalog
  let problems: ProblemWriter
  let client: GatewayClient
  let keys: KeyRing
  let verifier: TokenVerifier
  let admission: Admission
  let switchboard: Switchboard
  let hub: LiveHub
  let source: LiveSource
  let feed: LiveFeed
  /// The events that are delivered live as they are.
  let liveEvents: [EventSpec]
  let connections = OpenConnections()
  let counts: ConnectionCounts
  let bytes: BytesInFlight

  init(_ configuration: GatewayConfiguration, bus: any Bus, contracts: [Contract], logger: Logger, clock: Clock) {
    let limits = configuration.limits
    let client = GatewayClient(bus: bus, clock: clock)
    self.configuration = configuration
    self.logger = logger
    self.clock = clock
    self.client = client
    catalog = Catalog(
      contracts,
      pages: BrowserPages.all(
        mailbox: configuration.mailbox, isEncrypted: configuration.certificate != nil, limits: configuration.limits,
        profileParts: contracts.flatMap(\.operations).compactMap { $0 as? any ProfilePartOperation.Type }))
    problems = ProblemWriter(contracts + [.gateway])
    keys = KeyRing(clock: clock, logger: logger) { try await client.request(ListKeys.self, Empty()).keys }
    verifier = TokenVerifier(configuration.tokens, keys: keys, clock: clock) { hash in
      try await client.request(IdentifyPersonalAccessToken.self, .init(hash: hash))
    }
    admission = Admission(limiter: RateLimiter(configuration.rates, clock: clock), verifier: verifier)
    switchboard = Switchboard(bus: bus, clock: clock, logger: logger, answerSeconds: limits.answerSeconds)
    hub = LiveHub(queue: configuration.live.queue)
    source = LiveSource(
      "notification", event: NotificationCreated.self, payload: "notification", backlog: ListNotificationsSince.self)
    feed = LiveFeed(
      source: source, hub: hub, bus: bus, clock: clock, logger: logger, pageSize: configuration.live.page,
      answerSeconds: limits.answerSeconds)
    liveEvents = contracts.flatMap(\.events).map { $0.spec }.filter(\.isLive)
    counts = ConnectionCounts(limits)
    bytes = BytesInFlight(limits)
  }

  /// What the events of other services do here.
  var eventHandlers: EventHandlers {
    EventHandlers(
      revocations: verifier.revocations, languages: verifier.languages, connections: connections, hub: hub, sources: [source],
      liveEvents: liveEvents, logger: logger)
  }

  /// What answers about the gateway itself.
  ///
  /// - Parameter metrics: this process's metrics as Prometheus text.
  func system(
    _ subscribers: [EventSubscriber], isStopping: @escaping @Sendable () -> Bool, metrics: @escaping @Sendable () -> String
  ) -> SystemResponder {
    let ownMetrics: @Sendable () -> String = {
      for subscriber in subscribers { subscriber.recordLag() }
      return metrics()
    }
    return SystemResponder(configuration, catalog, problems, client, ownMetrics: ownMetrics, isStopping: isStopping) {
      // One that has not caught up yet waits for a service that says itself what is wrong. Without what was revoked, though, no token is taken.
      subscribers.compactMap(\.healthProblem).filter { $0.state != .catchingUp }
        + (verifier.revocations.areKnown ? [] : [HealthProblem(part: "revocations", state: .catchingUp)])
    }
  }

  /// The server of HTTP.
  ///
  /// - Throws: if the certificate cannot be used.
  func http(
    _ system: SystemResponder, _ tls: TLSConfiguration?, _ group: MultiThreadedEventLoopGroup, _ bound: BoundAddresses
  ) throws -> any Service {
    let caller = OperationCaller(admission: admission, switchboard: switchboard)
    let responder = HTTPResponder(
      catalog: catalog, admission: admission, caller: caller, problems: problems,
      heads: ResponseHeads(configuration, clock: clock), system: system,
      pages: PageServices(endpoints: catalog.byName, caller: caller, client: client, problems: problems))
    let stream = EventStream(feed: feed, connections: connections, revocations: verifier.revocations, clock: clock)
    let listener = HTTPListener(
      limits: configuration.limits, counts: counts, bytes: bytes, healthNetworks: configuration.healthNetworks,
      proxies: configuration.proxies.networks.isEmpty ? nil : configuration.proxies, responder: responder, stream: stream)
    let address = ServerConfiguration(address: .hostname(configuration.http.host, port: configuration.http.port), backlog: 1024)
    let onRunning: @Sendable (any Channel) async -> Void = { await bound.set(http: $0.localAddress?.port ?? 0) }
    guard let tls else {
      return listener.server(configuration: address, onServerRunning: onRunning, eventLoopGroup: group, logger: logger)
    }
    return try TLSChannel(listener, tlsConfiguration: tls).server(
      configuration: address, onServerRunning: onRunning, eventLoopGroup: group, logger: logger)
  }

  /// The server of JSON-RPC.
  ///
  /// - Throws: if the certificate cannot be used.
  func rpc(_ tls: TLSConfiguration?, _ group: MultiThreadedEventLoopGroup, _ bound: BoundAddresses) throws -> RPCListener {
    let processor = RPCProcessor(
      catalog: catalog, admission: admission, switchboard: switchboard, problems: problems, feed: feed, connections: connections,
      limits: configuration.limits, logger: logger)
    return RPCListener(
      listener: configuration.tcp, tls: try tls.map { try NIOSSLContext(configuration: $0) }, group: group, counts: counts,
      bytes: bytes, proxies: configuration.tcpProxies, processor: processor
    ) { await bound.set(tcp: $0) }
  }
}
