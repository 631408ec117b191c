import Foundation
import GRDB
import Operations

/// Appends the events of one commit to the outbox.
final class OutboxWriter {
  let service: ServiceName
  let database: Database
  /// The number of the last event told in this commit.
  var lastNumber: Int64?

  init(service: ServiceName, database: Database) {
    self.service = service
    self.database = database
  }

  func append<E: Event>(_ event: E, at now: Instant, traceparent: String?) throws {
    guard E.spec.teller == service else { throw StoreFailure.foreignEvent(name: E.spec.name, teller: E.spec.teller) }
    try database.cachedStatement(sql: "INSERT INTO outbox (name, at, traceparent, body) VALUES (?, ?, ?, ?)")
      .execute(arguments: [E.spec.name, now, traceparent, Data(event.json)])
    lastNumber = database.lastInsertedRowID
  }
}
