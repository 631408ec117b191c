import Foundation
import GRDB
public import Operations

/// A store's log of the events its service published.
public struct Outbox: EventLog {
  let store: Store

  public func head() async throws -> LogHead {
    try await store.read(head)
  }

  public func end(of epoch: String) async throws -> Int64? { store.epoch.ends[epoch] }

  /// The events with these names (nil: all) after that number, oldest first: at most `limit`, and no more once `bytes` are exceeded.
  ///
  /// At most ``StoreLimits/eventsRead`` events of all names are read, so that rare ones are found in several answers, each of which ends
  /// further on, instead of in one that takes too long.
  ///
  /// - Throws: ``EventLogFailure/pruned`` if the next event is no longer kept, or if the log ends before `number`.
  public func events(after number: Int64, named names: Set<String>?, limit: Int, bytes: Int) async throws -> EventPage {
    try await store.read { database in
      let last = try Outbox.lastNumber(database)
      let next = try Int64.fetchOne(
        database.cachedStatement(sql: "SELECT number FROM outbox WHERE number > ? ORDER BY number LIMIT 1"), arguments: [number])
      guard next ?? last + 1 == number + 1 || limit < 1 else { throw EventLogFailure.pruned }
      var events: [LoggedEvent] = []
      var size = 0
      var read = 0
      var through = number
      let statement = try database.cachedStatement(
        sql: "SELECT number, name, at, traceparent, body FROM outbox WHERE number > ? ORDER BY number")
      let rows = try Row.fetchCursor(statement, arguments: [number])
      while events.count < limit, size < bytes || events.isEmpty, read < store.limits.eventsRead {
        guard let row = try rows.next() else { return EventPage(events, through: last) }
        read += 1
        through = row[0]
        if let names, !names.contains(row[1]) { continue }
        let event = try LoggedEvent(row)
        size += event.body.count
        events.append(event)
      }
      return EventPage(events, through: through)
    }
  }

  /// The state as events with these names (nil: all), each with number 0, since they have no number in the log.
  ///
  /// A service without state to publish keeps its history instead: its snapshot is empty and stands before the epoch's first event.
  public func snapshot(of names: Set<String>?, after key: String?) async throws -> SnapshotPage {
    guard let snapshot = store.snapshot else {
      return SnapshotPage(head: LogHead(epoch: store.epoch.name, number: store.epoch.start), events: [], nextKey: nil)
    }
    let now = store.clock.now
    return try await store.read { database in
      let page = try snapshot(database, names, key)
      let events = page.events.filter { names?.contains(type(of: $0).spec.name) ?? true }.map { $0.logged(number: 0, at: now) }
      return SnapshotPage(head: try head(database), events: events, nextKey: page.nextKey)
    }
  }

  public func acknowledge(subscriber: ServiceName, epoch: String, number: Int64) async throws {
    guard epoch == store.epoch.name else { return }
    try await store.write { transaction in
      try transaction.database.cachedStatement(
        sql: """
          INSERT INTO outbox_subscribers (subscriber, number) VALUES (?, ?)
          ON CONFLICT DO UPDATE SET number = excluded.number WHERE excluded.number > number
          """
      ).execute(arguments: [subscriber.rawValue, number])
    }
  }

  /// Deletes events that the slowest known subscriber has acknowledged, except the newest. If no subscriber keeps a position, deletes all
  /// but the newest.
  ///
  /// A service without a snapshot keeps all events, so that a subscriber can still be added.
  func prune(willStep: () -> Void) async throws {
    guard store.snapshot != nil else { return }
    // The last event holds the numbering.
    let kept = max(store.limits.eventsKept, 1)
    try await store.writeInSteps(of: "housekeeping", store.limits.stepsOfPurge, willStep: willStep) { rows, transaction in
      try transaction.database.cachedStatement(
        sql: """
          DELETE FROM outbox WHERE number IN (
            SELECT number FROM outbox
            WHERE number <= ? AND number <= coalesce((SELECT min(number) FROM outbox_subscribers), number)
            ORDER BY number LIMIT ?
          )
          """
      ).execute(arguments: [try Outbox.lastNumber(transaction.database) - Int64(kept), rows])
      return transaction.database.changesCount == rows
    }
  }

  @Sendable private func head(_ database: Database) throws -> LogHead {
    LogHead(epoch: store.epoch.name, number: try Outbox.lastNumber(database))
  }

  /// The number of the last event published, pruned or not; 0 before the first.
  static func lastNumber(_ database: Database) throws -> Int64 {
    try database.first("SELECT number FROM outbox ORDER BY number DESC LIMIT 1") { Int64($0.number(0)) } ?? 0
  }
}

extension Store {
  /// The events published by this service.
  public var log: Outbox { Outbox(store: self) }
}

extension Event {
  fileprivate func logged(number: Int64, at now: Instant) -> LoggedEvent {
    LoggedEvent(number: number, name: Self.spec.name, at: now, traceparent: nil, body: json)
  }
}

extension LoggedEvent {
  fileprivate init(_ row: Row) throws {
    let body = try row.withUnsafeData(atIndex: 4) { $0.map { [UInt8]($0) } ?? [] }
    self.init(number: row[0], name: row[1], at: row[2], traceparent: row[3], body: body)
  }
}
