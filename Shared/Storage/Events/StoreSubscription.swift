import GRDB
public import Operations
import Synchronization

/// Applies the events of other services to a store, each exactly once: effect and cursor are one transaction.
public struct StoreSubscription: EventSubscription {
  /// What an event does here. Called again for the same event only if the previous transaction was not committed.
  public typealias Effects = @Sendable (LoggedEvent, ServiceName, Transaction) throws -> Void

  private let store: Store
  private let effects: Effects
  private let steps = EventSteps()

  /// More events than this in one transaction get a commit of their own.
  private static let maxTogether = 8

  init(store: Store, effects: @escaping Effects) { (self.store, self.effects) = (store, effects) }

  public func cursor(of publisher: ServiceName) async throws -> LogHead? {
    try await store.read { try StoreSubscription.cursor(of: publisher, $0) }
  }

  /// Applies the page's events in order and moves the cursor to the page's end, all in one transaction. Events at or before the cursor are
  /// ignored. Of a long page only so many events take effect that other writes need not wait long.
  ///
  /// - Parameter number: the number after which the page has no gap; the cursor must have reached it.
  /// - Returns: up to which number the page has taken effect.
  /// - Throws: what an effect throws, or ``EventSubscriptionFailure``; then nothing has changed.
  public func apply(
    _ page: EventPage, after number: Int64, of publisher: ServiceName, epoch: String
  ) async throws -> Int64 {
    let size = steps.size(of: publisher)
    let events = Array(page.events.prefix(size))
    let through = events.count < page.events.count ? events.last?.number ?? page.through : page.through
    let start: ContinuousClock.Instant? = try await store.write(largeOf: Self.owner(events.count, of: publisher)) { transaction in
      let start = ContinuousClock.now
      let cursor = try StoreSubscription.cursor(of: publisher, transaction.database)
      if let cursor, cursor.epoch != epoch { throw EventSubscriptionFailure.otherEpoch(known: cursor.epoch, published: epoch) }
      let before = cursor?.number ?? 0
      guard number <= before else { throw EventSubscriptionFailure.gap(reached: before, from: number) }
      guard through > before else { return nil }
      for event in events where event.number > before {
        try effects(event, publisher, transaction.caused(by: event.traceparent))
      }
      try StoreSubscription.move(publisher, to: LogHead(epoch: epoch, number: through), transaction.database)
      // What took effect before says nothing of how long the others take.
      return events.first.map { $0.number > before } == true ? start : nil
    }
    if let start, events.count == size { steps.took(ContinuousClock.now - start, for: size, of: publisher) }
    return through
  }

  /// Applies a page of the publisher's snapshot. The last page moves the cursor to `head`, where the log stood before the first page;
  /// events published until the last page was read may have taken effect by then, too. An earlier page takes an existing cursor out of its
  /// epoch: the store holds parts of a later state, and only the last page tells of which. The cursor itself stays, so that after a restart
  /// the subscriber knows that it had one, and may have missed events that a new subscriber does not need.
  ///
  /// - Throws: what an effect throws, or ``EventSubscriptionFailure`` if the publisher's epoch changed between the pages.
  public func apply(_ page: SnapshotPage, of publisher: ServiceName, isLast: Bool, from head: LogHead) async throws {
    guard page.head.epoch == head.epoch else {
      throw EventSubscriptionFailure.otherEpoch(known: head.epoch, published: page.head.epoch)
    }
    try await store.write(largeOf: Self.owner(page.events.count, of: publisher)) { transaction in
      for event in page.events { try effects(event, publisher, transaction.caused(by: event.traceparent)) }
      if isLast {
        try StoreSubscription.move(publisher, to: head, snapshotUpTo: page.head.number, transaction.database)
      } else {
        try StoreSubscription.leaveEpoch(of: publisher, transaction.database)
      }
    }
  }

  /// Moves the cursor into the epoch that the publisher's log began after `end`, if the cursor is in the epoch of `end` and nothing after
  /// `end` has taken effect, neither as an event nor in a snapshot.
  ///
  /// - Returns: the cursor, also if it was moved there before; nil if it stays where it is.
  public func enter(_ epoch: String, after end: LogHead, of publisher: ServiceName) async throws -> LogHead? {
    try await store.write { transaction in
      let database = transaction.database
      try database.cachedStatement(
        sql: """
          UPDATE subscription_cursors SET epoch = ?1 WHERE publisher = ?2 AND epoch = ?3 AND number <= ?4 AND snapshot_number <= ?4
          """
      ).execute(arguments: [epoch, publisher.rawValue, end.epoch, end.number])
      let cursor = try StoreSubscription.cursor(of: publisher, database)
      return cursor?.epoch == epoch ? cursor : nil
    }
  }

  /// The owner for a write of so many events that it gets its own commit; nil for a smaller one.
  private static func owner(_ count: Int, of publisher: ServiceName) -> String? {
    count > maxTogether ? "events of \(publisher)" : nil
  }

  private static func cursor(of publisher: ServiceName, _ database: Database) throws -> LogHead? {
    let statement = try database.cachedStatement(sql: "SELECT epoch, number FROM subscription_cursors WHERE publisher = ?")
    return try Row.fetchOne(statement, arguments: [publisher.rawValue]).map { LogHead(epoch: $0[0], number: $0[1]) }
  }

  private static func move(_ publisher: ServiceName, to head: LogHead, _ database: Database) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO subscription_cursors (publisher, epoch, number) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET epoch = excluded.epoch, number = excluded.number
        """
    ).execute(arguments: [publisher.rawValue, head.epoch, head.number])
  }

  private static func move(
    _ publisher: ServiceName, to head: LogHead, snapshotUpTo number: Int64, _ database: Database
  ) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO subscription_cursors (publisher, epoch, number, snapshot_number) VALUES (?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET epoch = excluded.epoch, number = excluded.number, snapshot_number = excluded.snapshot_number
        """
    ).execute(arguments: [publisher.rawValue, head.epoch, head.number, number])
  }

  /// The epoch of a cursor that is in none. No log has this epoch, since epochs are UUIDs.
  static let noEpoch = "none"

  /// Puts the cursor, if there is one, into an epoch that no log has.
  private static func leaveEpoch(of publisher: ServiceName, _ database: Database) throws {
    try database.cachedStatement(
      sql: "UPDATE subscription_cursors SET epoch = ?, number = 0, snapshot_number = 0 WHERE publisher = ?"
    ).execute(arguments: [noEpoch, publisher.rawValue])
  }
}

/// How many events of each publisher take effect in one transaction, by how long they took.
private final class EventSteps: Sendable {
  private let sizes = Mutex<[ServiceName: StepSize]>([:])

  private static let first = StepSize(first: 50, max: 500, target: .milliseconds(25))

  func size(of publisher: ServiceName) -> Int { sizes.withLock { $0[publisher, default: Self.first].count } }

  func took(_ duration: Duration, for size: Int, of publisher: ServiceName) {
    sizes.withLock { sizes in
      // Deliveries that run at the same time adjust it once.
      guard sizes[publisher, default: Self.first].count == size else { return }
      sizes[publisher, default: Self.first].took(duration)
    }
  }
}

/// Why events did not take effect.
public enum EventSubscriptionFailure: Error, Hashable, Sendable {
  /// Events are missing between the cursor and the beginning of the page.
  case gap(reached: Int64, from: Int64)
  /// The cursor is not in the publisher's epoch.
  case otherEpoch(known: String, published: String)
}

extension Store {
  /// A subscription that applies the events of other services to this store.
  public func subscription(_ effects: @escaping StoreSubscription.Effects) -> StoreSubscription {
    StoreSubscription(store: self, effects: effects)
  }
}
