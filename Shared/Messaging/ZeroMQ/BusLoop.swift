import CZeroMQ
import Glibc
import Logging
import Metrics
import Operations

/// The thread that owns every socket of a service's bus.
///
/// Each round it takes all commands at once, receives what has arrived, ends overdue requests and sleeps until a socket, the eventfd or a
/// deadline wakes it. It never waits for a peer, and of small requests' handlers it runs only what does not wait either. Not `Sendable`:
/// one thread creates it and hands it to its own thread before that starts, and no other thread uses it again.
final class BusLoop {
  struct Pending {
    /// Kept to be sent again if it comes back as not begun; the task that waits for the reply holds the same bytes.
    let request: OutgoingRequest
    /// When the request is given up: its deadline, or earlier while it waits for a connection.
    var expiry: Int64
    var isSent: Bool
  }

  let service: ServiceName
  let endpoints: Endpoints
  let limits: BusLimits
  let commandQueue: CommandQueue
  let serving: Serving?
  let metrics: BusMetrics
  let throttledLog: ThrottledLog
  let logger: Logger
  let context: UnsafeMutableRawPointer

  private let executor: BusExecutor
  private var lock: CInt?
  private var router: Socket?
  private var routerMonitor: Socket?
  private var publisher: Socket?
  private var authenticator: Authenticator?
  private var peers: [ServiceName: Peer] = [:]
  private var subscriptions: [ServiceName: Subscription] = [:]

  private var callers: Callers
  private var pending: [UInt64: Pending] = [:]
  private var deadlines = DeadlineHeap()
  private var running = 0
  private var runningBytes = 0
  /// Numbers not yet reported to the command queue.
  private var answered = 0
  private var settledBytes = 0
  private var hasForgotten = false

  private var now = Monotonic.now
  private var stopBy: Int64?
  /// Callers that know that the service is stopping and have not confirmed yet that they send nothing more.
  private var parting: Set<[UInt8]> = []
  /// Until when their confirmations are awaited.
  private var partBy: Int64 = 0
  /// When the last reply was given to libzmq, except those that send requests back to callers that go on asking for too long.
  private var repliedAt: Int64 = 0
  private var nextGauges: Int64 = 0
  private var frames: [[UInt8]] = []
  private var polled: [pollfd] = []
  private var polledSockets: [Socket] = []

  /// Messages taken from one socket before the others have their turn.
  private static let fairShare = 16
  /// How often commands are taken before the sockets have their turn: handlers' steps lead to further steps and replies.
  private static let steps = 4

  /// Makes and binds the sockets.
  init(
    _ service: ServiceName, _ endpoints: Endpoints, _ limits: BusLimits, _ commandQueue: CommandQueue, _ executor: BusExecutor,
    _ serving: Serving?, _ metrics: BusMetrics, _ throttledLog: ThrottledLog, _ logger: Logger
  ) throws {
    self.service = service
    self.endpoints = endpoints
    self.limits = limits
    self.commandQueue = commandQueue
    self.serving = serving
    self.metrics = metrics
    self.throttledLog = throttledLog
    self.logger = logger
    self.executor = executor
    callers = Callers(bound: limits.callers)
    try endpoints.prepare()
    guard let context = zmq_ctx_new() else { throw ZeroMQError("zmq_ctx_new") }
    self.context = context
    // Before the first socket is made, or it has no effect.
    zmq_ctx_set(context, ZMQ_IO_THREADS, endpoints.threads)
    do {
      if serving != nil { try bind() }
    } catch {
      closeSockets()
      throw error
    }
  }

  private func bind() throws {
    lock = try endpoints.lock(service)
    let bindings = try endpoints.bindings(of: service)
    let router = try Socket(.router, context, limits)
    self.router = router
    try router.carry(on: 0)
    let publisher = try Socket(.publisher, context, limits)
    self.publisher = publisher
    try publisher.carry(on: 0)
    if let curve = endpoints.curve {
      authenticator = try Authenticator(Grants(curve.allowed), context, limits)
      try router.beCurveServer(curve.keys, for: .requests)
      try publisher.beCurveServer(curve.keys, for: .events)
    }
    routerMonitor = try router.monitor("requests", Peer.events, context, limits)
    try router.bind(bindings.requests)
    try publisher.bind(bindings.events)
  }

  // MARK: - The rounds

  func run() {
    var commands: [Command] = []
    while !isFinished {
      now = Monotonic.now
      watchConnections()
      for _ in 0..<BusLoop.steps {
        commandQueue.drain(into: &commands, answered: answered, sentBytes: settledBytes)
        (answered, settledBytes) = (0, 0)
        if commands.isEmpty { break }
        for command in commands { perform(command) }
        commands.removeAll(keepingCapacity: true)
      }
      receive()
      expire()
      if !isFinished { sleep() }
    }
    finish()
  }

  /// Whether the bus is stopped and nothing is left to answer, to wait for or on its way here; or the time for that is over.
  private var isFinished: Bool {
    guard let stopBy else { return false }
    if now >= stopBy { return true }
    return running == 0 && pending.isEmpty && (parting.isEmpty || now >= partBy)
      && now >= repliedAt + limits.drain.inNanoseconds
  }

  private func beginStop(_ deadline: Int64) {
    if stopBy == nil, let router {
      partBy = now + limits.shutdownHandshake.inNanoseconds
      for caller in callers.all where router.send(caller, more: true) == .sent {
        _ = router.send(ShutdownHandshake.tag, more: true)
        for frame in ShutdownHandshake.notice { _ = router.send(frame, more: frame != ShutdownHandshake.notice.last) }
        parting.insert(caller)
      }
    }
    stopBy = min(stopBy ?? .max, deadline)
  }

  private func perform(_ command: Command) {
    switch command {
    case .request(let request): begin(request)
    case .cancel(let tag): finish(tag, .failure(.cancelled))
    case .reply(let reply):
      running -= 1
      runningBytes -= reply.requestBytes
      if let message = reply.message { send(message, to: reply.envelope) }
    case .run(let job): job.runSynchronously(on: executor.asUnownedTaskExecutor())
    case .announce(let header, let body):
      guard let publisher else { break }
      _ = publisher.send(Array(service.rawValue.utf8), more: true)
      _ = publisher.send(header, more: true)
      _ = publisher.send(body, more: false)
    case .subscribe(let publisher, let reader, let continuation): subscribe(publisher, reader, continuation)
    case .unsubscribe(let publisher, let reader): subscriptions[publisher]?.readers[reader] = nil
    case .stop(let deadline): beginStop(deadline)
    }
  }

  private func receive() {
    if let authenticator, authenticator.socket.isDirty {
      authenticator.answer { key in
        metrics.handshakesFailed.increment()
        throttledLog.warn("Refused a connection that its key does not allow", ["key": "\(key)"])
      }
    }
    if let router, router.isDirty { receiveRequests(router) }
    for peer in peers.values where peer.dealer.isDirty {
      receiveReplies(peer)
      flush(peer)
    }
    for subscription in subscriptions.values where subscription.socket.isDirty { receiveAnnouncements(subscription) }
  }

  private func expire() {
    while let tag = deadlines.popDue(now) {
      guard let entry = pending[tag], entry.expiry <= now else { continue }
      let peer = peers[entry.request.service]
      let takes = peer.map { $0.isConnected && !$0.isLeaving(now) } ?? false
      // An unsent request has not taken effect: with a connection, the peer does not accept it; without one, there is no peer.
      finish(tag, .failure(entry.isSent ? .timedOut : takes ? .overloaded : .unavailable))
    }
    if deadlines.count > 2 * pending.count + 1024 { deadlines.compact { pending[$0] != nil } }
    if hasForgotten {
      hasForgotten = false
      for peer in peers.values { peer.forget { pending[$0.tag] != nil } }
    }
    if now >= nextGauges {
      nextGauges = now + 1_000_000_000
      metrics.inFlight.record(pending.count)
      metrics.running.record(running)
      metrics.waiting.record(peers.values.reduce(0) { $0 + $1.waiting.count })
    }
  }

  private func sleep() {
    if polled.isEmpty { gatherDescriptors() }
    var timeout: CInt = 0
    if !polledSockets.contains(where: \.isDirty), commandQueue.fallAsleep(answered: answered, sentBytes: settledBytes) {
      (answered, settledBytes) = (0, 0)
      var wakeUp = min(deadlines.earliest ?? .max, stopBy ?? .max, nextGauges)
      if stopBy != nil {
        for time in [repliedAt + limits.drain.inNanoseconds, partBy] where time > now { wakeUp = min(wakeUp, time) }
      }
      timeout = CInt(clamping: max(0, (wakeUp - Monotonic.now + 999_999) / 1_000_000))
    }
    guard poll(&polled, nfds_t(polled.count), timeout) > 0 else { return }
    if polled[0].revents != 0 { commandQueue.clear() }
    for index in polledSockets.indices where polled[index + 1].revents != 0 { polledSockets[index].isDirty = true }
  }

  private func gatherDescriptors() {
    polledSockets = [router, routerMonitor, authenticator?.socket].compactMap { $0 }
    polledSockets += peers.values.flatMap { [$0.dealer, $0.monitor] } + subscriptions.values.map(\.socket)
    polled = ([commandQueue.descriptor] + polledSockets.map(\.descriptor)).map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
  }

  // MARK: - Asking others

  private func begin(_ request: OutgoingRequest) {
    let peer: Peer
    do {
      peer = try self.peer(request.service)
    } catch {
      throttledLog.warn("Cannot reach a service", ["service": "\(request.service.rawValue)", "error": "\(error)"])
      answered += 1
      settledBytes += request.bytes
      request.continuation.resume(returning: .failure(.unavailable))
      return
    }
    var entry = Pending(request: request, expiry: request.deadline, isSent: peer.send(request, at: Monotonic.now))
    if entry.isSent {
      settledBytes += request.bytes
    } else if peer.waiting.count < limits.requestsWaiting {
      entry.expiry = min(request.deadline, now + patience(with: peer).inNanoseconds)
      peer.wait(request)
    } else {
      answered += 1
      settledBytes += request.bytes
      request.continuation.resume(returning: .failure(.overloaded))
      return
    }
    pending[request.tag] = entry
    deadlines.insert(entry.expiry, request.tag)
  }

  private func patience(with peer: Peer) -> Duration {
    peer.isLeaving(now) ? limits.restartPatience : limits.connectionPatience
  }

  private func peer(_ service: ServiceName) throws -> Peer {
    if let peer = peers[service] { return peer }
    let peer = try Peer(service, at: endpoints, context, limits)
    peers[service] = peer
    polled = []
    return peer
  }

  private func flush(_ peer: Peer) {
    peer.flush(at: Monotonic.now, isWanted: { pending[$0.tag] != nil }) { request in
      settledBytes += request.bytes
      pending[request.tag]?.isSent = true
      pending[request.tag]?.expiry = request.deadline
      deadlines.insert(request.deadline, request.tag)
    }
  }

  private func finish(_ tag: UInt64, _ result: Result<RawReply, BusFailure>) {
    guard let entry = pending.removeValue(forKey: tag) else { return }
    answered += 1
    if !entry.isSent {
      settledBytes += entry.request.bytes
      hasForgotten = true
    }
    entry.request.continuation.resume(returning: result)
  }

  /// The service is stopping: nothing more is sent to it before it is back, and it learns that nothing more will come.
  private func part(from peer: Peer) {
    logger.debug("a service stops", metadata: ["peer": "\(peer.service.rawValue)"])
    peer.leave(until: now + limits.restartPatience.inNanoseconds)
    peer.acknowledgeShutdown()
  }

  /// Keeps a request that the service has certainly not begun for its successor, as long as its caller waits and the limits allow.
  private func keep(_ tag: UInt64, for peer: Peer) {
    guard var entry = pending[tag], entry.isSent else { return }
    guard peer.waiting.count < limits.requestsWaiting else {
      finish(tag, .failure(.overloaded))
      return
    }
    if !peer.isLeaving(now) { peer.leave(until: now + limits.restartPatience.inNanoseconds) }
    entry.isSent = false
    entry.expiry = min(entry.request.deadline, now + limits.restartPatience.inNanoseconds)
    settledBytes -= entry.request.bytes
    pending[tag] = entry
    deadlines.insert(entry.expiry, tag)
    peer.wait(entry.request)
  }

  private func receiveReplies(_ peer: Peer, atMost count: Int = fairShare) {
    for _ in 0..<count {
      guard peer.dealer.receive(into: &frames) else { return }
      // The tag we sent comes back before the empty frame.
      guard frames.count == 4, frames[0].count == 8, frames[1].isEmpty else {
        metrics.malformed.increment()
        throttledLog.warn("Dropped a malformed reply", ["service": "\(peer.service.rawValue)", "frames": "\(frames.count)"])
        continue
      }
      let tag = frames[0].withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
      let reply = RawReply(header: frames[2], body: frames[3])
      if tag == ShutdownHandshake.tag {
        part(from: peer)
      } else if pending[tag]?.request.service == peer.service {
        if ShutdownHandshake.sendsBack(reply) { keep(tag, for: peer) } else { finish(tag, .success(reply)) }
      } else {
        metrics.repliesLate.increment()
      }
    }
  }

  private func watchConnections() {
    for peer in peers.values where peer.monitor.isDirty {
      for change in peer.changes(&frames) {
        switch change {
        case .connected: logger.debug("connected", metadata: ["peer": "\(peer.service.rawValue)"])
        case .refused:
          metrics.handshakesFailed.increment()
          throttledLog.warn("A service refuses our connection", ["peer": "\(peer.service.rawValue)"])
        case .lost:
          metrics.connectionsLost.increment()
          logger.debug("lost a connection", metadata: ["peer": "\(peer.service.rawValue)"])
          // A reply received before the end counts; whether other requests took effect is unknown.
          receiveReplies(peer, atMost: .max)
          for (tag, entry) in pending where entry.request.service == peer.service && entry.isSent {
            finish(tag, .failure(.unavailable))
          }
        }
      }
      peer.dealer.isDirty = true
    }
    guard let routerMonitor, routerMonitor.isDirty else { return }
    while routerMonitor.receive(into: &frames) {
      guard let event = frames.first, event.count >= 2 else { continue }
      switch CInt(event[0]) | CInt(event[1]) << 8 {
      case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: break
      case ZMQ_EVENT_DISCONNECTED:
        metrics.connectionsLost.increment()
        // libzmq gives no reason: the caller may have left, or sent a frame beyond the limit.
        logger.debug("a caller's connection ended")
      default:
        metrics.handshakesFailed.increment()
        throttledLog.warn("A caller failed the handshake")
      }
    }
  }

  // MARK: - Answering others

  private func receiveRequests(_ router: Socket) {
    guard let serving else { return }
    var userID: String?
    for _ in 0..<BusLoop.fairShare {
      let isReceived =
        serving.grants == nil ? router.receive(into: &frames) : router.receive(into: &frames, userID: &userID)
      guard isReceived else { return }
      guard let delimiter = frames.indices.dropFirst().first(where: { frames[$0].isEmpty }) else {
        metrics.malformed.increment()
        throttledLog.warn("Dropped a message that is no request", ["frames": "\(frames.count)"])
        continue
      }
      if ShutdownHandshake.isAnswer(frames.dropFirst()) {
        parting.remove(frames[0])
        continue
      }
      let envelope = Array(frames[...delimiter])
      guard frames.count == delimiter + 3 else {
        send(serving.refuseMalformed(Failure(RequestFailure.badRequest)), to: envelope)
        continue
      }
      let (header, body) = (frames[delimiter + 1], frames[delimiter + 2])
      let bytes = header.count + body.count
      // A caller that tags its requests as we do also knows our other messages; of any other only the deadline is known.
      let transit = delimiter == 2 && frames[1].count == 8 ? callers.caller(frames[0]) : Transit()
      guard stopBy == nil else {
        send(serving.sendBack(header: header), to: envelope, counts: now < partBy)
        continue
      }
      guard running < limits.handlers, runningBytes + bytes <= limits.handledBytes || running == 0 else {
        metrics.overloaded.increment()
        send(serving.refuse(header: header), to: envelope)
        continue
      }
      running += 1
      runningBytes += bytes
      // Deliberately not a child task: the number of tasks is limited here, each one ends in a reply command, and stopping waits for all of
      // them. A task group would add a hop to every request.
      Task(executorPreference: bytes <= limits.smallRequestBytes ? executor : nil) {
        [commandQueue, userID, received = Monotonic.now] in
        let message = await serving.answer(header: header, body: body, from: userID, received: received, transit: transit)
        commandQueue.push(.reply(OutgoingReply(envelope: envelope, requestBytes: bytes, message: message)))
      }
    }
  }

  /// - Parameter counts: whether closing waits until the reply is on its way.
  private func send(_ message: RawReply, to envelope: [[UInt8]], counts: Bool = true) {
    guard let router else { return }
    // Only the first frame, the caller's identity, can be refused: the caller is gone, or does not read.
    for (index, frame) in envelope.enumerated() {
      let outcome = router.send(frame, more: true)
      guard index > 0 || outcome == .sent else {
        metrics.repliesDropped.increment()
        if outcome == .full { throttledLog.warn("Dropped a reply to a caller that does not read") }
        return
      }
    }
    _ = router.send(message.header, more: true)
    _ = router.send(message.body, more: false)
    if counts { repliedAt = now }
  }

  // MARK: - Receiving from others

  private func subscribe(_ publisher: ServiceName, _ reader: UInt64, _ continuation: AsyncStream<Announcement>.Continuation) {
    do {
      if subscriptions[publisher] == nil {
        subscriptions[publisher] = try Subscription(publisher, at: endpoints, context, limits)
        polled = []
      }
      subscriptions[publisher]?.readers[reader] = continuation
    } catch {
      logger.error("cannot subscribe to a service", metadata: ["service": "\(publisher.rawValue)", "error": "\(error)"])
      continuation.finish()
    }
  }

  private func receiveAnnouncements(_ subscription: Subscription) {
    for _ in 0..<BusLoop.fairShare {
      guard subscription.socket.receive(into: &frames) else { return }
      do {
        guard frames.count == 3 else { throw Failure(RequestFailure.badRequest) }
        let announcement = try Announcement(header: frames[1], body: frames[2])
        for reader in subscription.readers.values {
          if case .dropped = reader.yield(announcement) { metrics.announcementsDropped.increment() }
        }
      } catch {
        metrics.malformed.increment()
        throttledLog.warn("Dropped a malformed announcement", ["publisher": "\(subscription.publisher.rawValue)"])
      }
    }
  }

  // MARK: - The end

  /// Answers all requests that still wait, and closes. Blocks no longer than closing may take.
  private func finish() {
    for command in commandQueue.shut() {
      switch command {
      case .request(let request): request.continuation.resume(returning: .failure(.unavailable))
      case .reply(let reply): if let message = reply.message { send(message, to: reply.envelope) }
      case .run(let job): globalConcurrentExecutor.enqueue(job)
      case .subscribe(_, _, let continuation): continuation.finish()
      case .cancel, .announce, .unsubscribe, .stop: break
      }
    }
    for entry in pending.values { entry.request.continuation.resume(returning: .failure(.unavailable)) }
    pending = [:]
    for subscription in subscriptions.values {
      for reader in subscription.readers.values { reader.finish() }
    }
    closeSockets()
  }

  private func closeSockets() {
    for peer in peers.values { peer.close() }
    for subscription in subscriptions.values { subscription.socket.close() }
    if let router, routerMonitor != nil { zmq_socket_monitor(router.pointer, nil, 0) }
    for socket in [routerMonitor, router, publisher, authenticator?.socket] { socket?.close() }
    endThreads()
    if let lock { close(lock) }
  }

  /// Ends libzmq's threads when they have sent what is left. A thread that is looking up a host name cannot be interrupted: beyond the time
  /// limit it is left to end by itself, so that a silent name server keeps no process from stopping.
  private func endThreads() {
    let ending = Ending(context)
    var thread = pthread_t()
    let error = pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Ending>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, Unmanaged.passRetained(ending).toOpaque())
    precondition(error == 0, "no thread left to close the bus")
    pthread_detach(thread)
    ending.wait(atMost: limits.closing)
  }
}

/// The announcements of one publisher, and their readers in this process.
final class Subscription {
  let publisher: ServiceName
  let socket: Socket
  var readers: [UInt64: AsyncStream<Announcement>.Continuation] = [:]

  init(_ publisher: ServiceName, at endpoints: Endpoints, _ context: UnsafeMutableRawPointer, _ limits: BusLimits) throws {
    guard let endpoint = endpoints.events(of: publisher) else { throw EndpointFailure.noAddress(publisher) }
    self.publisher = publisher
    socket = try Socket(.subscriber, context, limits)
    try socket.carry(on: endpoints.thread(of: publisher))
    if let curve = endpoints.curve {
      guard let key = curve.servers[publisher] else { throw EndpointFailure.noAddress(publisher) }
      try socket.beCurveClient(curve.keys, of: key)
    }
    try socket.set(ZMQ_SUBSCRIBE, publisher.rawValue)
    try socket.connect(endpoint)
  }
}

/// The end of a libzmq context: one thread ends it, and another waits for that, but not for ever.
private final class Ending {
  private let context: UnsafeMutableRawPointer
  private let isOver = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init(_ context: UnsafeMutableRawPointer) {
    self.context = context
    sem_init(isOver, 0, 0)
  }

  deinit {
    sem_destroy(isOver)
    isOver.deallocate()
  }

  func run() {
    while zmq_ctx_term(context) != 0, zmq_errno() == EINTR {}
    sem_post(isOver)
  }

  func wait(atMost time: Duration) {
    var end = timespec()
    clock_gettime(CLOCK_REALTIME, &end)
    let nanoseconds = Int64(end.tv_nsec) + time.inNanoseconds
    end.tv_sec += Int(nanoseconds / 1_000_000_000)
    end.tv_nsec = Int(nanoseconds % 1_000_000_000)
    while sem_timedwait(isOver, &end) != 0, errno == EINTR {}
  }
}
