import GatewayContract
import HTTPTypes
import Logging
import NIOCore
import NIOExtras
import NIOHTTP1
import Operations

/// Keeps malformed, oversized and slow requests from the code behind it, and ends the connection when the server stops.
///
/// It stands right behind the parser, where a request's head still is as it was sent: what RFC 9112 calls ambiguous
/// (no `Host` or two, `Content-Length` beside `Transfer-Encoding`) is answered 400 here, and the connection is closed, since
/// nobody knows where the next request begins (section 6.3; request smuggling).
final class HTTPGuard: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let limits: GatewayConfiguration.Limits
  private let watch: ConnectionWatch
  private let refusals: HTTPRefusals
  /// Whether there was a place for the connection.
  private let isWelcome: Bool
  private var bodyBytes = 0
  private var language = Language.english
  /// Whether a response has begun and not ended.
  private var isResponding = false
  private var isQuiescing = false
  /// Told once the answers to the requests before it are out; nothing is read any more.
  private var refusal: Failure?
  private var isClosing = false

  init(_ limits: GatewayConfiguration.Limits, watch: ConnectionWatch, refusals: HTTPRefusals, isWelcome: Bool) {
    self.limits = limits
    self.watch = watch
    self.refusals = refusals
    self.isWelcome = isWelcome
  }

  func channelActive(context: ChannelHandlerContext) {
    if !isWelcome {
      tell(Failure(GatewayFailure.tooManyConnections, retryAfterSeconds: 5), context)
      context.close(promise: nil)
    }
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard refusal == nil, !isClosing else { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      language = Language(acceptLanguage: head.headers.first(name: "Accept-Language"))
      if let failure = objection(to: head) {
        refuse(failure, context)
        return
      }
      bodyBytes = 0
      watch.deadlines.headArrived(.now())
    case .body(let buffer):
      bodyBytes += buffer.readableBytes
      if bodyBytes > limits.body {
        interrupt(Failure(RequestFailure.bodyTooLarge, ["limit": .number(limits.body)]), context)
        return
      }
    case .end: watch.deadlines.requestArrived()
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard !isClosing else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    switch unwrapOutboundIn(data) {
    case .head(let head):
      if head.status.code >= 200 { isResponding = true }
      context.write(data, promise: promise)
    case .body: context.write(data, promise: promise)
    case .end:
      isResponding = false
      watch.deadlines.answered(.now())
      guard isQuiescing || refusal != nil, !watch.deadlines.isAnswering else {
        context.write(data, promise: promise)
        return
      }
      context.writeAndFlush(data, promise: promise)
      if let refusal { tell(refusal, context) } else { context.close(promise: nil) }
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? HTTPParserError else {
      context.fireErrorCaught(error)
      return
    }
    guard refusal == nil, !isClosing else { return }
    switch error {
    case .headerOverflow: refuse(Failure(GatewayFailure.headersTooLarge, ["limit": .number(limits.headers)]), context)
    default:
      let failure = Failure(RequestFailure.badRequest, ["reason": .text(error.debugDescription)])
      // A body that breaks off its framing belongs to a request that is being handled already.
      if watch.deadlines.isReceivingBody { interrupt(failure, context) } else { refuse(failure, context) }
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case let expiry as ConnectionDeadlines.Expiry: expired(expiry, context)
    case is ChannelShouldQuiesceEvent:
      isQuiescing = true
      if !watch.deadlines.isAnswering { context.close(promise: nil) }
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  /// What ``ConnectionWatch`` found to take too long.
  private func expired(_ expiry: ConnectionDeadlines.Expiry, _ context: ChannelHandlerContext) {
    guard !isClosing else {
      context.close(promise: nil)
      return
    }
    switch expiry {
    case .head where refusal == nil:
      refuse(Failure(GatewayFailure.requestTimeout, ["seconds": .number(limits.headerSeconds)]), context)
    case .request where refusal == nil:
      interrupt(Failure(GatewayFailure.requestTimeout, ["seconds": .number(limits.requestSeconds)]), context)
    default: context.close(promise: nil)
    }
  }

  private func objection(to head: HTTPRequestHead) -> Failure? {
    func malformed(_ reason: String) -> Failure { Failure(RequestFailure.badRequest, ["reason": .text(reason)]) }
    let hosts = head.headers[canonicalForm: "Host"]
    if hosts.count > 1 || (hosts.isEmpty && head.version != .http1_0) { return malformed("there must be one Host header") }
    let lengths = head.headers["Content-Length"]
    let codings = head.headers["Transfer-Encoding"]
    if !lengths.isEmpty && !codings.isEmpty { return malformed("both Content-Length and Transfer-Encoding") }
    if lengths.count > 1 { return malformed("more than one Content-Length") }
    if codings.count > 1 || (codings.first.map { $0.lowercased() != "chunked" } ?? false) {
      return malformed("a Transfer-Encoding other than chunked")
    }
    if let length = lengths.first.flatMap({ Int($0) }), length > limits.body {
      return Failure(RequestFailure.bodyTooLarge, ["limit": .number(limits.body)])
    }
    return nil
  }

  /// Refuses a request that nobody behind has seen.
  private func refuse(_ failure: Failure, _ context: ChannelHandlerContext) {
    refusal = failure
    if !watch.deadlines.isAnswering { tell(failure, context) }
  }

  /// Refuses a request that is being handled: tells why unless its answer, or an earlier one, is under way, and closes.
  private func interrupt(_ failure: Failure, _ context: ChannelHandlerContext) {
    refusal = failure
    if watch.deadlines.inFlight == 1 && !isResponding {
      tell(failure, context)
      // Whoever waits for the rest of the body learns that there is none.
      context.fireErrorCaught(ChannelError.inputClosed)
    } else {
      context.close(promise: nil)
    }
  }

  /// Writes the problem and closes our side; what still arrives is passed over, so that the client can read the answer
  /// (RFC 9112, section 9.6), until it closes or a deadline comes.
  private func tell(_ failure: Failure, _ context: ChannelHandlerContext) {
    isClosing = true
    let (head, body) = refusals.response(failure, language)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    context.close(mode: .output, promise: nil)
  }
}

@available(*, unavailable)
extension HTTPGuard: Sendable {}

/// The answers of ``HTTPGuard``, in HTTP/1's own terms.
struct HTTPRefusals: Sendable {
  let problems: ProblemWriter
  let fields: ResponseFields

  func response(_ failure: Failure, _ language: Language) -> (HTTPResponseHead, [UInt8]) {
    let name = RequestName()
    let body = problems.problem(failure, language, request: name.outer).json
    var headers = HTTPHeaders()
    for field in fields.fields(type: "application/problem+json", length: body.count, request: name, origin: nil) {
      headers.add(name: field.name.canonicalName, value: field.value)
    }
    headers.add(name: "connection", value: "close")
    if let seconds = failure.retryAfterSeconds { headers.add(name: "retry-after", value: String(seconds)) }
    headers.add(name: "content-language", value: language.rawValue)
    return (HTTPResponseHead(version: .http1_1, status: .init(statusCode: failure.status), headers: headers), body)
  }
}
