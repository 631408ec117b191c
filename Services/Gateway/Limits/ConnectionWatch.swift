import NIOCore

/// The handler nearest to the network in a connection's pipeline: counts bytes, checks ``ConnectionDeadlines`` once a second, and reports
/// an expired deadline to the handlers after it as a user event, ``ConnectionDeadlines/Expiry``.
final class ConnectionWatch: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  var deadlines: ConnectionDeadlines
  /// The bytes that the handlers after this one are reading now, so that they can report what their parser refuses.
  private(set) var arriving: ByteBuffer?
  /// Bytes since the head of the request that is arriving, or its beginning, arrived.
  private(set) var received = 0
  private var next: Scheduled<Void>?
  private let held: HeldBytes

  init(_ limits: GatewayConfiguration.Limits, _ held: HeldBytes) {
    deadlines = ConnectionDeadlines(limits, now: .now())
    self.held = held
  }

  func handlerAdded(context: ChannelHandlerContext) { tick(context) }

  func handlerRemoved(context: ChannelHandlerContext) {
    next?.cancel()
    next = nil
  }

  private func tick(_ context: ChannelHandlerContext) {
    next = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) {
      // A task that is due already runs although it was cancelled in the same turn of the loop.
      guard self.next != nil else { return }
      self.tick(context)
      let buffered = self.countUnread(context)
      if let expiry = self.deadlines.expiry(.now(), buffered: buffered) { context.fireUserInboundEventTriggered(expiry) }
    }
  }

  /// What is written and the client has not taken. Who leaves more unread than there is room for is cut.
  @discardableResult
  private func countUnread(_ context: ChannelHandlerContext) -> Int {
    // A channel that cannot report its buffered bytes counts as holding none: only the other deadlines then apply.
    let buffered = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    if !held.setUnread(buffered) { context.fireUserInboundEventTriggered(ConnectionDeadlines.Expiry.write) }
    return buffered
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    deadlines.bytesArrived(.now())
    let bytes = unwrapInboundIn(data)
    received += bytes.readableBytes
    arriving = bytes
    context.fireChannelRead(data)
    arriving = nil
  }

  /// The head of a request has arrived.
  func headArrived() {
    deadlines.headArrived(.now())
    received = 0
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    deadlines.wrote(unwrapOutboundIn(data).readableBytes)
    context.write(data, promise: promise)
  }

  func flush(context: ChannelHandlerContext) {
    context.flush()
    countUnread(context)
  }
}

@available(*, unavailable)
extension ConnectionWatch: Sendable {}
