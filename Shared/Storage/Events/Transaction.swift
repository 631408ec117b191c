public import GRDB
public import Operations

/// One write in progress: the database, the time, and the publishing of events. Not to be kept beyond the write's body.
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

  /// Publishes to all subscribers that something happened: if this write is committed, the event is in the log, and if not, not.
  ///
  /// - Throws: ``StoreFailure/foreignEvent(name:publisher:)`` if the event is another service's.
  public func publish<E: Event>(_ event: E) throws {
    try outbox.append(event, at: now, traceparent: traceparent)
  }

  /// Calls that body once this write is durable, and never if it is not. It must be brief: the next commit waits for it.
  ///
  /// A hint only: where the process ends in between it is not called. GRDB's own observers of transactions notice nothing here.
  public func afterCommit(_ body: @escaping @Sendable () -> Void) { afterwards.bodies.append(body) }

  /// The same write on behalf of another cause.
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
