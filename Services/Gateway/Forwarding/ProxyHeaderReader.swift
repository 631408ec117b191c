import NIOCore
import ServiceKit
import Synchronization

/// Whom a connection comes from.
final class ConnectionOrigin: Sendable {
  private let peer: SocketAddress?
  private let clientAddress = Mutex<IPAddress?>(nil)

  init(_ peer: SocketAddress?) { self.peer = peer }

  /// What the budgets count.
  var address: ClientAddress { clientAddress.withLock { $0 }.map { ClientAddress($0) } ?? ClientAddress(peer) }
  /// What services get to know.
  var text: String? { clientAddress.withLock { $0?.text } ?? peer?.ipAddress }

  /// Takes the word of a load balancer that is believed.
  func set(_ client: IPAddress) { clientAddress.withLock { $0 = client } }
}

/// Stands first in the pipeline of a connection from a load balancer that is believed: takes its ``ProxyHeader`` off, which must be there,
/// and passes on what comes after it. A header that takes too long falls under the deadline of the first line, which has not begun.
final class ProxyHeaderReader: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  /// The event for the next handlers where a client already has too many connections.
  struct NoRoom {}

  private enum State {
    case reading([UInt8])
    case passing
    case refusing
  }

  private let limiter: ConnectionLimiter
  private let origin: ConnectionOrigin
  private var state = State.reading([])

  init(_ limiter: ConnectionLimiter, _ origin: ConnectionOrigin) {
    self.limiter = limiter
    self.origin = origin
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch state {
    case .passing: context.fireChannelRead(data)
    case .refusing: break
    case .reading(let before):
      let arrived = unwrapInboundIn(data)
      let bytes = before + arrived.readableBytesView
      switch ProxyHeader.read(bytes) {
      case .incomplete: state = .reading(bytes)
      case .refused:
        // The peer's protocol is unknown, so there is nothing to answer.
        state = .refusing
        context.close(promise: nil)
      case .whole(let client, let length):
        state = .passing
        begin(client, context)
        if bytes.count > length { context.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: bytes[length...]))) }
      }
    }
  }

  /// The connection is the client's from now on.
  private func begin(_ client: IPAddress?, _ context: ChannelHandlerContext) {
    guard let client else { return }
    origin.set(client)
    if !limiter.claim(ClientAddress(client)) { context.fireUserInboundEventTriggered(NoRoom()) }
  }
}

@available(*, unavailable)
extension ProxyHeaderReader: Sendable {}
