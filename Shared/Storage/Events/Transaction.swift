public import GRDB
public import Operations

/// One write in progress: the database, the time, and the telling of events. Not to be kept beyond the write's body.
public struct Transaction {
  public let database: Database
  /// The clock's time when the write began.
  public let now: Instant
  /// W3C trace context of the request or event that caused the write.
  public let traceparent: String?
  let outbox: OutboxWriter

  init(_ outbox: OutboxWriter, now: Instant, traceparent: String?) {
    database = outbox.database
    self.now = now
    self.traceparent = traceparent
    self.outbox = outbox
  }

  /// Tells all who listen that something happened: if this write is committed, the event is in the log, and if not, not.
  ///
  /// - Throws: ``StoreFailure/foreignEvent(name:teller:)`` if the event is another service's.
  public func tell<E: Event>(_ event: E) throws {
    try outbox.append(event, at: now, traceparent: traceparent)
  }

  /// The same write on behalf of another cause.
  func caused(by traceparent: String?) -> Transaction {
    Transaction(outbox, now: now, traceparent: traceparent)
  }
}
