import NIOCore

/// When a connection has taken too long: the rules, without timers or I/O.
struct ConnectionDeadlines {
  /// What took too long.
  enum Expiry: Hashable {
    /// The connection's first request or line never began.
    case silence
    case head
    case request
    case idle
    case write
  }

  private enum Arriving {
    case nothing
    case first(since: NIODeadline)
    case head(since: NIODeadline)
    case body(since: NIODeadline)
    /// A body that is handed on as it arrives.
    case stream(since: NIODeadline, seconds: Int)
  }

  /// With the deadline that passed before, and a look once a second at both, less than 15 seconds by the defaults.
  private static let slowClosingSeconds = 3

  private let limits: GatewayConfiguration.Limits
  private var arriving: Arriving
  /// Requests that have arrived and whose answers have not been sent.
  private(set) var inFlight = 0
  private var activeAt: NIODeadline
  private var bytesWritten = 0
  /// Where writing stood when bytes were first seen to wait.
  private var waiting: (since: NIODeadline, flushed: Int)?
  /// Whether silence is normal, as on a stream of live messages.
  var mayIdle = false

  init(_ limits: GatewayConfiguration.Limits, now: NIODeadline) {
    self.limits = limits
    arriving = .first(since: now)
    activeAt = now
  }

  mutating func bytesArrived(_ now: NIODeadline) {
    switch arriving {
    case .nothing, .first: arriving = .head(since: now)
    case .head, .body, .stream: break
    }
  }

  mutating func headArrived(_ now: NIODeadline) {
    inFlight += 1
    if case .head(let since) = arriving { arriving = .body(since: since) } else { arriving = .body(since: now) }
  }

  /// The body of the request whose head has arrived may take that long, from its beginning on.
  mutating func bodyStreams(seconds: Int) {
    if case .body(let since) = arriving { arriving = .stream(since: since, seconds: seconds) }
  }

  mutating func requestArrived() { arriving = .nothing }

  /// A whole line, where lines are what is received.
  mutating func lineArrived(_ now: NIODeadline) {
    arriving = .nothing
    activeAt = now
  }

  mutating func answered(_ now: NIODeadline) {
    inFlight -= 1
    activeAt = now
  }

  /// The last answer is out; the client has as long as for a head to close its side, and only a moment if it was slow before.
  mutating func closing(_ now: NIODeadline, isSlow: Bool) {
    inFlight = 0
    let seconds = isSlow ? min(limits.headerSeconds, ConnectionDeadlines.slowClosingSeconds) : limits.headerSeconds
    arriving = .head(since: now - .seconds(Int64(limits.headerSeconds - seconds)))
  }

  mutating func wrote(_ bytes: Int) { bytesWritten += bytes }

  /// - Parameter buffered: bytes written that the peer's side has not taken.
  mutating func expiry(_ now: NIODeadline, buffered: Int) -> Expiry? {
    if buffered == 0 {
      waiting = nil
    } else if let waiting {
      if now - waiting.since >= .seconds(Int64(limits.writeSeconds)) {
        guard bytesWritten - buffered - waiting.flushed >= limits.writeBytes else { return .write }
        self.waiting = (now, bytesWritten - buffered)
      }
    } else {
      waiting = (now, bytesWritten - buffered)
    }
    switch arriving {
    case .first(let since): return now - since >= .seconds(Int64(limits.headerSeconds)) ? .silence : nil
    case .head(let since): return now - since >= .seconds(Int64(limits.headerSeconds)) ? .head : nil
    case .body(let since): return now - since >= .seconds(Int64(limits.requestSeconds)) ? .request : nil
    case .stream(let since, let seconds): return now - since >= .seconds(Int64(seconds)) ? .request : nil
    case .nothing:
      return inFlight == 0 && !mayIdle && now - activeAt >= .seconds(Int64(limits.idleSeconds)) ? .idle : nil
    }
  }
}
