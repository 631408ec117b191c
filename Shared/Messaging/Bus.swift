public import Operations

/// How services talk: requests that are answered, and announcements of what happened.
///
/// ``ZeroMQBus`` is the real one; tests have a twin of it inside one process. A bus belongs to one service, in whose name it speaks.
public protocol Bus: Sendable {
  /// Sends a request and waits for its reply, never longer than the request's deadline.
  ///
  /// Cancelling the task stops the waiting, not the request.
  func request(_ request: Request, to service: ServiceName) async throws(BusFailure) -> Reply

  /// Answers the requests that arrive for this service; call it once, before the bus runs.
  ///
  /// The handler is called for many requests at a time. Requests beyond the bound are answered `overloaded` without it.
  func serve(_ handler: @escaping @Sendable (Request) async -> Reply)

  /// Publishes to all subscribers. A hint only: what is lost on the way, the subscriber fetches.
  func announce(_ announcement: Announcement)

  /// What that service announces, from now on. A slow reader loses the oldest; see ``EventSubscriber``.
  func announcements(of publisher: ServiceName) -> AsyncStream<Announcement>

  /// Where announcements are best received, for no thread has to be woken there; only for what is brief. Nil for anywhere.
  var eventExecutor: (any TaskExecutor)? { get }
}

extension Bus {
  public var eventExecutor: (any TaskExecutor)? { nil }
}

/// A bus that works only while it runs, such as one with sockets.
public protocol RunnableBus: Bus {
  /// Connects the service to the bus; does nothing if it is connected.
  func start() throws

  /// Runs until it is stopped or cancelled.
  func run() async throws

  /// Lets what is in flight end, and then ``run()``, after that time at the latest.
  func beginStop(within time: Duration)
}

/// What a service announces to all others.
public enum Announcement: Sendable, Hashable {
  /// An event just committed, in the log's present epoch.
  case event(LoggedEvent, epoch: String)
  /// The log has come to `head`, and has only events of those names after that number; `names` has more, perhaps.
  case burst(names: Set<String>, after: Int64, head: LogHead)
  /// How far the log goes, announced every half second.
  case heartbeat(LogHead)
}

/// Why a request has no reply.
public enum BusFailure: Error, Hashable, Sendable {
  /// The service cannot be reached, or went away before it answered: whether the request took effect is unknown.
  case unavailable
  /// A queue on the way is full; the request was not taken.
  case overloaded
  /// No reply before the deadline: whether the request took effect is unknown.
  case timedOut
  /// The message is larger than the bus carries.
  case tooLarge
  case cancelled
}
