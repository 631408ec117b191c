/// All limits and periods of the bus, with what happens beyond them.
public struct BusLimits: Sendable {
  /// Largest frame in bytes, sent or accepted (`ZMQ_MAXMSGSIZE`; libzmq has no limit of its own). A peer that sends a larger one
  /// loses its connection; a caller gets `tooLarge`.
  public var messageBytes = 4 << 20
  /// Requests of this process that wait for a reply. Beyond it a caller gets `overloaded`.
  public var requestsInFlight = 8192
  /// Bytes of requests handed over and not yet given to libzmq. Beyond it a caller gets `overloaded`.
  public var queuedBytes = 64 << 20
  /// Requests to one peer that wait for its connection. Beyond it a caller gets `overloaded`.
  public var requestsWaiting = 1024
  /// How long a request waits for a connection before it fails with `unavailable`: a restarted peer is back within a second.
  public var connectionPatience = Duration.seconds(2)
  /// The same if the service has said that it is stopping: it is expected back, and has work to finish first. Not less than the time that a
  /// service may take to stop, so that no request fails because of a restart under load.
  public var restartPatience = Duration.seconds(5)
  /// How long callers have, when they learn that a service is stopping, to confirm that they have sent their last request to it. The
  /// service stays for that; without the confirmation a request may be lost, and its caller gets `unavailable`.
  public var shutdownHandshake = Duration.milliseconds(500)
  /// Callers that a service remembers, to inform them that it is stopping. Beyond it, those that called longest ago are forgotten; they get
  /// `unavailable` when the connection ends.
  public var callers = 2048
  /// Handlers that run at a time. Beyond it a request is answered `overloaded`, so that the wait is at the edge and not here.
  public var handlers = 4096
  /// Bytes of the requests whose handlers run. Beyond it a request is answered `overloaded`.
  public var handledBytes = 256 << 20
  /// Bytes up to which a request counts as small: its handler runs on the bus's own thread, see ``BusExecutor``. A larger request takes
  /// long to read, and is handled elsewhere.
  public var smallRequestBytes = 8 << 10
  /// Announcements waiting to be published, or to be taken by a slow reader. Beyond it they are lost, the oldest first for a reader: they
  /// are hints, and the subscriber fetches.
  public var announcements = 1024
  /// Messages that libzmq holds for one peer in each direction (`ZMQ_SNDHWM`, `ZMQ_RCVHWM`). Not below ``requestsInFlight``, so that a
  /// caller within its own limit never loses a reply. Beyond it a reply is dropped and counted.
  public var highWaterMark: Int32 = 8192
  /// Period of a caller's pings on a quiet connection (`ZMQ_HEARTBEAT_IVL`): finds peers whose host or process hangs.
  public var heartbeatInterval = Duration.seconds(1)
  /// Silence after a ping that ends a connection (`ZMQ_HEARTBEAT_TIMEOUT`, and as `ZMQ_HEARTBEAT_TTL` for the other side).
  public var heartbeatTimeout = Duration.seconds(3)
  /// First and longest pause between attempts to connect (`ZMQ_RECONNECT_IVL`, `_MAX`): a restarted peer is found within half a
  /// second, an absent one costs two attempts a second.
  public var reconnectInterval = Duration.milliseconds(50)
  public var longestReconnectInterval = Duration.milliseconds(500)
  /// How long a network connection may take to be established (`ZMQ_CONNECT_TIMEOUT`) before another attempt begins. Without it libzmq
  /// follows the kernel's back-off, whose pauses double: after a minute without network it would find the peer a minute late.
  public var connectTimeout = Duration.milliseconds(1500)
  /// Silence that ends a network connection without pings: for announcements, and for callers that are served (`ZMQ_TCP_KEEPALIVE`), and
  /// for sent data to be acknowledged (`ZMQ_TCP_MAXRT`).
  public var silence = Duration.seconds(5)
  /// How long a peer may take to complete the handshake (`ZMQ_HANDSHAKE_IVL`) before it is disconnected.
  public var handshake = Duration.seconds(5)
  /// How long a stopping bus stays open after its last reply: libzmq loses replies given to it just before the socket is closed, whatever
  /// `ZMQ_LINGER` says.
  public var drain = Duration.milliseconds(50)
  /// How long unsent replies are kept when the bus closes (`ZMQ_LINGER`; libzmq would wait for ever).
  public var linger = Duration.milliseconds(500)
  /// How long libzmq may take to close, including the above. Beyond it the process continues without waiting.
  public var closing = Duration.seconds(1)
  /// Connections waiting to be accepted (`ZMQ_BACKLOG`).
  public var backlog: Int32 = 128

  public init() {}
}

extension Duration {
  /// Whole milliseconds, as libzmq's options take them.
  var inMilliseconds: Int32 {
    let (seconds, attoseconds) = components
    return Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
  }

  var inNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
