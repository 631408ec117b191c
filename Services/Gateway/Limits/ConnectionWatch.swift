import NIOCore

/// Sits next to the network in a connection's pipeline: counts bytes, and asks ``ConnectionDeadlines`` once a second.
final class ConnectionWatch: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  var deadlines: ConnectionDeadlines
  private let onExpiry: (ConnectionDeadlines.Expiry) -> Void
  private var next: Scheduled<Void>?

  init(_ limits: GatewayConfiguration.Limits, onExpiry: @escaping (ConnectionDeadlines.Expiry) -> Void) {
    deadlines = ConnectionDeadlines(limits, now: .now())
    self.onExpiry = onExpiry
  }

  func handlerAdded(context: ChannelHandlerContext) { tick(context) }

  func handlerRemoved(context: ChannelHandlerContext) {
    next?.cancel()
    next = nil
  }

  private func tick(_ context: ChannelHandlerContext) {
    next = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) {
      // A channel that cannot tell what it holds counts as one that holds nothing: then only the other deadlines apply.
      let buffered = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
      self.tick(context)
      if let expiry = self.deadlines.expiry(.now(), buffered: buffered) { self.onExpiry(expiry) }
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    deadlines.bytesArrived(.now())
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    deadlines.wrote(unwrapOutboundIn(data).readableBytes)
    context.write(data, promise: promise)
  }
}

@available(*, unavailable)
extension ConnectionWatch: Sendable {}
