import GatewayContract
import NIOCore
import NIOExtras
import Operations

/// Watches the lines of one connection in its pipeline, and answers what is too long or too slow for anyone behind it.
final class RPCGuard: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let limits: GatewayConfiguration.Limits
  private let watch: ConnectionWatch
  private let problems: ProblemWriter
  /// Whether there was a place for the connection.
  private let isWelcome: Bool
  /// The account's, once the connection is signed in.
  var language = Language.english
  private var isClosing = false

  init(_ limits: GatewayConfiguration.Limits, watch: ConnectionWatch, problems: ProblemWriter, isWelcome: Bool) {
    self.limits = limits
    self.watch = watch
    self.problems = problems
    self.isWelcome = isWelcome
  }

  func channelActive(context: ChannelHandlerContext) {
    if !isWelcome { refuseForWantOfPlace(context) }
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    watch.deadlines.lineArrived(.now())
    if !isClosing { context.fireChannelRead(data) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if error is ByteToMessageDecoderError.PayloadTooLargeError {
      refuse(.tooLarge(limits.body), context)
    } else {
      context.fireErrorCaught(error)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let expiry = event as? ConnectionDeadlines.Expiry {
      expired(expiry, context)
    } else if event is ProxyHeaderReader.NoPlace {
      refuseForWantOfPlace(context)
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  /// What ``ConnectionWatch`` found to take too long.
  private func expired(_ expiry: ConnectionDeadlines.Expiry, _ context: ChannelHandlerContext) {
    guard expiry == .head else {
      context.close(promise: nil)
      return
    }
    refuse(RPCError(Failure(GatewayFailure.requestTimeout, ["seconds": .number(limits.headerSeconds)]), id: nil), context)
  }

  private func refuseForWantOfPlace(_ context: ChannelHandlerContext) {
    refuse(RPCError(Failure(GatewayFailure.tooManyConnections, retryAfterSeconds: 5), id: nil), context)
  }

  private func refuse(_ error: RPCError, _ context: ChannelHandlerContext) {
    guard !isClosing else { return }
    isClosing = true
    let line = RPCLine.error(error, problems.problem(error.failure, language, request: RequestName().outer)) + [0x0A]
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: line)), promise: nil)
    context.close(promise: nil)
  }
}

@available(*, unavailable)
extension RPCGuard: Sendable {}
