import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import Operations
import ServiceKit

/// Hummingbird's server with the gateway's own connections.
///
/// Its listening, TLS and quiescing are used; its channel, `Request`, `Response` and router are not: what they cost for each request is
/// about what is left for everything else when half of a bare server's throughput is to be reached, and they have none of the limits.
/// The figures are in `Tests/Bench/README.md`.
struct HTTPListener: ServerChildChannel {
  /// A connection, served by the handlers in its pipeline.
  struct Value: ServerChildChannelValue {
    let channel: any Channel
  }

  let limits: GatewayConfiguration.Limits
  let counts: ConnectionCounts
  let bytes: BytesInFlight
  /// Who is answered about health also where there are too many connections.
  let healthNetworks: [IPNetwork]
  /// Nil where none is believed.
  let proxies: TrustedProxies?
  let responder: HTTPResponder
  let stream: EventStream

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    let ready = channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      try SocketOptions.set(channel, limits)
      let peer = Peer(channel.remoteAddress, proxies: proxies)
      let limiter = ConnectionLimiter(
        counts, bytes, peer.isProxy ? nil : ClientAddress(channel.remoteAddress), forHealth: closing(channel))
      try pipeline.addHandler(limiter)
      let limits = limiter.isForHealth ? limits.forHealth : limits
      let watch = ConnectionWatch(limits, limiter.held)
      try pipeline.addHandler(watch)
      let decoder = RequestDecoder(headers: limits.headers)
      try pipeline.addHandler(ByteToMessageHandler(decoder))
      try pipeline.addHandler(
        HTTPConnection(
          limits, watch: watch, limiter: limiter, decoder: decoder, responder: responder, stream: stream, peer, channel.eventLoop)
      )
      return Value(channel: channel)
    }
    // Nothing else closes a connection whose pipeline could not be made: its client would wait, and its descriptor be lost.
    ready.whenFailure { _ in channel.close(promise: nil) }
    return ready
  }

  /// How a connection is closed that may ask for health beyond the bounds; nil for one that may not.
  private func closing(_ channel: any Channel) -> (@Sendable () -> Void)? {
    guard let peer = IPAddress(channel.remoteAddress), healthNetworks.contains(where: { $0.contains(peer) }) else { return nil }
    return { channel.close(promise: nil) }
  }

  func handle(value: Value, logger: Logger) async {
    do {
      // Cancelled when the time for what is in flight is over.
      try await withTaskCancellationHandler {
        try await value.channel.closeFuture.get()
      } onCancel: {
        value.channel.close(promise: nil)
      }
    } catch {
      logger.debug("connection ended", metadata: ["error": "\(error)"])
    }
  }
}
