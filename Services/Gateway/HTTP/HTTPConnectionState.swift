import GatewayContract
import Operations

/// What an HTTP/1.1 connection is at: which request arrives, which wait, which one is being answered, and how it ends. It is given what
/// happens and says what to do about it; it reads no socket, no clock and no request.
///
///     var state = HTTPConnectionState<String, String>(limits)
///     state.handle(.head("a", .init(size: 300)))   // [.startRequest]
///     state.handle(.end(""))                       // [.endRequest, .answer("a", "")]
///     state.handle(.answerReady)                   // [.release(300), .write(keepsAlive: true)]
///     state.handle(.written(keepsAlive: true))     // [.finishRequest]
///
/// Requests are answered one after the other in the order of their arrival. A refusal is sent once the answers to the requests before it
/// are out; then nothing more is read, since nobody knows where the next request begins.
struct HTTPConnectionState<Head, Body> {
  /// What a request's head says of its way through the connection.
  struct Framing: Hashable, Sendable {
    /// About what the head takes, in bytes.
    var size: Int
    /// Whether the connection goes on after the answer.
    var keepsAlive = true
    /// Whether nothing after the request is read.
    var isLast = false
    /// Whether the decoder stops after the request, since the request asks for another protocol.
    var stopsDecoder = false
    /// Whether the client waits to learn that its body is wanted (RFC 9110, section 10.1.1).
    var expectsContinue = false
    /// How large a body may be that is handed on as it arrives, while the request is being answered; nil for others.
    var streamLimit: Int?
    /// Whether such a body is larger by what the head says.
    var isTooLarge = false
  }

  /// What happens.
  enum Event {
    /// A head has arrived that is taken, and is counted with ``Framing/size``.
    case head(Head, Framing)
    /// A part of the body has arrived; `held` is what was counted for it, nil where there is no room.
    case body(bytes: Int, held: Int?)
    /// So many bytes of a body that is handed on were read by who answers.
    case consumed(bytes: Int, held: Int)
    /// The request is whole.
    case end(Body)
    /// What arrives is not taken: its head, where that was read, or its framing.
    case refused(Failure, of: Head?)
    /// Nothing more is there to be read for now, `received` bytes after the last head.
    case readCompleted(received: Int)
    /// There is an answer to what ``Action/answer(_:_:)`` or ``Action/report(_:of:)`` asked for.
    case answerReady
    /// Instead of an answer a stream goes out, with which the connection ends.
    case streamBegan
    /// The answer is written.
    case written(keepsAlive: Bool)
    /// The client takes more again.
    case writable
    case expired(ConnectionDeadlines.Expiry)
    /// The server stops.
    case quiescing
    /// The client sends no more.
    case inputClosed
    /// The connection is gone.
    case closed
  }

  /// What to do, in the given order.
  enum Action {
    /// A request counts from now on, with its own deadline to arrive.
    case startRequest
    /// The body of the request that has begun is handed on as it arrives, with a deadline of its own.
    case startStream
    /// The body that is handed on has arrived.
    case endStream
    /// The rest of the body that is handed on does not arrive.
    case breakStream(Failure)
    /// The request has arrived, or is not waited for any more.
    case endRequest
    /// The request counts no more.
    case finishRequest
    /// So many of the bytes counted for requests are given back.
    case release(Int)
    /// The body that has arrived so far is of no use.
    case dropBody
    /// Inform the client that its body is wanted.
    case sendContinue
    /// A new decoder reads what follows the request that stopped the former.
    case resumeDecoder
    /// Whatever still arrives is ignored.
    case discardInput
    case setReading(Bool)
    /// Have a request answered: ``Event/answerReady``.
    case answer(Head, Body)
    /// Have the oldest request answered whose body is handed on: ``Event/answerReady``.
    case answerStream(Head)
    /// Have the answer made that reports a refusal: ``Event/answerReady``. Without a head nobody knows what was asked.
    case report(Failure, of: Head?)
    /// Write the answer: ``Event/written(keepsAlive:)``, ``Event/streamBegan``.
    case write(keepsAlive: Bool)
    /// End our side, and wait for the client to end its own: for a moment only where it was slow before.
    case closeOutput(isSlow: Bool)
    case close
  }

  private struct Arriving {
    let head: Head
    var framing: Framing
    var bodyBytes = 0
    /// What is counted for it.
    var held: Int
    /// Whether it is being answered already, since its body is handed on.
    var isAnswered = false

    var isStreamed: Bool { framing.streamLimit != nil }
  }

  private struct Waiting {
    let head: Head
    let body: Body
    let keepsAlive: Bool
    let bodyBytes: Int
    let held: Int
    let isStreamed: Bool
  }

  private enum Output {
    case idle
    /// A request, or a refusal, is being answered.
    case answering(keepsAlive: Bool, held: Int)
    case writing
    case streaming
  }

  private let limits: GatewayConfiguration.Limits
  private var arriving: Arriving?
  private var waiting: [Waiting] = []
  /// Bytes of the bodies that wait.
  private var bytesWaiting = 0
  private var output = Output.idle
  /// Bytes of bodies that are handed on and were not read yet, and what is counted for them.
  private var (unread, unreadHeld) = (0, 0)
  /// The rest of a body that was handed on does not arrive: nothing more is read, and the connection ends with the answer.
  private var isBroken = false
  /// Sent once the answers to the requests before it are out.
  private var refusal: (failure: Failure, head: Head?)?
  /// What has arrived is answered, then the connection ends: the server stops, or the client sends no more.
  private var isEnding = false
  /// Nothing is written any more, and what arrives is ignored.
  private var isClosing = false
  /// The client has let a deadline pass.
  private var isSlow = false
  private var isReading = true

  init(_ limits: GatewayConfiguration.Limits) { self.limits = limits }

  /// Whether what arrives is looked at.
  var takesInput: Bool { refusal == nil && !isClosing && !isBroken }

  /// Whether the head of a request has arrived and its end has not.
  var isReceiving: Bool { arriving != nil }

  /// - Parameter isWritable: whether the client takes more for now; until it does, nothing more is answered.
  mutating func handle(_ event: Event, isWritable: Bool = true) -> [Action] {
    var actions: [Action] = []
    switch event {
    case .head(let head, let framing): begin(head, framing, &actions)
    case .body(let bytes, let held): receive(bytes, held, &actions)
    case .consumed(let bytes, let held): consume(bytes, held, &actions)
    case .end(let body): end(body, isWritable, &actions)
    case .refused(let failure, let head): reject(failure, head, &actions)
    case .readCompleted(let received):
      let limit = arriving?.framing.streamLimit ?? limits.body
      if isReceiving, received > limits.headers + HTTPConnectionLimits.maxWrapping * limit {
        interrupt(tooLarge(limit), &actions)
      }
      adjustReading(&actions)
    case .answerReady: write(&actions)
    case .streamBegan:
      output = .streaming
      forget(&actions)
    case .written(let keepsAlive): finish(keepsAlive, isWritable, &actions)
    case .writable:
      answerNext(isWritable, &actions)
      adjustReading(&actions)
    case .expired(let expiry): expire(expiry, &actions)
    case .quiescing:
      isEnding = true
      if !isBusy { actions.append(.close) }
    case .inputClosed:
      isEnding = true
      // Half a request will never be whole, and nobody can know whether a stream is still read.
      if !isBusy || isReceiving || isStreaming { actions.append(.close) }
    case .closed:
      isClosing = true
      forget(&actions)
    }
    return actions
  }

  // MARK: - Arriving

  private mutating func begin(_ head: Head, _ framing: Framing, _ actions: inout [Action]) {
    guard takesInput else { return actions.append(.release(framing.size)) }
    arriving = Arriving(head: head, framing: framing, held: framing.size)
    actions.append(.startRequest)
    if let limit = framing.streamLimit {
      actions.append(.startStream)
      beginStream(&actions)
      if framing.isTooLarge { interrupt(tooLarge(limit), &actions) }
    } else {
      sendContinue(&actions)
    }
  }

  /// Has a request answered whose body is arriving, once the answers before are out.
  private mutating func beginStream(_ actions: inout [Action]) {
    guard let request = arriving, request.isStreamed, !request.isAnswered, waiting.isEmpty, isIdle, !isClosing else { return }
    arriving?.isAnswered = true
    arriving?.held = 0
    output = .answering(keepsAlive: request.framing.keepsAlive && !request.framing.isLast, held: request.held)
    if request.framing.expectsContinue, request.bodyBytes == 0, !request.framing.isTooLarge { actions.append(.sendContinue) }
    actions.append(.answerStream(request.head))
  }

  /// There is room for more of a body that is handed on.
  private mutating func consume(_ bytes: Int, _ held: Int, _ actions: inout [Action]) {
    unread = max(0, unread - bytes)
    let released = min(held, unreadHeld)
    unreadHeld -= released
    if released > 0 { actions.append(.release(released)) }
    adjustReading(&actions)
  }

  private mutating func receive(_ bytes: Int, _ held: Int?, _ actions: inout [Action]) {
    guard takesInput, let former = arriving?.bodyBytes else { return actions.append(.release(held ?? 0)) }
    let limit = arriving?.framing.streamLimit ?? limits.body
    arriving?.bodyBytes += bytes
    if arriving?.isStreamed == true {
      unread += bytes
      unreadHeld += held ?? 0
    } else {
      arriving?.held += held ?? 0
    }
    if former + bytes > limit {
      interrupt(tooLarge(limit), &actions)
    } else if held == nil {
      interrupt(HTTPConnectionLimits.noRoom, &actions)
    }
  }

  private mutating func end(_ body: Body, _ isWritable: Bool, _ actions: inout [Action]) {
    guard takesInput else { return }
    actions.append(.endRequest)
    guard let request = arriving else { return }
    arriving = nil
    if request.framing.isLast {
      actions.append(.discardInput)
    } else if request.framing.stopsDecoder {
      actions.append(.resumeDecoder)
    }
    if request.isStreamed { actions.append(.endStream) }
    guard !request.isAnswered else { return }
    let bodyBytes = request.isStreamed ? 0 : request.bodyBytes
    waiting.append(
      Waiting(
        head: request.head, body: body, keepsAlive: request.framing.keepsAlive && !request.framing.isLast,
        bodyBytes: bodyBytes, held: request.held, isStreamed: request.isStreamed))
    bytesWaiting += bodyBytes
    answerNext(isWritable, &actions)
  }

  private mutating func reject(_ failure: Failure, _ head: Head?, _ actions: inout [Action]) {
    guard takesInput else { return }
    // What breaks off its framing belongs to a request whose head has arrived.
    if isReceiving { interrupt(failure, &actions) } else { refuse(failure, of: head, &actions) }
  }

  /// Asks a client that waits with its body to send it, once the answers before are out.
  private mutating func sendContinue(_ actions: inout [Action]) {
    guard let arriving, arriving.framing.expectsContinue, arriving.bodyBytes == 0, waiting.isEmpty, isIdle, !arriving.isStreamed
    else { return }
    self.arriving?.framing.expectsContinue = false
    actions.append(.sendContinue)
  }

  /// Reading stops while enough requests wait. What may arrive at least, one body of the largest size, always may.
  private mutating func adjustReading(_ actions: inout [Action]) {
    let hasRoom =
      isClosing || isBroken
      || (waiting.count < HTTPConnectionLimits.maxWaiting && bytesWaiting < limits.body
        && unread < HTTPConnectionLimits.streamWindow)
    guard hasRoom != isReading else { return }
    isReading = hasRoom
    actions.append(.setReading(hasRoom))
  }

  // MARK: - Answering

  private var isIdle: Bool { if case .idle = output { true } else { false } }
  private var isStreaming: Bool { if case .streaming = output { true } else { false } }

  /// Whether a request has arrived whose answer has not been sent.
  private var isBusy: Bool { isReceiving || !waiting.isEmpty || !isIdle }

  private mutating func answerNext(_ isWritable: Bool, _ actions: inout [Action]) {
    guard isIdle, !isClosing, isWritable, !waiting.isEmpty else { return }
    let request = waiting.removeFirst()
    bytesWaiting -= request.bodyBytes
    output = .answering(keepsAlive: request.keepsAlive, held: request.held)
    actions.append(request.isStreamed ? .answerStream(request.head) : .answer(request.head, request.body))
  }

  /// An answer is there to be written.
  private mutating func write(_ actions: inout [Action]) {
    guard case .answering(let keepsAlive, let held) = output else { return }
    output = isClosing ? .idle : .writing
    if held > 0 { actions.append(.release(held)) }
    // Of a body that was answered before its end nobody reads the rest.
    let isCutOff = isBroken || arriving?.isAnswered == true
    if !isClosing { actions.append(.write(keepsAlive: keepsAlive && !isCutOff && !(isEnding && waiting.isEmpty))) }
  }

  /// An answer is out.
  private mutating func finish(_ keepsAlive: Bool, _ isWritable: Bool, _ actions: inout [Action]) {
    output = .idle
    guard !isClosing else { return }
    actions.append(.finishRequest)
    if !keepsAlive {
      closeOutput(&actions)
    } else if refusal != nil, !isBusy {
      report(&actions)
    } else {
      answerNext(isWritable, &actions)
      beginStream(&actions)
      sendContinue(&actions)
      adjustReading(&actions)
    }
  }

  // MARK: - Refusing

  private func tooLarge(_ limit: Int) -> Failure { Failure(RequestFailure.bodyTooLarge, ["limit": .number(limit)]) }

  private mutating func expire(_ expiry: ConnectionDeadlines.Expiry, _ actions: inout [Action]) {
    isSlow = true
    switch expiry {
    case .head where takesInput:
      refuse(Failure(GatewayFailure.requestTimeout, ["seconds": .number(limits.headerSeconds)]), of: nil, &actions)
    case .request where takesInput:
      let seconds = arriving?.isStreamed == true ? limits.uploadSeconds : limits.requestSeconds
      interrupt(Failure(GatewayFailure.requestTimeout, ["seconds": .number(seconds)]), &actions)
    default: actions.append(.close)
    }
  }

  /// Refuses the request that is arriving, after the answers to those before it. A request that is already being answered is refused by its
  /// responder.
  private mutating func interrupt(_ failure: Failure, _ actions: inout [Action]) {
    if arriving?.isStreamed == true { actions.append(.breakStream(failure)) }
    if arriving?.isAnswered == true {
      isBroken = true
      dropArriving(&actions)
      actions += [.discardInput, .endRequest]
      return adjustReading(&actions)
    }
    let head = arriving?.head
    dropArriving(&actions)
    actions.append(.finishRequest)
    refuse(failure, of: head, &actions)
  }

  /// Refuses a request that is not taken.
  private mutating func refuse(_ failure: Failure, of head: Head?, _ actions: inout [Action]) {
    refusal = (failure, head)
    actions += [.discardInput, .endRequest]
    if !isBusy { report(&actions) }
  }

  private mutating func report(_ actions: inout [Action]) {
    guard let refusal else { return }
    output = .answering(keepsAlive: false, held: 0)
    actions.append(.report(refusal.failure, of: refusal.head))
  }

  /// What still arrives is ignored, so that the client can read the answer (RFC 9112, section 9.6), until it closes or a deadline comes.
  private mutating func closeOutput(_ actions: inout [Action]) {
    isClosing = true
    forget(&actions)
    actions.append(.discardInput)
    adjustReading(&actions)
    actions.append(.closeOutput(isSlow: isSlow))
  }

  /// Gives up what has arrived and is not being answered.
  private mutating func forget(_ actions: inout [Action]) {
    let held = waiting.reduce(0) { $0 + $1.held } + unreadHeld
    if held > 0 { actions.append(.release(held)) }
    (unread, unreadHeld) = (0, 0)
    waiting = []
    bytesWaiting = 0
    dropArriving(&actions)
  }

  private mutating func dropArriving(_ actions: inout [Action]) {
    guard let request = arriving else { return }
    arriving = nil
    actions += [.release(request.held), .dropBody]
  }
}

/// Bounds of each HTTP connection that no setting changes, and what is answered beyond them.
enum HTTPConnectionLimits {
  /// The most requests that may wait for the one before them; beyond that, nothing is read.
  static let maxWaiting = 16
  /// A body of the largest size in pieces of a byte each is sixfold: what they are wrapped in has no bound of its own (RFC 9112,
  /// section 7.1.1).
  static let maxWrapping = 8
  /// Bytes of a body that is handed on and not read yet, beyond which nothing more is read from the connection.
  static let streamWindow = 262_144
  static let tooManyConnections = Failure(GatewayFailure.tooManyConnections, retryAfterSeconds: 5)
  static let noRoom = Failure(RequestFailure.overloaded, retryAfterSeconds: 5)
}

extension HTTPConnectionState.Action: Equatable where Head: Equatable, Body: Equatable {}
