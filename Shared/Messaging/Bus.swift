public import Operations

/// How services communicate: requests with replies, and announcements of what happened.
///
/// ``ZeroMQBus`` is the production implementation; tests use one inside a single process. A bus belongs to one service and sends in its
/// name.
public protocol Bus: Sendable {
  /// Sends a request and waits for its reply, never longer than the request's deadline.
  ///
  /// Cancelling the task stops the waiting, not the request.
  func request(_ request: Request, to service: ServiceName) async throws(BusFailure) -> Reply

  /// Answers the requests that arrive for this service; call it once, before the bus runs.
  ///
  /// The handler is called for many requests at a time. Requests beyond the limit are answered `overloaded` without calling it.
  func serve(_ handler: @escaping @Sendable (Request) async -> Reply)

  /// Announces to all subscribers. A hint only: a subscriber fetches what is lost on the way.
  func announce(_ announcement: Announcement)

  /// The announcements of that service, from now on. A slow reader loses the oldest; see ``EventSubscriber``.
  func announcements(of publisher: ServiceName) -> AsyncStream<Announcement>

  /// The executor on which announcements are best received, since no thread has to be woken there; only for brief work. Nil for any.
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

  /// Lets work in flight finish and then ends ``run()``, after that time at the latest.
  func beginStop(within time: Duration)
}

/// What a service announces to all others.
public enum Announcement: Sendable, Hashable {
  /// An event just committed, in the log's present epoch.
  case event(LoggedEvent, epoch: String)
  /// The log has reached `head`, and has only events with these names after that number; `names` may have more.
  case burst(names: Set<String>, after: Int64, head: LogHead)
  /// The log's position, announced every half second.
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
  /// The message is larger than the bus allows.
  case tooLarge
  case cancelled
}
