import CZeroMQ
import Operations

/// The connection to one service: a DEALER, a monitor that tells whether it stands, and the requests that wait until it does.
final class Peer {
  let service: ServiceName
  let dealer: Socket
  let monitor: Socket
  private(set) var isConnected = false
  /// Not yet taken by libzmq, the oldest first.
  private(set) var waiting: [OutgoingRequest] = []

  /// What a monitor tells of: connections that stand, end, or do not come about.
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

  /// Gives the request to libzmq, behind those that wait already; false if it has to wait.
  func send(_ request: OutgoingRequest) -> Bool {
    guard waiting.isEmpty, dealer.send(request.tag, more: true) == .sent else { return false }
    _ = dealer.send([], more: true)
    _ = dealer.send(request.header, more: true)
    _ = dealer.send(request.body, more: false)
    return true
  }

  func wait(_ request: OutgoingRequest) { waiting.append(request) }

  /// Sends what waited, as far as libzmq takes it; those that nobody wants any more are left out.
  func flush(isWanted: (OutgoingRequest) -> Bool, sent: (OutgoingRequest) -> Void) {
    guard !waiting.isEmpty else { return }
    var queue: [OutgoingRequest] = []
    swap(&queue, &waiting)
    var next = 0
    while next < queue.count {
      let request = queue[next]
      if isWanted(request) {
        guard send(request) else { break }
        sent(request)
      }
      next += 1
    }
    waiting = Array(queue[next...])
    // What was refused would make the owner look again at once, and again, for as long as there is no connection.
    if !waiting.isEmpty { dealer.settle() }
  }

  /// Drops those that nobody wants any more.
  func forget(_ isWanted: (OutgoingRequest) -> Bool) { waiting.removeAll { !isWanted($0) } }

  enum Change { case connected, lost, refused }

  /// What became of the connection since the last look.
  func changes(_ frames: inout [[UInt8]]) -> [Change] {
    var changes: [Change] = []
    while monitor.receive(into: &frames) {
      guard let event = frames.first, event.count >= 2 else { continue }
      switch CInt(event[0]) | CInt(event[1]) << 8 {
      case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
        isConnected = true
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
