import CZeroMQ
import Glibc

/// A libzmq socket. Belongs to one thread at a time; that is why it is not `Sendable`.
final class Socket {
  enum Kind { case router, dealer, publisher, subscriber, reply, pair }

  enum Outcome { case sent, full, unreachable }

  let pointer: UnsafeMutableRawPointer
  private let message: UnsafeMutablePointer<zmq_msg_t>
  /// Signals, edge-triggered, that the socket may have changed; see `zmq_getsockopt(3)`, `ZMQ_FD`.
  let descriptor: CInt
  /// Whether it may hold messages that were not yet received.
  var isDirty = true
  private var isClosed = false

  init(_ kind: Kind, _ context: UnsafeMutableRawPointer, _ limits: BusLimits) throws {
    let type =
      switch kind {
      case .router: ZMQ_ROUTER
      case .dealer: ZMQ_DEALER
      case .publisher: ZMQ_PUB
      case .subscriber: ZMQ_SUB
      case .reply: ZMQ_REP
      case .pair: ZMQ_PAIR
      }
    guard let pointer = zmq_socket(context, type) else { throw ZeroMQError("zmq_socket") }
    self.pointer = pointer
    message = .allocate(capacity: 1)
    zmq_msg_init(message)
    var descriptor: CInt = -1
    var size = MemoryLayout<CInt>.size
    zmq_getsockopt(pointer, ZMQ_FD, &descriptor, &size)
    self.descriptor = descriptor
    // Sockets inside the process (monitors, ZAP) end with it and carry libzmq's own messages.
    guard kind != .pair, kind != .reply else {
      try set(ZMQ_LINGER, Int32(0))
      return
    }
    try set(ZMQ_LINGER, limits.linger.inMilliseconds)
    try set(ZMQ_MAXMSGSIZE, Int64(limits.messageBytes))
    // Beyond it PUB drops for the slow subscriber, DEALER refuses the request, ROUTER the reply.
    let mark = kind == .publisher || kind == .subscriber ? Int32(clamping: limits.announcements) : limits.highWaterMark
    try set(ZMQ_SNDHWM, mark)
    try set(ZMQ_RCVHWM, mark)
    if kind == .dealer {
      // Callers ping, the served answer. A socket that stops reading at its high-water mark must not ping itself: libzmq 4.3.4 ends the
      // process when the ping's turn comes after such a peer went away (`!_io_error`, stream_engine_base.cpp). A DEALER never
      // stops: it has no more replies coming than its mark holds.
      try set(ZMQ_HEARTBEAT_IVL, limits.heartbeatInterval.inMilliseconds)
      try set(ZMQ_HEARTBEAT_TIMEOUT, limits.heartbeatTimeout.inMilliseconds)
      try set(ZMQ_HEARTBEAT_TTL, limits.heartbeatTimeout.inMilliseconds)
    } else {
      // Finds hosts that vanished without a word.
      let seconds = max(1, limits.silence.inMilliseconds / 1000)
      try set(ZMQ_TCP_KEEPALIVE, Int32(1))
      try set(ZMQ_TCP_KEEPALIVE_IDLE, max(1, seconds - Socket.keepaliveProbes))
      try set(ZMQ_TCP_KEEPALIVE_INTVL, Int32(1))
      try set(ZMQ_TCP_KEEPALIVE_CNT, Socket.keepaliveProbes)
    }
    try set(ZMQ_TCP_MAXRT, limits.silence.inMilliseconds)
    try set(ZMQ_CONNECT_TIMEOUT, limits.connectTimeout.inMilliseconds)
    try set(ZMQ_HANDSHAKE_IVL, limits.handshake.inMilliseconds)
    try set(ZMQ_RECONNECT_IVL, limits.reconnectInterval.inMilliseconds)
    try set(ZMQ_RECONNECT_IVL_MAX, limits.longestReconnectInterval.inMilliseconds)
    try set(ZMQ_BACKLOG, limits.backlog)
    try set(ZMQ_IPV6, Int32(1))
    switch kind {
    // A reply to a peer that is gone or does not read is refused, so that it is counted, instead of being lost.
    case .router: try set(ZMQ_ROUTER_MANDATORY, Int32(1))
    // A request goes only to an established connection; without one, the caller decides whether to wait.
    case .dealer: try set(ZMQ_IMMEDIATE, Int32(1))
    default: break
    }
  }

  deinit { close() }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    zmq_msg_close(message)
    message.deallocate()
    zmq_close(pointer)
  }

  func set(_ option: CInt, _ value: some FixedWidthInteger) throws {
    var value = value
    guard zmq_setsockopt(pointer, option, &value, MemoryLayout.size(ofValue: value)) == 0 else {
      throw ZeroMQError("zmq_setsockopt \(option)")
    }
  }

  func set(_ option: CInt, _ text: String) throws {
    guard zmq_setsockopt(pointer, option, text, text.utf8.count) == 0 else { throw ZeroMQError("zmq_setsockopt \(option)") }
  }

  /// Assigns the socket to one of the context's threads, numbered from 0; to be called before it is bound or connected.
  func carry(on thread: Int) throws { try set(ZMQ_AFFINITY, UInt64(1) << UInt64(thread)) }

  func bind(_ endpoint: String) throws {
    guard zmq_bind(pointer, endpoint) == 0 else { throw ZeroMQError("zmq_bind \(endpoint)") }
  }

  func connect(_ endpoint: String) throws {
    guard zmq_connect(pointer, endpoint) == 0 else { throw ZeroMQError("zmq_connect \(endpoint)") }
  }

  /// A socket that reports this one's connections by event number, as `zmq_socket_monitor(3)` describes.
  func monitor(_ name: String, _ events: CInt, _ context: UnsafeMutableRawPointer, _ limits: BusLimits) throws -> Socket {
    let endpoint = "inproc://monitor.\(name)"
    guard zmq_socket_monitor(pointer, endpoint, events) == 0 else { throw ZeroMQError("zmq_socket_monitor") }
    let monitor = try Socket(.pair, context, limits)
    try monitor.connect(endpoint)
    return monitor
  }

  /// Sends one frame without waiting. Only a message's first frame can be refused: libzmq takes or drops the rest with it.
  func send(_ frame: [UInt8], more: Bool) -> Outcome {
    isDirty = true
    let flags = more ? ZMQ_DONTWAIT | ZMQ_SNDMORE : ZMQ_DONTWAIT
    while frame.withUnsafeBytes({ zmq_send(pointer, $0.baseAddress, $0.count, flags) }) < 0 {
      switch zmq_errno() {
      case EINTR: continue
      case EAGAIN: return .full
      default: return .unreachable
      }
    }
    return .sent
  }

  func send(_ number: UInt64, more: Bool) -> Outcome {
    isDirty = true
    var number = number
    while zmq_send(pointer, &number, 8, more ? ZMQ_DONTWAIT | ZMQ_SNDMORE : ZMQ_DONTWAIT) < 0 {
      switch zmq_errno() {
      case EINTR: continue
      case EAGAIN: return .full
      default: return .unreachable
      }
    }
    return .sent
  }

  /// Checks whether anything can be received or sent. If not, the socket is clean, and the descriptor signals the next change.
  func settle() {
    var events: CInt = 0
    var size = MemoryLayout<CInt>.size
    isDirty = zmq_getsockopt(pointer, ZMQ_EVENTS, &events, &size) != 0 || events != 0
  }

  /// Unanswered probes, one a second, that end a silent connection.
  private static let keepaliveProbes: Int32 = 3

  /// The most frames that a message may have; more are read and discarded.
  static let maxFrames = 16

  /// Receives one whole message without waiting; false, with a clean socket, if there is none.
  ///
  /// - Parameter userID: receives the identity that ZAP gave the sender's connection, if requested.
  func receive(into frames: inout [[UInt8]], userID: UnsafeMutablePointer<String?>? = nil) -> Bool {
    frames.removeAll(keepingCapacity: true)
    while true {
      guard zmq_msg_recv(message, pointer, ZMQ_DONTWAIT) >= 0 else {
        if zmq_errno() == EINTR { continue }
        isDirty = false
        return false
      }
      if frames.count <= Socket.maxFrames {
        frames.append([UInt8](UnsafeRawBufferPointer(start: zmq_msg_data(message), count: zmq_msg_size(message))))
      }
      if zmq_msg_more(message) == 0 {
        if let userID { userID.pointee = zmq_msg_gets(message, "User-Id").map { String(cString: $0) } }
        return true
      }
    }
  }
}

/// A call that libzmq refused.
public struct ZeroMQError: Error, CustomStringConvertible {
  /// The call and its argument.
  public let call: String
  /// `errno(3)`, or one of libzmq's own numbers.
  public let number: CInt

  init(_ call: String) {
    self.call = call
    number = zmq_errno()
  }

  public var description: String { "\(call): \(String(cString: zmq_strerror(number)))" }
}
