public import GRDB
public import Operations

/// One write in progress: the database, the time, and the publishing of events. Do not keep it beyond the write's body.
public struct Transaction {
  public let database: Database
  /// The clock's time when the write began.
  public let now: Instant
  /// W3C trace context of the request or event that caused the write.
  public let traceparent: String?
  let outbox: OutboxWriter
  let afterwards: Afterwards

  init(_ outbox: OutboxWriter, _ afterwards: Afterwards, now: Instant, traceparent: String?) {
    database = outbox.database
    self.afterwards = afterwards
    self.now = now
    self.traceparent = traceparent
    self.outbox = outbox
  }

  /// Publishes an event to all subscribers. The event is in the log if and only if this write is committed.
  ///
  /// - Throws: ``StoreFailure/foreignEvent(name:publisher:)`` if the event belongs to another service.
  public func publish<E: Event>(_ event: E) throws {
    try outbox.append(event, at: now, traceparent: traceparent)
  }

  /// Calls the body once this write is durable, and never if it is not. The body must be brief: the next commit waits for it.
  ///
  /// A hint only: if the process ends in between, the body is not called. GRDB's own transaction observers notice nothing here.
  public func afterCommit(_ body: @escaping @Sendable () -> Void) { afterwards.bodies.append(body) }

  /// The same write, attributed to another cause.
  func caused(by traceparent: String?) -> Transaction {
    Transaction(outbox, afterwards, now: now, traceparent: traceparent)
  }
}

/// What is to be called once a commit is durable.
final class Afterwards {
  var bodies: [@Sendable () -> Void] = []
  /// How many rows of erased accounts the commit deletes.
  var erasedRows = 0
}
