import NIOCore
import NIOPosix
import ServiceKit

/// Holds a connection's slot in ``ConnectionCounts`` for as long as the connection is open.
final class ConnectionLimiter: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  /// The connection's slot; nil where none was free.
  let slot: ConnectionCounts.Slot?
  /// What is held for the connection.
  let held: HeldBytes
  private let counts: ConnectionCounts
  /// Nil for a proxy.
  private var address: ClientAddress?

  /// - Parameters:
  ///   - address: nil for a proxy.
  ///   - close: closes the connection, given where beyond the bounds there is a slot for health.
  init(
    _ counts: ConnectionCounts, _ bytes: BytesInFlight, _ address: ClientAddress?, forHealth close: (@Sendable () -> Void)? = nil
  ) {
    self.counts = counts
    self.address = address
    held = HeldBytes(bytes, address)
    slot = counts.enter(address, forHealth: close)
  }

  /// Whether nothing but health may be asked.
  var isForHealth: Bool {
    if case .health = slot { true } else { false }
  }

  /// Whether that client may have the connection for itself, as it does while it listens to a stream.
  func claim(_ client: ClientAddress) -> Bool {
    guard address == nil else { return true }
    guard counts.claim(client) else { return false }
    address = client
    held.move(to: client)
    return true
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    if let slot { counts.leave(slot, address) }
  }
}

@available(*, unavailable)
extension ConnectionLimiter: Sendable {}

/// What is set for the kernel's handling of accepted sockets.
enum SocketOptions {
  static func set(_ channel: any Channel, _ limits: GatewayConfiguration.Limits) throws {
    guard let options = channel.syncOptions, channel.remoteAddress?.ipAddress != nil else { return }
    try options.setOption(.tcpOption(.tcp_nodelay), value: 1)
    try options.setOption(.socketOption(.so_keepalive), value: 1)
    // So little waits for a client that does not read before nothing more is written for it.
    try options.setOption(.writeBufferWaterMark, value: .init(low: 16384, high: 32768))
    #if os(Linux)
      // A peer that acknowledges nothing, or takes nothing from a full window, is dropped by the kernel itself.
      let milliseconds = SocketOptionValue(limits.writeSeconds * 1000)
      try options.setOption(.tcpOption(.init(rawValue: CInt(TCP_USER_TIMEOUT))), value: milliseconds)
    #endif
  }
}
