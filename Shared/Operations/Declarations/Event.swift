/// Something that happened, published by the service that owns the data to all subscribers.
///
/// An event is a row of its publisher's outbox, written in the transaction of the change it reports; see `Storage.Outbox`.
///
///     public struct FriendRequestSent: Event {
///       public var friendRequestID: ID<FriendRequest>
///       public static let spec = EventSpec("friendRequests.sent", by: .social, requirements: ["SOC-1"], "An account asked another.")
///     }
public protocol Event: Document {
  static var spec: EventSpec { get }
}

/// What an ``Event`` declares beside its fields.
public struct EventSpec: Sendable {
  public let name: String
  public let publisher: ServiceName
  /// Whether the gateway delivers it live to the connections of the account in its field `accountID`, beside whatever else subscribes to it.
  public let isLive: Bool
  public let requirements: [String]
  public let summary: String

  public init(
    _ name: String, by publisher: ServiceName, isLive: Bool = false, requirements: [String], _ summary: String
  ) {
    self.name = name
    self.publisher = publisher
    self.isLive = isLive
    self.requirements = requirements
    self.summary = summary
  }
}

/// An event as it stands in the log of its publisher.
public struct LoggedEvent: Sendable, Hashable {
  /// 1 for the first, without gaps; 0 in a snapshot, whose events have no number in the log.
  public let number: Int64
  public let name: String
  public let at: Instant
  /// W3C trace context of the request that caused it.
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

/// Where a log stands: its epoch, and the number of its last event.
///
/// A store that was lost or put back from a backup begins a new epoch, so that a subscriber never takes old numbers for new ones. One that
/// was put back goes on with the numbers of the copy, and knows for the epochs before which of their events it has: ``EventLog/end(of:)``.
public struct LogHead: Sendable, Hashable {
  public let epoch: String
  public let number: Int64

  public init(epoch: String, number: Int64) {
    self.epoch = epoch
    self.number = number
  }
}

/// The publisher's side of an event log, as the relay and the fetching of missed events need it.
public protocol EventLog: Sendable {
  func head() async throws -> LogHead
  /// The last number of an earlier epoch that the log goes on from: it has that epoch's events up to there, and none of its later ones. Nil
  /// for an epoch that it does not descend from, or of which it no longer knows.
  func end(of epoch: String) async throws -> Int64?
  /// Events of those names (nil: of all) after that number, oldest first, at most `limit` and about `bytes`. Throws
  /// ``EventLogFailure/pruned`` if the next one of any name is no longer kept, or if the log does not go as far as that number.
  func events(after number: Int64, named names: Set<String>?, limit: Int, bytes: Int) async throws -> EventPage
  /// The state as events of those names (nil: of all), for a subscriber without history, after that key; nil as next key means that it
  /// was the last page.
  func snapshot(of names: Set<String>?, after key: String?) async throws -> SnapshotPage
  /// Notes how far a subscriber has come, so that nothing it lacks is pruned.
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

  /// The number before the first one's.
  public let after: Int64
  /// Where the log stands with them.
  public let head: LogHead
  /// Which events are among them; perhaps more.
  public let names: Set<String>
  /// In order; none if they are more than ``maxEvents``.
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
  /// Up to which number nothing is missing that was asked for; the last event's, or beyond.
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
  /// The asked-for events are no longer kept: begin from the snapshot.
  case pruned
}

/// The subscriber's side: effects and cursor in one transaction.
public protocol EventSubscription: Sendable {
  /// Where it stands in the publisher's log; nil before the first event.
  func cursor(of publisher: ServiceName) async throws -> LogHead?
  /// Lets the page's events take effect, in order, and moves the cursor to where it goes, all in one transaction.
  ///
  /// The page holds everything of interest after the number `after`, behind which the cursor must not be. Events at or behind
  /// the cursor are ignored. Throws if an effect fails; then nothing has changed.
  func apply(_ page: EventPage, after number: Int64, of publisher: ServiceName, epoch: String) async throws
  /// Lets a snapshot's page take effect. The cursor moves to `head` when it is the last; until then there is none, since a half-applied
  /// snapshot corresponds to no event number.
  func apply(_ page: SnapshotPage, of publisher: ServiceName, isLast: Bool, from head: LogHead) async throws
  /// Moves the cursor into the epoch that the log began after `end`, if the cursor is in the epoch of `end` and nothing has taken effect here
  /// that came after it. Then no event is missed, and none comes twice.
  ///
  /// - Returns: the cursor, also where it was moved there before; nil if it stays where it is, since something took effect that the log no
  ///   longer has.
  func enter(_ epoch: String, after end: LogHead, of publisher: ServiceName) async throws -> LogHead?
}
