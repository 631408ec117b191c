import GatewayContract
import NIOCore
import NIOExtras
import NIOHTTP1
import Operations

/// One HTTP/1.1 connection: gathers requests, has them answered one after the other, and keeps what is malformed, oversized or
/// slow from the code behind it.
///
/// What RFC 9112 calls ambiguous (no `Host` or two, `Content-Length` beside `Transfer-Encoding`) is answered 400 and the
/// connection closed, since nobody knows where the next request begins (section 6.3; request smuggling). So is a request that says twice
/// who calls.
final class HTTPConnection: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = ByteBuffer

  private struct Received {
    let head: HTTPRequestHead
    /// Whether it asks for another protocol.
    let upgrade: UpgradeRequest
    var body = ByteBuffer()
    /// What is counted for it as ``HeldBytes/Part/requests``.
    var held: Int
    /// Whether the connection ends with its answer, whatever it says itself.
    var isLast = false
  }

  /// An answer whose body is written piece by piece as the client reads.
  private struct Outgoing {
    var rest: ByteBuffer
    let keepsAlive: Bool
    /// What is counted for it as ``HeldBytes/Part/answers``.
    let held: Int
  }

  private struct Refusal: Sendable {
    let failure: Failure
    let exchange: Exchange
  }

  /// Requests that wait for the one before them; beyond it nothing is read.
  private static let maxWaiting = 16
  /// A body of the largest size in pieces of a byte each is sixfold.
  private static let maxWrapping = 8
  /// Bodies larger than that are written in pieces of it: over TLS each piece is encrypted when the client takes it.
  private static let pieceBytes = 32768
  /// What is counted for a body that all share: the piece that is encrypted for this connection alone.
  private static let sharedBytes = pieceBytes
  private static let tooMany = Failure(GatewayFailure.tooManyConnections, retryAfterSeconds: 5)
  private static let noRoom = Failure(RequestFailure.overloaded, retryAfterSeconds: 5)

  private let limits: GatewayConfiguration.Limits
  private let watch: ConnectionWatch
  private let responder: HTTPResponder
  private let stream: EventStream
  private let peer: Peer
  private let executor: EventLoopExecutor
  private let door: ConnectionDoor
  private let decoder: RequestDecoder
  private var held: HeldBytes { door.held }
  private var arriving: Received?
  /// The client of the request that is arriving waits to be told that its body is wanted.
  private var isAskedToGoOn = false
  private var waiting: CircularBuffer<Received> = []
  /// Bytes of the bodies that wait.
  private var bytesWaiting = 0
  /// Answers the request before those that wait.
  private var answering: Task<Void, Never>?
  /// Counted for the request that is being answered.
  private var heldAnswering = 0
  /// The answer that is being written.
  private var outgoing: Outgoing?
  private var isWriting = false
  /// Told once the answers to the requests before it are out; nothing is read any more.
  private var refusal: Refusal?
  /// What has arrived is answered, then the connection ends: the server stops, or the client sends no more.
  private var isEnding = false
  /// A stream has begun; the connection ends with it.
  private var isStreaming = false
  private var isReading = true
  /// Nothing is written any more, and what arrives is ignored.
  private var isClosing = false
  /// The client has let a deadline pass.
  private var isSlow = false
  private var language = Language.english

  init(
    _ limits: GatewayConfiguration.Limits, watch: ConnectionWatch, door: ConnectionDoor, decoder: RequestDecoder,
    responder: HTTPResponder, stream: EventStream, _ peer: Peer, _ eventLoop: any EventLoop
  ) {
    self.limits = limits
    self.watch = watch
    self.responder = responder
    self.stream = stream
    self.door = door
    self.decoder = decoder
    self.peer = peer
    executor = EventLoopExecutor(eventLoop)
  }

  // MARK: - Arriving

  func channelActive(context: ChannelHandlerContext) {
    if door.place == nil {
      refuse(HTTPConnection.tooMany, context)
      context.close(promise: nil)
    }
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    isClosing = true
    forget()
    answering?.cancel()
    outgoing = nil
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard refusal == nil, !isClosing else { return }
    switch unwrapInboundIn(data) {
    case .head(var head):
      let trimmed = head.headers.trimValues()
      language = Language(acceptLanguage: head.headers.first(name: "Accept-Language"))
      var upgrade = UpgradeRequest.none
      if let failure = objection(to: head, trimmed: trimmed, &upgrade) { return refuse(failure, of: head, context) }
      let size = head.size
      guard held.change(.requests, by: size) else { return refuse(HTTPConnection.noRoom, of: head, context) }
      watch.headArrived()
      arriving = Received(head: head, upgrade: upgrade, held: size, isLast: upgrade == .unclear || door.isForHealth)
      // RFC 9110, section 10.1.1: HTTP/1.0 knows no interim answers.
      isAskedToGoOn = head.version != .http1_0 && head.headers.first(name: "Expect")?.isField("100-continue") == true
      letGoOn(context)
    case .body(var part):
      guard (arriving?.body.readableBytes ?? 0) + part.readableBytes <= limits.body else {
        return interrupt(Failure(RequestFailure.bodyTooLarge, ["limit": .number(limits.body)]), context)
      }
      let size = HeldBytes.copies * part.readableBytes
      guard held.change(.requests, by: size) else { return interrupt(HTTPConnection.noRoom, context) }
      arriving?.held += size
      arriving?.body.writeBuffer(&part)
    case .end:
      watch.deadlines.requestArrived()
      guard let request = arriving else { return }
      arriving = nil
      isAskedToGoOn = false
      if request.isLast {
        decoder.discard()
      } else if request.upgrade == .plain {
        decoder.goOn()
      }
      waiting.append(request)
      bytesWaiting += request.body.readableBytes
      answerNext(context)
    }
  }

  /// What waits is answered once the client has taken enough of what is out.
  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      writeOn(context)
      answerNext(context)
      setReading(hasRoom, context)
    }
    context.fireChannelWritabilityChanged()
  }

  /// Whether more requests may wait. What may arrive at least, one body of the largest size, always may.
  private var hasRoom: Bool { isClosing || (waiting.count < HTTPConnection.maxWaiting && bytesWaiting < limits.body) }

  /// Reading stops while enough requests wait.
  func channelReadComplete(context: ChannelHandlerContext) {
    // What the pieces of a body are wrapped in has no bound of its own (RFC 9112, section 7.1.1).
    if arriving != nil, watch.received > limits.headers + HTTPConnection.maxWrapping * limits.body {
      interrupt(Failure(RequestFailure.bodyTooLarge, ["limit": .number(limits.body)]), context)
    }
    setReading(hasRoom, context)
    context.fireChannelReadComplete()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case let expiry as ConnectionDeadlines.Expiry: expired(expiry, context)
    case is ChannelShouldQuiesceEvent:
      isEnding = true
      if !watch.deadlines.isAnswering { context.close(promise: nil) }
    case ChannelEvent.inputClosed:
      isEnding = true
      // Half a request will never be whole, and nobody can tell whether a stream is still read.
      if !watch.deadlines.isAnswering || arriving != nil || isStreaming { context.close(promise: nil) }
    default: context.fireUserInboundEventTriggered(event)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? HTTPParserError else {
      context.close(promise: nil)
      return
    }
    guard refusal == nil, !isClosing else { return }
    let broken = BrokenHead(watch.arriving)
    let failure: Failure
    switch error {
    case .headerOverflow: failure = Failure(GatewayFailure.headersTooLarge, ["limit": .number(limits.headers)])
    case .invalidMethod where broken.namesUnknownMethod: failure = Failure(GatewayFailure.unknownMethod)
    default: failure = Malformation(error, isInBody: arriving != nil, namesCoding: broken.namesCoding).failure()
    }
    // What breaks off its framing, or has endless fields behind its body, belongs to a request whose head has arrived.
    if arriving != nil { return interrupt(failure, context) }
    if error != .headerOverflow, let asked = broken.acceptLanguage { language = Language(acceptLanguage: asked) }
    refuse(failure, context)
  }

  /// - Parameters:
  ///   - trimmed: names of the fields from whose values white space was taken away.
  ///   - upgrade: told whether the request asks for another protocol.
  private func objection(to head: HTTPRequestHead, trimmed: [String], _ upgrade: inout UpgradeRequest) -> Failure? {
    var hosts = 0
    var isHost = true
    var authorizations = 0
    var lengths: [String] = []
    var codings: [String] = []
    var asksForUpgrade = false
    for (name, value) in head.headers {
      switch name.utf8.count {
      case 4:
        if name.isField("host") {
          hosts += 1
          isHost = isHost && Authority.isWellFormed(value[...])
        }
      case 13: if name.isField("authorization") { authorizations += 1 }
      case 14: if name.isField("content-length") { lengths.append(value) }
      case 17: if name.isField("transfer-encoding") { codings.append(value) }
      // One without a value asks for nothing, and NIO's decoder goes on behind it by itself.
      case 7: if name.isField("upgrade"), !value.isEmpty { asksForUpgrade = true }
      default: break
      }
    }
    // There is no tunnel to anywhere (RFC 9110, section 9.3.6).
    guard head.method != .CONNECT else { return Failure(GatewayFailure.unknownMethod) }
    // RFC 9112, section 6.1: whoever sends one with HTTP/1.0 may have passed on what it did not understand.
    guard codings.isEmpty || head.version != .http1_0 else { return Malformation.unclearLength.failure() }
    if hosts > 1 || (hosts == 0 && head.version != .http1_0) { return Malformation.oneHost.failure() }
    guard isHost else { return Malformation.host.failure() }
    guard authorizations <= 1 else { return Malformation.oneField.failure(["field": .text("Authorization")]) }
    guard RequestTarget(head.uri) != nil else { return Malformation.target.failure() }
    guard lengths.count + codings.count <= 1, codings.allSatisfy({ $0.isField("chunked") }) else {
      return Malformation.unclearLength.failure()
    }
    // The parser has seen to it that it is a number; one that is none here is beyond all.
    if let length = lengths.first, Int(length) ?? .max > limits.body {
      return Failure(RequestFailure.bodyTooLarge, ["limit": .number(limits.body)])
    }
    if asksForUpgrade { upgrade = UpgradeRequest(head.headers) }
    // With `Upgrade`, the parser takes a coding that it does not know to the letter for no body at all.
    guard upgrade == .none || !trimmed.contains(where: { $0.isField("transfer-encoding") }) else {
      return Malformation.unclearLength.failure()
    }
    guard !door.isForHealth || isAboutHealth(head) else { return HTTPConnection.tooMany }
    return nil
  }

  private func isAboutHealth(_ head: HTTPRequestHead) -> Bool {
    guard head.method == .GET || head.method == .HEAD, let path = RequestTarget(head.uri)?.path else { return false }
    return Page(rawValue: String(path))?.isHealth == true
  }

  /// Tells a client that waits with its body to send it, once the answers before are out.
  private func letGoOn(_ context: ChannelHandlerContext) {
    guard isAskedToGoOn, watch.deadlines.inFlight == 1, arriving?.body.readableBytes == 0 else { return }
    isAskedToGoOn = false
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
  }

  private func setReading(_ shallRead: Bool, _ context: ChannelHandlerContext) {
    guard shallRead != isReading else { return }
    isReading = shallRead
    context.channel.setOption(.autoRead, value: shallRead).assumeIsolated().whenFailure { _ in context.close(promise: nil) }
  }

  // MARK: - Answering

  private func answerNext(_ context: ChannelHandlerContext) {
    guard answering == nil, outgoing == nil, !isClosing, context.channel.isWritable, let request = waiting.popFirst() else {
      return
    }
    bytesWaiting -= request.body.readableBytes
    heldAnswering = request.held
    let keepsAlive = request.head.isKeepAlive && !request.isLast
    let body = request.head.method == .GET || request.head.method == .HEAD ? [] : Array(request.body.readableBytesView)
    let received = Exchange(request.head, peer)
    let responder = responder
    let connection = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    answering = Task(executorPreference: executor) {
      var exchange = received
      let outcome = await responder.respond(&exchange, body)
      let done = exchange
      // The executor is the loop itself; the hop is for where the last await came back elsewhere.
      let eventLoop = connection.eventLoop
      if eventLoop.inEventLoop {
        connection.value.0.finish(outcome, done, keepsAlive: keepsAlive, connection.value.1)
      } else {
        eventLoop.execute { connection.value.0.finish(outcome, done, keepsAlive: keepsAlive, connection.value.1) }
      }
    }
  }

  private func finish(_ outcome: HTTPResponder.Outcome, _ exchange: Exchange, keepsAlive: Bool, _ context: ChannelHandlerContext)
  {
    answering = nil
    held.release(.requests, heldAnswering)
    heldAnswering = 0
    guard !isClosing else { return }
    switch outcome {
    case .answer(let answer):
      let keepsAlive = keepsAlive && !(isEnding && waiting.isEmpty)
      write(answer, exchange, keepsAlive: keepsAlive, context)
    case .live where exchange.method == "HEAD":
      writeStreamHead(exchange, context)
      answered(keepsAlive: false, context)
    case .live(let identification, let after):
      if door.claim(exchange.address) { return follow(identification, after, exchange, context) }
      write(responder.refusal(HTTPConnection.tooMany, exchange), exchange, keepsAlive: false, context)
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
      return answered(keepsAlive: keepsAlive, context)
    }
    let size = answer.isShared ? HTTPConnection.sharedBytes : length
    // Who has changed something is told so in any case.
    guard held.change(.answers, by: size, isForced: exchange.method != "GET") else {
      return write(responder.refusal(HTTPConnection.noRoom, exchange), exchange, keepsAlive: keepsAlive, context)
    }
    var head = context.channel.allocator.buffer(capacity: 640)
    responder.heads.write(answer, exchange, length: length, keepsAlive: keepsAlive, to: &head)
    context.write(wrapOutboundOut(head), promise: nil)
    outgoing = Outgoing(rest: answer.body, keepsAlive: keepsAlive, held: size)
    writeOn(context)
  }

  /// Writes pieces of the answer's body until the client takes no more for now.
  private func writeOn(_ context: ChannelHandlerContext) {
    // A flush tells at once whether there is room for more.
    guard !isWriting else { return }
    isWriting = true
    while outgoing != nil, context.channel.isWritable, let piece = nextPiece() {
      context.writeAndFlush(wrapOutboundOut(piece), promise: nil)
    }
    isWriting = false
    guard let done = outgoing, done.rest.readableBytes == 0 else { return }
    outgoing = nil
    held.release(.answers, done.held)
    answered(keepsAlive: done.keepsAlive, context)
  }

  private func nextPiece() -> ByteBuffer? {
    guard let left = outgoing?.rest.readableBytes, left > 0 else { return nil }
    return outgoing?.rest.readSlice(length: min(left, HTTPConnection.pieceBytes))
  }

  private func answered(keepsAlive: Bool, _ context: ChannelHandlerContext) {
    watch.deadlines.answered(.now())
    if !keepsAlive {
      closeOutput(context)
    } else if let refusal, !watch.deadlines.isAnswering {
      report(refusal, context)
    } else {
      answerNext(context)
      letGoOn(context)
      setReading(hasRoom, context)
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
    isStreaming = true
    forget()
    writeStreamHead(exchange, context)
    let channel = context.channel
    let stream = stream
    let held = held
    answering = Task(executorPreference: executor) {
      await stream.run(exchange, identification, after: after, held) { bytes in
        // Returns when the kernel has taken it, so that a slow reader holds up its own stream only.
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
      }
      channel.close(promise: nil)
    }
  }

  // MARK: - Refusing

  private func expired(_ expiry: ConnectionDeadlines.Expiry, _ context: ChannelHandlerContext) {
    isSlow = true
    switch expiry {
    case .head where refusal == nil && !isClosing:
      refuse(Failure(GatewayFailure.requestTimeout, ["seconds": .number(limits.headerSeconds)]), context)
    case .request where refusal == nil && !isClosing:
      interrupt(Failure(GatewayFailure.requestTimeout, ["seconds": .number(limits.requestSeconds)]), context)
    default: context.close(promise: nil)
    }
  }

  /// Refuses a request that is not taken.
  ///
  /// - Parameter head: nil where it was not read.
  private func refuse(_ failure: Failure, of head: HTTPRequestHead? = nil, _ context: ChannelHandlerContext) {
    var exchange = Exchange(head ?? HTTPRequestHead(version: .http1_1, method: .GET, uri: "/"), peer)
    if head == nil { exchange.language = language }
    let refusal = Refusal(failure: failure, exchange: exchange)
    self.refusal = refusal
    decoder.discard()
    watch.deadlines.requestArrived()
    if !watch.deadlines.isAnswering { report(refusal, context) }
  }

  /// Refuses the request that is arriving, after the answers to those before it.
  private func interrupt(_ failure: Failure, _ context: ChannelHandlerContext) {
    let head = arriving?.head
    held.release(.requests, arriving?.held ?? 0)
    arriving = nil
    watch.deadlines.answered(.now())
    refuse(failure, of: head, context)
  }

  /// Writes the problem, in the language of whoever the token speaks for, and closes our side.
  private func report(_ refusal: Refusal, _ context: ChannelHandlerContext) {
    // While the token is looked at, the request counts as one that is being answered.
    watch.deadlines.headArrived(.now())
    watch.deadlines.requestArrived()
    guard refusal.exchange.given.token != nil else {
      return write(responder.refusal(refusal.failure, refusal.exchange), refusal.exchange, keepsAlive: false, context)
    }
    let responder = responder
    let connection = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    answering = Task(executorPreference: executor) {
      var exchange = refusal.exchange
      exchange.language = await responder.language(exchange)
      let (answer, done) = (responder.refusal(refusal.failure, exchange), exchange)
      connection.eventLoop.execute {
        connection.value.0.finish(.answer(answer), done, keepsAlive: false, connection.value.1)
      }
    }
  }

  /// What still arrives is ignored, so that the client can read the answer (RFC 9112, section 9.6), until it closes or a
  /// deadline comes.
  private func closeOutput(_ context: ChannelHandlerContext) {
    isClosing = true
    forget()
    decoder.discard()
    setReading(true, context)
    watch.deadlines.closing(.now(), isSlow: isSlow)
    context.close(mode: .output, promise: nil)
  }

  /// Gives up what has arrived and is not being answered.
  private func forget() {
    held.release(.requests, waiting.reduce(arriving?.held ?? 0) { $0 + $1.held })
    waiting = []
    bytesWaiting = 0
    arriving = nil
  }
}

extension HTTPRequestHead {
  /// About what it takes, in bytes: its texts, and what each field and the request itself lie in.
  fileprivate var size: Int { headers.reduce(256 + uri.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 64 } }
}

@available(*, unavailable)
extension HTTPConnection: Sendable {}
