/// Something that happened, published by the service that owns the data to all subscribers.
///
/// An event is a row of its publisher's outbox, written in the transaction of the change it reports; see `Storage.Outbox`.
///
///     public struct FriendRequestSent: Event {
///       public var friendRequestID: ID<FriendRequest>
///       public static let spec = EventSpec("friendRequests.sent", by: .social, requirements: ["SOC-1"],
///         "An account sent another a friend request.")
///     }
public protocol Event: Document {
  static var spec: EventSpec { get }
}

/// What an ``Event`` declares in addition to its fields.
public struct EventSpec: Sendable {
  public let name: String
  /// The name under which it was published before it was renamed, and stores of that time still hold it; nil where it never was. It is
  /// published under ``name`` alone.
  public let formerName: String?
  public let publisher: ServiceName
  /// Whether the gateway delivers the event live to the connections of the account in its field `accountID`, besides all other subscribers.
  public let isLive: Bool
  public let requirements: [String]
  public let summary: String

  /// All names by which it is found in a log; whoever selects events by name names all of them.
  public var names: Set<String> { Set([name, originalName]) }

  /// Its first name, which never changes. By that begins what subscribers store of an event so as to know a repeat of it: under any other
  /// name, what was stored before a renaming would not be found again.
  public var originalName: String { formerName ?? name }

  /// - Parameter formerName: set when an event is renamed, and then kept for ever.
  public init(
    _ name: String, formerly formerName: String? = nil, by publisher: ServiceName, isLive: Bool = false, requirements: [String],
    _ summary: String
  ) {
    self.name = name
    self.formerName = formerName
    self.publisher = publisher
    self.isLive = isLive
    self.requirements = requirements
    self.summary = summary
  }
}

/// An event in the log of its publisher.
public struct LoggedEvent: Sendable, Hashable {
  /// 1 for the first event, without gaps; 0 in a snapshot, whose events have no number in the log.
  public let number: Int64
  public let name: String
  public let at: Instant
  /// W3C trace context of the request that caused the event.
  public let traceparent: String?
  /// The event's document as JSON.
  public let body: [UInt8]

  public init(number: Int64, name: String, at: Instant, traceparent: String?, body: [UInt8]) {
    self.number = number
    self.name = name
    self.at = at
    self.traceparent = traceparent
    self.body = body
  }
}

/// The position of a log: its epoch, and the number of its last event.
///
/// A store that was lost or restored from a backup begins a new epoch, so that a subscriber never takes old numbers for new ones. A
/// restored store continues the numbers of the copy, and knows how far it has the events of earlier epochs: ``EventLog/end(of:)``.
public struct LogHead: Sendable, Hashable {
  public let epoch: String
  public let number: Int64

  public init(epoch: String, number: Int64) {
    self.epoch = epoch
    self.number = number
  }
}

/// The publisher's side of an event log, as used by the relay and to fetch missed events.
public protocol EventLog: Sendable {
  func head() async throws -> LogHead
  /// The last number of an earlier epoch that the log continues: it has that epoch's events up to there, and none of its later ones. Nil
  /// for an epoch that the log does not descend from, or no longer knows.
  func end(of epoch: String) async throws -> Int64?
  /// Events with these names (nil: all) after that number, oldest first, at most `limit` and about `bytes`. Throws
  /// ``EventLogFailure/pruned`` if the next event of any name is no longer kept, or if the log ends before that number.
  func events(after number: Int64, named names: Set<String>?, limit: Int, bytes: Int) async throws -> EventPage
  /// The state as events with these names (nil: all), for a subscriber without history, after that key. The last page has no next key.
  func snapshot(of names: Set<String>?, after key: String?) async throws -> SnapshotPage
  /// Records how far a subscriber has come, so that no event that it lacks is pruned.
  func acknowledge(subscriber: ServiceName, epoch: String, number: Int64) async throws
}

extension EventLog {
  /// Events of all names after that number; see ``events(after:named:limit:bytes:)``.
  public func events(after number: Int64, limit: Int, bytes: Int) async throws -> [LoggedEvent] {
    try await events(after: number, named: nil, limit: limit, bytes: bytes).events
  }

  /// The whole state after that key; see ``snapshot(of:after:)``.
  public func snapshot(after key: String?) async throws -> SnapshotPage { try await snapshot(of: nil, after: key) }
}

/// What one commit added to a publisher's log; never empty.
public struct PublishedEvents: Sendable, Hashable {
  /// Up to this many events are sent in full. Of larger batches only the names are announced; subscribers fetch a page.
  public static let maxEvents = 3

  /// The number before that of the first event.
  public let after: Int64
  /// The log's position after these events.
  public let head: LogHead
  /// The names of the events; there may be more.
  public let names: Set<String>
  /// In order; empty if there are more than ``maxEvents``.
  public let events: [LoggedEvent]

  public init(after: Int64, head: LogHead, names: Set<String>, events: [LoggedEvent]) {
    self.after = after
    self.head = head
    self.names = names
    self.events = Int64(events.count) == head.number - after && events.count <= PublishedEvents.maxEvents ? events : []
  }
}

/// A part of a publisher's log.
public struct EventPage: Sendable, Hashable {
  /// In order.
  public let events: [LoggedEvent]
  /// The number up to which no requested event is missing: that of the last event, or a later one.
  public let through: Int64

  public init(_ events: [LoggedEvent], through: Int64) {
    self.events = events
    self.through = through
  }
}

/// A part of a publisher's state published as events, all of them true at ``head`` or later.
public struct SnapshotPage: Sendable {
  public let head: LogHead
  public let events: [LoggedEvent]
  public let nextKey: String?

  public init(head: LogHead, events: [LoggedEvent], nextKey: String?) {
    self.head = head
    self.events = events
    self.nextKey = nextKey
  }
}

public enum EventLogFailure: Error, Sendable {
  /// The requested events are no longer kept: begin from the snapshot.
  case pruned
}

/// The subscriber's side of an event log: effects and cursor in one transaction.
public protocol EventSubscription: Sendable {
  /// The subscriber's position in the publisher's log; nil before the first event.
  func cursor(of publisher: ServiceName) async throws -> LogHead?
  /// Applies the page's events in order and moves the cursor to the page's end, or only the first of them if all would take long: all in
  /// one transaction.
  ///
  /// The page holds everything of interest after the number `after`, which the cursor must have reached. Events at or before the cursor are
  /// ignored. Throws if an effect fails; then nothing has changed.
  ///
  /// - Returns: up to which number the page has taken effect.
  func apply(_ page: EventPage, after number: Int64, of publisher: ServiceName, epoch: String) async throws -> Int64
  /// Applies a snapshot's page. The last page moves the cursor to `head`; until then there is no cursor, since a half-applied snapshot
  /// corresponds to no event number.
  func apply(_ page: SnapshotPage, of publisher: ServiceName, isLast: Bool, from head: LogHead) async throws
  /// Moves the cursor into the epoch that the log began after `end`, if the cursor is in the epoch of `end` and nothing after `end` has
  /// taken effect here. Then no event is missed, and none is applied twice.
  ///
  /// - Returns: the cursor, also if it was moved there before; nil if it stays where it is, since something took effect that the log no
  ///   longer has.
  func enter(_ epoch: String, after end: LogHead, of publisher: ServiceName) async throws -> LogHead?
}
