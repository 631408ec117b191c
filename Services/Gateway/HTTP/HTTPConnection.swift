import GatewayContract
import NIOCore
import NIOExtras
import NIOHTTP1
import Operations

/// One HTTP/1.1 connection: gathers requests, has them answered one after the other, and lets nothing malformed, oversized or slow reach
/// the code that answers.
///
/// ``HTTPConnectionState`` decides what happens when, and ``HeadRules`` which requests are taken; this type carries their decisions out.
final class HTTPConnection: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = ByteBuffer
  private typealias State = HTTPConnectionState<HTTPRequestHead, ByteBuffer>

  /// An answer whose body is written piece by piece as the client reads.
  private struct Outgoing {
    var rest: ByteBuffer
    let keepsAlive: Bool
    /// What is counted for it as ``HeldBytes/Part/answers``.
    let held: Int
  }

  /// Bodies larger than that are written in pieces of it: over TLS each piece is encrypted when the client takes it.
  private static let pieceBytes = 32768
  /// What is counted for a body that all share: the piece that is encrypted for this connection alone.
  private static let sharedBytes = pieceBytes

  private let limits: GatewayConfiguration.Limits
  private let watch: ConnectionWatch
  private let responder: HTTPResponder
  private let stream: EventStream
  private let peer: Peer
  private let executor: EventLoopExecutor
  private let limiter: ConnectionLimiter
  private let decoder: RequestDecoder
  private let rules: HeadRules
  private var held: HeldBytes { limiter.held }
  private var state: State
  /// The body that is arriving.
  private var body = ByteBuffer()
  /// The body that is arriving and is handed on meanwhile.
  private var arrivingStream: RequestBodyStream?
  /// Such bodies of requests that wait to be answered, the oldest first.
  private var waitingStreams: [RequestBodyStream] = []
  /// Answers a request, or a refusal.
  private var answering: Task<Void, Never>?
  /// What came of it, until it is written.
  private var ready: (outcome: HTTPResponder.Outcome, exchange: Exchange)?
  /// The answer that is being written.
  private var outgoing: Outgoing?
  private var isWriting = false
  /// The language that the last head asked for, or the last head that could not be read.
  private var language = Language.english

  init(
    _ limits: GatewayConfiguration.Limits, watch: ConnectionWatch, limiter: ConnectionLimiter, decoder: RequestDecoder,
    responder: HTTPResponder, stream: EventStream, _ peer: Peer, _ eventLoop: any EventLoop
  ) {
    self.limits = limits
    self.watch = watch
    self.responder = responder
    self.stream = stream
    self.limiter = limiter
    self.decoder = decoder
    self.peer = peer
    rules = HeadRules(body: limits.body, isForHealth: limiter.isForHealth)
    state = State(limits)
    executor = EventLoopExecutor(eventLoop)
  }

  // MARK: - What happens

  func channelActive(context: ChannelHandlerContext) {
    if limiter.slot == nil {
      handle(.refused(HTTPConnectionLimits.tooManyConnections, of: nil), context)
      context.close(promise: nil)
    }
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    handle(.closed, context)
    answering?.cancel()
    outgoing = nil
    // Whoever reads one waits for nothing any more.
    let gone = Failure(RequestFailure.unavailable)
    for stream in [arrivingStream].compactMap({ $0 }) + waitingStreams { stream.end(.failure(gone)) }
    (arrivingStream, waitingStreams) = (nil, [])
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard state.takesInput else { return }
    switch unwrapInboundIn(data) {
    case .head(let head): take(head, context)
    case .body(var part):
      guard state.isReceiving else { return }
      let size = HeldBytes.copies * part.readableBytes
      let bytes = part.readableBytes
      if let arrivingStream { arrivingStream.push(part) } else { body.writeBuffer(&part) }
      handle(.body(bytes: bytes, held: held.change(.requests, by: size) ? size : nil), context)
    case .end:
      let body = body
      self.body = ByteBuffer()
      handle(.end(body), context)
    }
  }

  private func take(_ received: HTTPRequestHead, _ context: ChannelHandlerContext) {
    var head = received
    let trimmed = head.headers.trimValues()
    language = Language(acceptLanguage: head.headers.first(name: "Accept-Language"))
    do throws(Failure) {
      let stream = responder.catalog.uploadPage(head).map { _ in limits.uploadBody }
      // How large a body is that is handed on, its page says.
      let upgrade = try rules.check(head, trimmed: trimmed, body: stream == nil ? nil : .max)
      let size = head.size
      guard held.change(.requests, by: size) else { throw HTTPConnectionLimits.noRoom }
      let framing = State.Framing(
        size: size, keepsAlive: head.isKeepAlive, isLast: upgrade == .unclear || limiter.isForHealth,
        stopsDecoder: upgrade == .plain,
        // HTTP/1.0 knows no interim answers.
        expectsContinue: head.version != .http1_0 && head.headers.first(name: "Expect")?.isField("100-continue") == true,
        streamLimit: stream,
        isTooLarge: stream.map { (head.headers.first(name: "Content-Length").map { Int($0) ?? .max } ?? 0) > $0 } ?? false)
      if stream != nil { receiveStream(context) }
      handle(.head(head, framing), context)
    } catch {
      handle(.refused(error, of: head), context)
    }
  }

  /// Lets the body that begins be handed on.
  private func receiveStream(_ context: ChannelHandlerContext) {
    let connection = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let stream = RequestBodyStream { bytes in
      connection.eventLoop.execute {
        let (connection, context) = connection.value
        connection.handle(.consumed(bytes: bytes, held: HeldBytes.copies * bytes), context)
      }
    }
    arrivingStream = stream
    waitingStreams.append(stream)
  }

  /// What waits is answered once the client has taken enough of what is out.
  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      writeOn(context)
      handle(.writable, context)
    }
    context.fireChannelWritabilityChanged()
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    handle(.readCompleted(received: watch.received), context)
    context.fireChannelReadComplete()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case let expiry as ConnectionDeadlines.Expiry: handle(.expired(expiry), context)
    case is ChannelShouldQuiesceEvent: handle(.quiescing, context)
    case ChannelEvent.inputClosed: handle(.inputClosed, context)
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? HTTPParserError else {
      context.close(promise: nil)
      return
    }
    guard state.takesInput else { return }
    let broken = BrokenHead(watch.arriving)
    let failure: Failure
    switch error {
    case .headerOverflow: failure = Failure(GatewayFailure.headersTooLarge, ["limit": .number(limits.headers)])
    case .invalidMethod where broken.namesUnknownMethod: failure = Failure(GatewayFailure.unknownMethod)
    default: failure = Malformation(error, isInBody: state.isReceiving, namesCoding: broken.namesCoding).failure()
    }
    if !state.isReceiving, error != .headerOverflow, let asked = broken.acceptLanguage {
      language = Language(acceptLanguage: asked)
    }
    handle(.refused(failure, of: nil), context)
  }

  // MARK: - What is done

  private func handle(_ event: State.Event, _ context: ChannelHandlerContext) {
    for action in state.handle(event, isWritable: context.channel.isWritable) { perform(action, context) }
  }

  private func perform(_ action: State.Action, _ context: ChannelHandlerContext) {
    switch action {
    case .startRequest: watch.headArrived()
    case .startStream: watch.deadlines.bodyStreams(seconds: limits.uploadSeconds)
    case .endStream:
      arrivingStream?.end(.success(()))
      arrivingStream = nil
    case .breakStream(let failure):
      arrivingStream?.end(.failure(failure))
      waitingStreams.removeAll { $0 === arrivingStream }
      arrivingStream = nil
    case .answerStream(let head):
      let stream = waitingStreams.removeFirst()
      answer(Exchange(head, peer), context) { [responder] exchange in await responder.respond(&exchange, stream) }
    case .endRequest: watch.deadlines.requestArrived()
    case .finishRequest: watch.deadlines.answered(.now())
    case .release(let bytes): held.release(.requests, bytes)
    case .dropBody: body = ByteBuffer()
    case .sendContinue:
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
    case .resumeDecoder: decoder.goOn()
    case .discardInput: decoder.discard()
    case .setReading(let isReading):
      context.channel.setOption(.autoRead, value: isReading).assumeIsolated().whenFailure { _ in context.close(promise: nil) }
    case .answer(let head, let body): answer(head, body, context)
    case .report(let failure, let head): report(failure, of: head, context)
    case .write(let keepsAlive): write(keepsAlive: keepsAlive, context)
    case .closeOutput(let isSlow):
      watch.deadlines.closing(.now(), isSlow: isSlow)
      context.close(mode: .output, promise: nil)
    case .close: context.close(promise: nil)
    }
  }

  // MARK: - Answering

  private func answer(_ head: HTTPRequestHead, _ body: ByteBuffer, _ context: ChannelHandlerContext) {
    let bytes = head.method == .GET || head.method == .HEAD ? [] : Array(body.readableBytesView)
    answer(Exchange(head, peer), context) { [responder] exchange in await responder.respond(&exchange, bytes) }
  }

  /// Has the problem made, in the language of whoever the token speaks for.
  private func report(_ failure: Failure, of head: HTTPRequestHead?, _ context: ChannelHandlerContext) {
    // Meanwhile the refusal counts as a request that is being answered.
    watch.deadlines.headArrived(.now())
    watch.deadlines.requestArrived()
    var exchange = Exchange(head ?? HTTPRequestHead(version: .http1_1, method: .GET, uri: "/"), peer)
    if head == nil { exchange.language = language }
    guard exchange.given.token != nil else { return finish(.answer(responder.refusal(failure, exchange)), exchange, context) }
    answer(exchange, context) { [responder] exchange in
      exchange.language = await responder.language(exchange)
      return .answer(responder.refusal(failure, exchange))
    }
  }

  private func answer(
    _ received: Exchange, _ context: ChannelHandlerContext,
    by respond: @escaping @Sendable (inout Exchange) async -> HTTPResponder.Outcome
  ) {
    let connection = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    answering = Task(executorPreference: executor) {
      var exchange = received
      let outcome = await respond(&exchange)
      let done = exchange
      // The executor is the loop itself; the hop is for where the last await came back elsewhere.
      let eventLoop = connection.eventLoop
      if eventLoop.inEventLoop {
        connection.value.0.finish(outcome, done, connection.value.1)
      } else {
        eventLoop.execute { connection.value.0.finish(outcome, done, connection.value.1) }
      }
    }
  }

  private func finish(_ outcome: HTTPResponder.Outcome, _ exchange: Exchange, _ context: ChannelHandlerContext) {
    answering = nil
    ready = (outcome, exchange)
    handle(.answerReady, context)
    ready = nil
  }

  private func write(keepsAlive: Bool, _ context: ChannelHandlerContext) {
    guard let (outcome, exchange) = ready else { return }
    switch outcome {
    case .answer(let answer): write(answer, exchange, keepsAlive: keepsAlive, context)
    case .download(let answer, let download): write(answer, download, exchange, keepsAlive: keepsAlive, context)
    case .live where exchange.method == "HEAD":
      writeStreamHead(exchange, context)
      handle(.written(keepsAlive: false), context)
    case .live(let identification, let after):
      if limiter.claim(exchange.address) { return follow(identification, after, exchange, context) }
      write(
        responder.refusal(HTTPConnectionLimits.tooManyConnections, exchange), exchange, keepsAlive: false, context)
    }
  }

  /// Writes an answer, one with a small body at once; one that there is no room for is refused instead.
  private func write(_ answer: HTTPAnswer, _ exchange: Exchange, keepsAlive: Bool, _ context: ChannelHandlerContext) {
    let length = answer.body.readableBytes
    guard exchange.method != "HEAD", length > HTTPConnection.pieceBytes else {
      var buffer = context.channel.allocator.buffer(capacity: 640 + length)
      responder.heads.write(answer, exchange, length: length, keepsAlive: keepsAlive, to: &buffer)
      if exchange.method != "HEAD" { buffer.writeImmutableBuffer(answer.body) }
      context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
      return handle(.written(keepsAlive: keepsAlive), context)
    }
    let size = answer.isShared ? HTTPConnection.sharedBytes : length
    // A call that has changed something is always answered.
    guard held.change(.answers, by: size, isForced: exchange.method != "GET") else {
      return write(responder.refusal(HTTPConnectionLimits.noRoom, exchange), exchange, keepsAlive: keepsAlive, context)
    }
    var head = context.channel.allocator.buffer(capacity: 640)
    responder.heads.write(answer, exchange, length: length, keepsAlive: keepsAlive, to: &head)
    context.write(wrapOutboundOut(head), promise: nil)
    outgoing = Outgoing(rest: answer.body, keepsAlive: keepsAlive, held: size)
    writeOn(context)
  }

  /// Writes pieces of the answer's body until the client takes no more for now.
  private func writeOn(_ context: ChannelHandlerContext) {
    // A flush shows at once whether there is room for more.
    guard !isWriting else { return }
    isWriting = true
    while outgoing != nil, context.channel.isWritable, let piece = nextPiece() {
      context.writeAndFlush(wrapOutboundOut(piece), promise: nil)
    }
    isWriting = false
    guard let done = outgoing, done.rest.readableBytes == 0 else { return }
    outgoing = nil
    held.release(.answers, done.held)
    handle(.written(keepsAlive: done.keepsAlive), context)
  }

  private func nextPiece() -> ByteBuffer? {
    guard let left = outgoing?.rest.readableBytes, left > 0 else { return nil }
    return outgoing?.rest.readSlice(length: min(left, HTTPConnection.pieceBytes))
  }

  /// Writes an answer whose body is fetched piece by piece as the client reads.
  private func write(
    _ answer: HTTPAnswer, _ download: any DownloadBody, _ exchange: Exchange, keepsAlive: Bool,
    _ context: ChannelHandlerContext
  ) {
    let isHead = exchange.method == "HEAD"
    let heldBytes = download.heldBytes
    guard isHead || held.change(.answers, by: heldBytes) else {
      return write(responder.refusal(HTTPConnectionLimits.noRoom, exchange), exchange, keepsAlive: keepsAlive, context)
    }
    var head = context.channel.allocator.buffer(capacity: 1024)
    responder.heads.write(answer, exchange, length: download.totalBytes, keepsAlive: keepsAlive, to: &head)
    context.writeAndFlush(wrapOutboundOut(head), promise: nil)
    if isHead { return handle(.written(keepsAlive: keepsAlive), context) }
    let connection = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let channel = context.channel
    answering = Task(executorPreference: executor) {
      let isWhole = await HTTPConnection.send(download, to: channel)
      connection.eventLoop.execute {
        let (connection, context) = connection.value
        connection.held.release(.answers, heldBytes)
        connection.answering = nil
        // Whoever gets less than was announced notices by the end of the connection.
        if isWhole { connection.handle(.written(keepsAlive: keepsAlive), context) } else { channel.close(promise: nil) }
      }
    }
  }

  /// - Returns: whether all of it went out.
  private static func send(_ received: any DownloadBody, to channel: any Channel) async -> Bool {
    var download = received
    do {
      while var chunk = try await download.next() {
        // Returns once the kernel has taken the bytes, so that a slow reader delays only its own download.
        while let piece = chunk.readSlice(length: min(chunk.readableBytes, pieceBytes)), piece.readableBytes > 0 {
          try await channel.writeAndFlush(piece).get()
        }
      }
      return true
    } catch {
      return false
    }
  }

  /// The head of an answer that ends with the connection.
  private func writeStreamHead(_ exchange: Exchange, _ context: ChannelHandlerContext) {
    var head = context.channel.allocator.buffer(capacity: 640)
    let answer = HTTPAnswer(status: 200, type: "text/event-stream", body: ByteBuffer())
    responder.heads.write(answer, exchange, length: nil, keepsAlive: false, to: &head)
    context.writeAndFlush(wrapOutboundOut(head), promise: nil)
  }

  /// Streams live messages; the connection ends with them.
  private func follow(_ identification: Identification, _ after: Int?, _ exchange: Exchange, _ context: ChannelHandlerContext) {
    handle(.streamBegan, context)
    writeStreamHead(exchange, context)
    let channel = context.channel
    let stream = stream
    let held = held
    answering = Task(executorPreference: executor) {
      await stream.run(exchange, identification, after: after, held) { bytes in
        // Returns once the kernel has taken the bytes, so that a slow reader delays only its own stream.
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
      }
      channel.close(promise: nil)
    }
  }
}

extension HTTPRequestHead {
  /// About what it takes, in bytes: its texts, and what each field and the request itself lie in.
  fileprivate var size: Int { headers.reduce(256 + uri.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 64 } }
}

@available(*, unavailable)
extension HTTPConnection: Sendable {}
