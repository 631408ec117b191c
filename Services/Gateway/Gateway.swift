import GatewayContract
import HTTPTypes
import HummingbirdCore
import HummingbirdTLS
import IdentityContract
public import Logging
public import Messaging
import NIOCore
import NIOPosix
import NIOSSL
public import Operations
public import ServiceLifecycle

/// The one entry for clients: HTTP/1.1 and JSON-RPC over the same operations, made from the contracts alone.
///
/// Built by the executable and the tests alike:
///
///     let gateway = try Gateway(configuration: configuration, bus: bus, contracts: contracts, logger: logger, clock: .system)
///     try await gateway.run()
public final class Gateway: Service {
  private let configuration: GatewayConfiguration
  private let bus: any Bus
  private let logger: Logger
  private let clock: Clock
  private let http: HTTPListener
  private let group: MultiThreadedEventLoopGroup
  private let bound = BoundAddresses()

  /// - Parameter contracts: of all services whose operations clients may call; the gateway's own need not be among them.
  public init(configuration: GatewayConfiguration, bus: any Bus, contracts: [Contract], logger: Logger, clock: Clock) throws {
    self.configuration = configuration
    self.bus = bus
    self.logger = logger
    self.clock = clock
    group = MultiThreadedEventLoopGroup(numberOfThreads: configuration.threads ?? System.coreCount)
    let limits = configuration.limits
    let problems = ProblemWriter(contracts + [.gateway])
    let fields = ResponseFields(configuration, clock: clock)
    let client = GatewayClient(bus: bus, clock: clock)
    let keys = KeyRing(clock: clock, logger: logger) { try await client.request(ListKeys.self, Empty()).keys }
    let verifier = TokenVerifier(configuration.tokens, keys: keys, clock: clock)
    let responder = HTTPResponder(
      catalog: Catalog(contracts),
      admission: Admission(limiter: RateLimiter(configuration.rates, clock: clock), verifier: verifier),
      switchboard: Switchboard(bus: bus, clock: clock, logger: logger, answerSeconds: limits.answerSeconds), problems: problems,
      fields: fields, pages: Pages(version: configuration.version), limits: limits)
    http = HTTPListener(
      limits: limits, connections: ConnectionCounts(limits), refusals: HTTPRefusals(problems: problems, fields: fields)
    ) { request, writer, channel in try await responder.respond(request, writer, channel) }
  }

  /// Where it listens, once it does.
  public var addresses: Addresses { get async { await bound.all } }

  /// Serves until it is told to stop, then finishes what is in flight.
  public func run() async throws {
    let bound = bound
    let server = try makeServer {
      await bound.set(http: $0)
      await bound.set(tcp: 0)
    }
    do {
      try await server.run()
    } catch {
      try await group.shutdownGracefully()
      throw error
    }
    try await group.shutdownGracefully()
  }

  private func makeServer(_ onBound: @escaping @Sendable (Int) async -> Void) throws -> any Service {
    let server = ServerConfiguration(address: .hostname(configuration.http.host, port: configuration.http.port), backlog: 1024)
    let onRunning: @Sendable (any Channel) async -> Void = { await onBound($0.localAddress?.port ?? 0) }
    guard let certificate = configuration.certificate else {
      return http.server(configuration: server, onServerRunning: onRunning, eventLoopGroup: group, logger: logger)
    }
    return try TLSChannel(http, tlsConfiguration: certificate.tls()).server(
      configuration: server, onServerRunning: onRunning, eventLoopGroup: group, logger: logger)
  }
}

/// The ports that the gateway listens on.
public struct Addresses: Sendable, Hashable {
  public var httpPort: Int
  public var tcpPort: Int
}
