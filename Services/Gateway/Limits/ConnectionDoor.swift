import NIOCore
import NIOPosix
import ServiceKit

/// Holds a connection's place in ``ConnectionCounts`` as long as the connection lives.
final class ConnectionDoor: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  /// Whether there was a place.
  let isOpen: Bool
  private let counts: ConnectionCounts
  /// Nil for a proxy.
  private var address: ClientAddress?

  init(_ counts: ConnectionCounts, _ address: ClientAddress?) {
    self.counts = counts
    self.address = address
    isOpen = counts.enter(address)
  }

  /// Whether that client may have the connection for itself, as it does while it listens to a stream.
  func claim(_ client: ClientAddress) -> Bool {
    guard address == nil else { return true }
    guard counts.claim(client) else { return false }
    address = client
    return true
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    if isOpen { counts.leave(address) }
  }
}

@available(*, unavailable)
extension ConnectionDoor: Sendable {}

/// What the kernel is told of accepted sockets.
enum SocketOptions {
  static func set(_ channel: any Channel, _ limits: GatewayConfiguration.Limits) throws {
    guard let options = channel.syncOptions, channel.remoteAddress?.ipAddress != nil else { return }
    try options.setOption(.tcpOption(.tcp_nodelay), value: 1)
    try options.setOption(.socketOption(.so_keepalive), value: 1)
    #if os(Linux)
      // A peer that acknowledges nothing, or takes nothing from a full window, is dropped by the kernel itself.
      let milliseconds = SocketOptionValue(limits.writeSeconds * 1000)
      try options.setOption(.tcpOption(.init(rawValue: CInt(TCP_USER_TIMEOUT))), value: milliseconds)
    #endif
  }
}
