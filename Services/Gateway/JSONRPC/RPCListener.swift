import Logging
import NIOCore
import NIOPosix
import NIOSSL
import Operations
import ServiceKit
import ServiceLifecycle

/// Listens for JSON-RPC connections.
struct RPCListener: Service {
  let listener: GatewayConfiguration.Listener
  let tls: NIOSSLContext?
  let group: any EventLoopGroup
  let counts: ConnectionCounts
  let bytes: BytesInFlight
  /// Networks of load balancers, whose connections begin with a ``ProxyHeader``.
  let proxies: [IPNetwork]
  let processor: RPCProcessor
  let onBound: @Sendable (Int) async -> Void

  func run() async throws {
    let server = try await ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 1024)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .bind(host: listener.host, port: listener.port) { channel in
        let ready = channel.eventLoop.makeCompletedFuture { try setup(channel) }
        // As in ``HTTPListener``.
        ready.whenFailure { _ in channel.close(promise: nil) }
        return ready
      }
    await onBound(server.channel.localAddress?.port ?? 0)
    try await withGracefulShutdownHandler {
      try await withThrowingDiscardingTaskGroup { tasks in
        try await server.executeThenClose { connections in
          for try await connection in connections {
            tasks.addTask {
              await withTaskExecutorPreference(EventLoopExecutor(connection.channel.eventLoop)) { await connection.run() }
            }
          }
        }
      }
    } onGracefulShutdown: {
      server.channel.close(promise: nil)
    }
  }

  private func setup(_ channel: any Channel) throws -> RPCConnection {
    let pipeline = channel.pipeline.syncOperations
    try SocketOptions.set(channel, processor.limits)
    let origin = ConnectionOrigin(channel.remoteAddress)
    let isProxy = IPAddress(channel.remoteAddress).map { peer in proxies.contains { $0.contains(peer) } } ?? false
    let limiter = ConnectionLimiter(counts, bytes, isProxy ? nil : ClientAddress(channel.remoteAddress))
    if isProxy { try pipeline.addHandler(ProxyHeaderReader(limiter, origin)) }
    if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
    try pipeline.addHandler(limiter)
    let watch = ConnectionWatch(processor.limits, limiter.held)
    try pipeline.addHandler(watch)
    try pipeline.addHandler(ByteToMessageHandler(LineDecoder(limiter.held), maximumBufferSize: processor.limits.body))
    let lines = RPCGuard(processor, watch: watch, limiter: limiter, origin)
    try pipeline.addHandler(lines)
    let asyncChannel = try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
      wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
    return RPCConnection(
      asyncChannel, pipeline: NIOLoopBound((watch, lines), eventLoop: channel.eventLoop), origin, limiter.held,
      processor: processor)
  }
}
