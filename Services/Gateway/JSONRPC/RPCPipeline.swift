import GatewayContract
import NIOCore
import NIOExtras
import Operations

/// Watches the lines of one connection in its pipeline, and answers those that are too long or too slow for the handlers after it.
final class RPCGuard: ChannelInboundHandler {
  typealias InboundIn = RPCInput
  typealias InboundOut = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let limits: GatewayConfiguration.Limits
  private let watch: ConnectionWatch
  private let problems: ProblemWriter
  private let admission: Admission
  private let origin: ConnectionOrigin
  private let held: HeldBytes
  /// Whether there was a slot for the connection.
  private let isWelcome: Bool
  /// The account's, once the connection is signed in.
  var language = Language.english
  private var isClosing = false

  init(_ processor: RPCProcessor, watch: ConnectionWatch, limiter: ConnectionLimiter, _ origin: ConnectionOrigin) {
    limits = processor.limits
    problems = processor.problems
    admission = processor.admission
    self.watch = watch
    self.origin = origin
    held = limiter.held
    isWelcome = limiter.slot != nil
  }

  func channelActive(context: ChannelHandlerContext) {
    if !isWelcome { refuseForLackOfRoom(context) }
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    watch.deadlines.lineArrived(.now())
    guard !isClosing else { return }
    switch unwrapInboundIn(data) {
    case .line(let line):
      // What was counted while it arrived is that line's.
      held.release(.line, held.count(.line))
      guard held.change(.requests, by: RPCGuard.size(line)) else { return refuse(RPCGuard.noRoom, context) }
      context.fireChannelRead(wrapInboundOut(line))
    case .blank(let count):
      do throws(Failure) {
        try admission.draw(origin.address, calls: count)
      } catch {
        refuse(RPCError(error, id: nil), context)
      }
    }
  }

  private static let noRoom = RPCError(Failure(RequestFailure.overloaded, retryAfterSeconds: 5), id: nil)

  /// The bytes counted for a line as ``HeldBytes/Part/requests`` until it is answered: its text and the buffers that hold it.
  static func size(_ line: ByteBuffer) -> Int { 64 + HeldBytes.copies * line.readableBytes }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if error is ByteToMessageDecoderError.PayloadTooLargeError {
      refuse(.tooLarge(limits.body), context)
    } else if error is LineDecoder.NoRoom {
      refuse(RPCGuard.noRoom, context)
    } else {
      context.fireErrorCaught(error)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let expiry = event as? ConnectionDeadlines.Expiry {
      expired(expiry, context)
    } else if event is ProxyHeaderReader.NoRoom {
      refuseForLackOfRoom(context)
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

  private func refuseForLackOfRoom(_ context: ChannelHandlerContext) {
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
