import CZeroMQ
import Operations

/// The connection to one service: a DEALER, a monitor that reports whether it is connected, and the requests that wait until it is.
final class Peer {
  let service: ServiceName
  let dealer: Socket
  let monitor: Socket
  private(set) var isConnected = false
  /// Until when nothing is sent, since the service has said that it is stopping: requests are kept for its successor. Ends with the next
  /// connection.
  private(set) var leavingUntil: Int64 = 0
  /// Requests not yet accepted by libzmq, the oldest first.
  private(set) var waiting: [OutgoingRequest] = []

  /// What a monitor reports: connections that are established, end, or fail.
  static let events =
    ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL
    | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH

  init(_ service: ServiceName, at endpoints: Endpoints, _ context: UnsafeMutableRawPointer, _ limits: BusLimits) throws {
    guard let endpoint = endpoints.requests(of: service) else { throw EndpointFailure.noAddress(service) }
    self.service = service
    dealer = try Socket(.dealer, context, limits)
    try dealer.carry(on: endpoints.thread(of: service))
    if let curve = endpoints.curve {
      guard let key = curve.servers[service] else { throw EndpointFailure.noAddress(service) }
      try dealer.beCurveClient(curve.keys, of: key)
    }
    monitor = try dealer.monitor("peer.\(service.rawValue)", Peer.events, context, limits)
    try dealer.connect(endpoint)
  }

  /// Whether the service has said that it is stopping, and is not back yet.
  func isLeaving(_ now: Int64) -> Bool { now < leavingUntil }

  /// Records that the service is stopping; nothing more is sent until it is back.
  func leave(until time: Int64) { leavingUntil = time }

  /// Informs the service, after everything that was sent to it, that nothing more will come.
  func acknowledgeShutdown() {
    guard dealer.send(ShutdownHandshake.tag, more: true) == .sent else { return }
    for frame in ShutdownHandshake.answer { _ = dealer.send(frame, more: frame != ShutdownHandshake.answer.last) }
  }

  /// Gives the request to libzmq; false if it has to wait, as behind requests that already wait.
  func send(_ request: OutgoingRequest, at now: Int64) -> Bool {
    guard waiting.isEmpty, !isLeaving(now), dealer.send(request.tag, more: true) == .sent else { return false }
    let left = (request.deadline - now) / 1_000_000
    _ = dealer.send([], more: true)
    _ = dealer.send(RequestHeader.stamp(request.header, left: left, sent: now / 1_000_000), more: true)
    _ = dealer.send(request.body, more: false)
    return true
  }

  func wait(_ request: OutgoingRequest) { waiting.append(request) }

  /// Sends waiting requests as far as libzmq accepts them, without those that are no longer wanted.
  func flush(at now: Int64, isWanted: (OutgoingRequest) -> Bool, sent: (OutgoingRequest) -> Void) {
    guard !waiting.isEmpty, !isLeaving(now) else { return }
    var queue: [OutgoingRequest] = []
    swap(&queue, &waiting)
    var next = 0
    while next < queue.count {
      let request = queue[next]
      if isWanted(request) {
        guard send(request, at: now) else { break }
        sent(request)
      }
      next += 1
    }
    waiting = Array(queue[next...])
    // Otherwise a refused request would make the owner retry at once, again and again, while there is no connection.
    if !waiting.isEmpty { dealer.settle() }
  }

  /// Drops requests that are no longer wanted.
  func forget(_ isWanted: (OutgoingRequest) -> Bool) { waiting.removeAll { !isWanted($0) } }

  enum Change { case connected, lost, refused }

  /// The changes of the connection since the last call.
  func changes(_ frames: inout [[UInt8]]) -> [Change] {
    var changes: [Change] = []
    while monitor.receive(into: &frames) {
      guard let event = frames.first, event.count >= 2 else { continue }
      switch CInt(event[0]) | CInt(event[1]) << 8 {
      case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
        isConnected = true
        leavingUntil = 0
        changes.append(.connected)
      case ZMQ_EVENT_DISCONNECTED:
        isConnected = false
        changes.append(.lost)
      default: changes.append(.refused)
      }
    }
    return changes
  }

  func close() {
    zmq_socket_monitor(dealer.pointer, nil, 0)
    monitor.close()
    dealer.close()
  }
}
