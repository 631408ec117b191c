import Logging
import NIOCore
import Operations
import ServiceKit
import Synchronization

/// What all JSON-RPC connections share.
struct RPCProcessor: Sendable {
  let catalog: Catalog
  let admission: Admission
  let switchboard: Switchboard
  let problems: ProblemWriter
  let feed: LiveFeed
  let connections: OpenConnections
  let limits: GatewayConfiguration.Limits
  let logger: Logger
}

/// One JSON-RPC connection: reads lines, has a bounded number of them answered at a time, and delivers live messages between.
final class RPCConnection: Sendable {
  private enum Finished { case call, live }

  private struct State {
    var token: String?
    var identification: Identification?
    var live: LiveSubscription?
    var end: LiveEnd?
  }

  private let asyncChannel: NIOAsyncChannel<ByteBuffer, ByteBuffer>
  private let pipeline: NIOLoopBound<(watch: ConnectionWatch, lines: RPCGuard)>
  private let origin: ConnectionOrigin
  private let held: HeldBytes
  private let processor: RPCProcessor
  private let state = Mutex(State())

  var channel: any Channel { asyncChannel.channel }

  init(
    _ asyncChannel: NIOAsyncChannel<ByteBuffer, ByteBuffer>,
    pipeline: NIOLoopBound<(watch: ConnectionWatch, lines: RPCGuard)>, _ origin: ConnectionOrigin,
    _ held: HeldBytes, processor: RPCProcessor
  ) {
    self.asyncChannel = asyncChannel
    self.pipeline = pipeline
    self.origin = origin
    self.held = held
    self.processor = processor
  }

  /// Serves until the client closes, its session ends or the server stops.
  func run() async {
    let key = processor.connections.enter { self.close($0) }
    do {
      try await asyncChannel.executeThenClose { lines, output in
        try await serve(lines, output, key)
        if let end = state.withLock({ $0.end }) { try await output.write(RPCConnection.closing(end)) }
        output.finish()
      }
    } catch {
      processor.logger.debug("connection ended", metadata: ["error": "\(error)"])
    }
    processor.connections.leave(key)
    if let credential = state.withLock({ $0.identification?.credential }) { processor.connections.unbind(key, from: credential) }
  }

  /// Ends the connection from outside: at once where the session has ended, after the calls in flight where the server stops. Where only
  /// the token is no longer valid, live delivery ends, and the connection waits for the next token.
  private func close(_ end: LiveEnd) {
    guard end != .tokenExpired else {
      state.withLock { $0.live }?.end(end)
      return
    }
    let live = state.withLock { state in
      if state.end == nil { state.end = end }
      return state.live
    }
    live?.end(end)
    if end == .serverStopping {
      channel.close(mode: .input, promise: nil)
    } else {
      channel.writeAndFlush(RPCConnection.closing(end), promise: nil)
      channel.close(promise: nil)
    }
  }

  private static func closing(_ end: LiveEnd) -> ByteBuffer {
    line(RPCLine.notification("session.closed", Array("{\"reason\":\"\(end.rawValue)\"}".utf8)))
  }

  private static func line(_ text: [UInt8]) -> ByteBuffer {
    var buffer = ByteBuffer(bytes: text)
    buffer.writeInteger(UInt8(0x0A))
    return buffer
  }

  // MARK: - Reading

  private func serve(
    _ lines: NIOAsyncChannelInboundStream<ByteBuffer>, _ output: NIOAsyncChannelOutboundWriter<ByteBuffer>, _ key: UInt64
  ) async throws {
    try await withThrowingTaskGroup(of: Finished.self) { tasks in
      defer { state.withLock { $0.live }?.end(.clientGone) }
      var inFlight = 0
      for try await buffer in lines {
        let size = RPCGuard.size(buffer)
        let message: RPCMessage
        do throws(RPCError) {
          message = try RPCMessage(Array(buffer.readableBytesView), maxEntries: processor.limits.batch)
        } catch {
          held.release(.requests, size)
          if let refusal = refusal(of: 1) {
            try await output.write(RPCConnection.line(errorLine(refusal)))
            break
          }
          try await output.write(RPCConnection.line(errorLine(error)))
          continue
        }
        if let refusal = refusal(of: message.countOfNoRequests) {
          try await output.write(RPCConnection.line(errorLine(refusal)))
          break
        }
        if case .single(let request) = message, request.method == SessionMethod.authenticate {
          // In order with the lines around it: those that follow count on it.
          let (answer, live) = await authenticate(request, key)
          held.release(.requests, size)
          if let answer { try await output.write(RPCConnection.line(answer)) }
          if let live { tasks.addTask { try await self.follow(live, output) } }
          continue
        }
        // At the bound nothing more is read, until one is answered.
        while inFlight >= processor.limits.callsPerConnection, let finished = try await tasks.next() {
          if case .call = finished { inFlight -= 1 }
        }
        inFlight += 1
        tasks.addTask {
          let (answer, held) = await self.answer(message)
          // What is written and not read is counted by ``ConnectionWatch``.
          defer { self.held.release(.answers, held) }
          self.held.release(.requests, size)
          if let answer { try await output.write(RPCConnection.line(answer)) }
          return .call
        }
      }
      state.withLock { $0.live }?.end(.clientGone)
      try await tasks.waitForAll()
    }
  }

  /// Draws on the address's budget for what is no request. Beyond it the connection ends: a request would be refused, but this is not
  /// worth an answer each.
  private func refusal(of count: Int) -> RPCError? {
    guard count > 0 else { return nil }
    do throws(Failure) {
      try processor.admission.draw(origin.address, calls: count)
      return nil
    } catch {
      return RPCError(error, id: nil)
    }
  }

  // MARK: - Calls

  /// The answer's line, nil where there is none, and the bytes counted for it as ``HeldBytes/Part/answers``.
  private func answer(_ message: RPCMessage) async -> (line: [UInt8]?, held: Int) {
    switch message {
    case .single(let request): return await answer(request)
    case .batch(let entries):
      var answers: [[UInt8]] = []
      var held = 0
      for entry in entries {
        switch entry {
        case .success(let request):
          let (answer, size) = await answer(request)
          held += size
          if let answer { answers.append(answer) }
        case .failure(let error): answers.append(errorLine(error))
        }
      }
      guard !answers.isEmpty else { return (nil, held) }
      return ([UInt8(ascii: "[")] + answers.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")], held)
    }
  }

  /// The response, nil for a notification, and what is counted for it.
  private func answer(_ request: RPCRequest) async -> (line: [UInt8]?, held: Int) {
    let name = RequestName()
    do throws(RPCError) {
      let (result, isRead) = try await call(request, name)
      guard let id = request.id else { return (nil, 0) }
      // A call that has changed something is always answered.
      guard held.change(.answers, by: result.count, isForced: !isRead) else {
        throw RPCError(Failure(RequestFailure.overloaded, retryAfterSeconds: 5), id: id)
      }
      return (RPCLine.response(result, id: id), result.count)
    } catch {
      return (request.id == nil ? nil : errorLine(error, name, request.language), 0)
    }
  }

  /// The operation and its parameters.
  ///
  /// - Throws: ``RPCError`` where the request names no callable operation or its parameters are refused.
  private func target(of request: RPCRequest) throws(RPCError) -> (endpoint: Endpoint, params: [UInt8]) {
    guard request.method != SessionMethod.authenticate else {
      throw .invalidRequest(id: request.id, .ownLine, ["method": .text(request.method)])
    }
    guard let endpoint = processor.catalog.byName[request.method] else { throw .unknownMethod(id: request.id, request.method) }
    guard let params = request.params else { throw .positional(id: request.id) }
    if let refusal = request.refusal { throw RPCError(refusal, id: request.id) }
    return (endpoint, params)
  }

  /// - Returns: the output, and whether nothing was changed for it.
  private func call(_ request: RPCRequest, _ name: RequestName) async throws(RPCError) -> (output: [UInt8], isRead: Bool) {
    let endpoint: Endpoint
    let params: [UInt8]
    do {
      (endpoint, params) = try target(of: request)
    } catch {
      if let refusal = refusal(of: 1) { throw RPCError(refusal.failure, id: request.id) }
      throw error
    }
    let pass: Admission.Pass
    do {
      pass = try await processor.admission.admit(
        endpoint.spec.rate, needsAccount: endpoint.needsAccount, scope: endpoint.scope, token: state.withLock { $0.token },
        address: origin.address)
    } catch {
      throw RPCError(error.failure, id: request.id)
    }
    let call = ClientCall(
      endpoint: endpoint, name: name, trace: TraceContext(), caller: caller(pass.identification, request.language),
      idempotencyKey: request.idempotencyKey, body: params)
    switch await processor.switchboard.answer(call) {
    case .output(_, let body): return (body, endpoint.spec.effect == .read)
    case .failure(let failure): throw RPCError(failure, id: request.id)
    }
  }

  private func caller(_ identification: Identification?, _ language: Language? = nil) -> Caller {
    Caller(identification, language: language ?? .english, address: origin.text, userAgent: nil)
  }

  private func errorLine(_ error: RPCError, _ name: RequestName = RequestName(), _ language: Language? = nil) -> [UInt8] {
    let own = state.withLock { $0.identification }.map(processor.admission.verifier.languages.language(of:))
    let language = own ?? language ?? .english
    return RPCLine.error(error, processor.problems.problem(error.failure, language, request: name.outer))
  }

  // MARK: - Session

  private struct Live: Sendable {
    let subscription: LiveSubscription
    let identification: Identification
    let after: Int?
  }

  private func authenticate(_ request: RPCRequest, _ key: UInt64) async -> ([UInt8]?, Live?) {
    do throws(RPCError) {
      if let refusal = refusal(of: 1) { throw RPCError(refusal.failure, id: request.id) }
      guard let params = request.params else { throw .positional(id: request.id) }
      do throws(Failure) {
        if let refusal = request.refusal { throw refusal }
        let input = try AuthenticateInput.decode(params)
        let lastSeen = try input.lastSeen()
        let identification = try await signIn(input.accessToken, key, mustBeLive: input.live == true)
        let output = AuthenticateOutput(
          accountID: identification.account, sessionID: identification.session,
          expiresAt: identification.expiresAt == Identification.never ? nil : identification.expiresAt)
        return (
          request.id.map { RPCLine.response(output.json, id: $0) },
          beginLive(input.live ?? true, after: lastSeen, identification)
        )
      } catch {
        throw RPCError(error, id: request.id)
      }
    } catch {
      return (request.id == nil ? nil : errorLine(error, RequestName(), request.language), nil)
    }
  }

  private func signIn(_ token: String, _ key: UInt64, mustBeLive: Bool) async throws(Failure) -> Identification {
    let identification = try await identify(token, mustBeLive ? EventStream.scope : .none)
    let former = state.withLock { $0.identification }
    guard former == nil || former?.account == identification.account else { throw Failure(RequestFailure.forbidden) }
    processor.connections.bind(key, to: identification)
    if let former, former.credential != identification.credential { processor.connections.unbind(key, from: former.credential) }
    state.withLock { state in
      state.token = token
      state.identification = identification
    }
    // What was revoked while this was going on has not found the connection to close.
    _ = try await identify(token, .none)
    let pipeline = pipeline
    channel.eventLoop.execute {
      pipeline.value.watch.deadlines.mayIdle = true
      pipeline.value.lines.language = identification.language
    }
    return identification
  }

  private func identify(_ token: String, _ scope: ScopeRule) async throws(Failure) -> Identification {
    let pass: Admission.Pass
    do {
      pass = try await processor.admission.admit(.read, needsAccount: true, scope: scope, token: token, address: origin.address)
    } catch {
      throw error.failure
    }
    guard let identification = pass.identification else { throw Failure(RequestFailure.unauthenticated) }
    return identification
  }

  /// Begins live delivery. A renewed token lets the current delivery continue, if its scope allows that; a new cursor restarts delivery
  /// from there.
  private func beginLive(_ isWanted: Bool, after lastSeen: Int?, _ identification: Identification) -> Live? {
    guard identification.allows(EventStream.scope) else {
      // The token that allowed the delivery was replaced by one that does not.
      state.withLock { $0.live }?.end(.tokenExpired)
      return nil
    }
    let isRunning = state.withLock { $0.live?.end == nil && $0.live != nil }
    guard isWanted, !isRunning || lastSeen != nil else { return nil }
    let subscription = processor.feed.hub.subscribe(identification.account, held)
    let former = state.withLock { state in
      let former = state.live
      state.live = subscription
      return former
    }
    former?.end(.clientGone)
    // What was invalidated before the subscription stood here has not found it to end.
    if processor.admission.verifier.revocations.refusal(of: identification, now: processor.feed.clock.now) == .expired {
      subscription.end(.tokenExpired)
    }
    return Live(subscription: subscription, identification: identification, after: lastSeen)
  }

  private func follow(_ live: Live, _ output: NIOAsyncChannelOutboundWriter<ByteBuffer>) async throws -> Finished {
    let name = processor.feed.source.name
    let end = await processor.feed.run(
      live.subscription, for: { self.caller(self.state.withLock { $0.identification } ?? live.identification) },
      allows: { (self.state.withLock { $0.identification } ?? live.identification).allows($0) },
      expiry: { self.state.withLock { $0.identification?.expiresAt } }, after: live.after
    ) { item in
      switch item {
      case .ready(let ready): try await output.write(RPCConnection.line(RPCLine.notification("live.ready", ready.json)))
      case .message(let message):
        try await output.write(RPCConnection.line(RPCLine.notification("live.\(name)", message.payload)))
      case .event(let event):
        try await output.write(RPCConnection.line(RPCLine.notification("live.\(event.name)", event.payload)))
      case .heartbeat: break
      }
    }
    live.subscription.end(end)
    if !end.isLast {
      try await output.write(RPCConnection.line(RPCLine.notification("live.end", Array("{\"reason\":\"\(end.rawValue)\"}".utf8))))
    }
    return .live
  }
}
