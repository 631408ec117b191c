import GRDB
import Operations

/// Appends the events of one commit to the outbox.
final class OutboxWriter {
  let service: ServiceName
  let database: Database
  /// The number of the last event published in this commit.
  private(set) var lastNumber: Int64?
  private var firstNumber: Int64?
  private var names: Set<String> = []
  /// The first events of the commit: one more than are announced one by one.
  private var events: [LoggedEvent] = []

  init(service: ServiceName, database: Database) {
    self.service = service
    self.database = database
  }

  func append<E: Event>(_ event: E, at now: Instant, traceparent: String?) throws {
    guard E.spec.publisher == service else { throw StoreFailure.foreignEvent(name: E.spec.name, publisher: E.spec.publisher) }
    let body = event.json
    // Subscribers would retry such an event for ever; here only the write that published it fails.
    guard body.count <= JSONLimits().bytes else { throw StoreFailure.largeEvent(name: E.spec.name, bytes: body.count) }
    try database.run(
      "INSERT INTO outbox (name, at, traceparent, body) VALUES (?, ?, ?, ?)", .text(E.spec.name), .instant(now),
      .text(traceparent), .bytes(body))
    let number = database.lastInsertedRowID
    lastNumber = number
    if firstNumber == nil { firstNumber = number }
    names.insert(E.spec.name)
    if events.count <= PublishedEvents.maxEvents {
      events.append(LoggedEvent(number: number, name: E.spec.name, at: now, traceparent: traceparent, body: body))
    }
  }

  /// Forgets the events after that number, whose write was rolled back.
  func goBack(to number: Int64?) {
    lastNumber = number
    events.removeAll { $0.number > number ?? 0 }
    if number == nil {
      firstNumber = nil
      names = []
    }
  }

  /// The events that the commit published; nil if there were none.
  func published(_ epoch: String) -> PublishedEvents? {
    guard let firstNumber, let lastNumber else { return nil }
    return PublishedEvents(after: firstNumber - 1, head: LogHead(epoch: epoch, number: lastNumber), names: names, events: events)
  }
}
