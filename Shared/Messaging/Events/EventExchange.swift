public import Operations

/// What every publisher answers over the bus beside its own operations: missed events, its state for new subscribers, and how far a
/// subscriber has come. Names of operations for allow-lists; they are no ``Operation``s, as no single service owns them.
public enum EventExchange: String, CaseIterable, Sendable {
  case fetch = "events.fetch"
  case snapshot = "events.snapshot"
  case acknowledge = "events.acknowledge"

  /// Asks for the events after a number.
  struct FetchInput: Document, Hashable {
    var epoch: String?
    /// Absent: no events, only where the log stands.
    var after: Int?
    /// Absent: events of all names.
    var names: [String]?
    var limit: Int

    static let notes: Notes = [
      "names": Note("Names of the events wanted.", items: 0...1000), "epoch": Note("The epoch of the cursor.", length: 1...128),
      "after": Note("The cursor.", range: 0...9e15), "limit": Note("Most events wanted.", range: 1...1000),
    ]
  }

  /// Where the log stands and the events asked for; none if the epoch is another.
  struct FetchOutput: Document, Hashable {
    var epoch: String
    var number: Int
    /// Up to which nothing is missing that was asked for.
    var through: Int
    var events: [WireEvent]
    /// The last number of the epoch asked about that this log goes on from; absent where it is the present one, or none of those before.
    var endNumber: Int?

    static let notes: Notes = [
      "epoch": "The log's present life.", "number": "The log's last number.", "through": "Up to which nothing is missing.",
      "events": "In order.", "endNumber": "The last number of the earlier epoch asked about that is in this log.",
    ]
  }

  struct SnapshotInput: Document, Hashable {
    var after: String?
    /// Absent: events of all names.
    var names: [String]?

    static let notes: Notes = [
      "after": Note("Key of the page; absent for the first.", length: 1...1024),
      "names": Note("Names of the events wanted: no other part of the state is read.", items: 0...1000),
    ]
  }

  struct SnapshotOutput: Document, Hashable {
    var epoch: String
    var number: Int
    var events: [WireEvent]
    var nextKey: String?

    static let notes: Notes = [
      "epoch": "The log's present life.", "number": "The log's last number when the page was read.", "events": "The state.",
      "nextKey": "Key of the next page; absent on the last.",
    ]
  }

  struct AcknowledgeInput: Document, Hashable {
    var subscriber: ServiceName
    var epoch: String
    var number: Int

    static let notes: Notes = [
      "subscriber": "Whose cursor.", "epoch": Note("Its epoch.", length: 1...128), "number": Note("Its number.", range: 0...9e15),
    ]
  }

  /// A page of events is larger than a document of a client: the bound is the bus' own.
  static let limits = JSONLimits(bytes: 16 << 20, depth: 72)
}

/// A ``LoggedEvent`` inside a page; its document is handed on unread.
struct WireEvent: Document, Hashable {
  var number: Int
  var name: String
  var at: Instant
  var traceparent: String?
  var body: RawJSON

  static let notes: Notes = [
    "number": "Its number in the log.", "name": "What happened.", "at": "When.", "traceparent": "W3C trace context of its cause.",
    "body": "Its document.",
  ]

  init(_ event: LoggedEvent) {
    number = Int(event.number)
    name = event.name
    at = event.at
    traceparent = event.traceparent
    body = RawJSON(event.body)
  }

  var logged: LoggedEvent {
    LoggedEvent(number: Int64(number), name: name, at: at, traceparent: traceparent, body: body.bytes)
  }
}

/// How a fetch can end beside ``RequestFailure``.
public enum EventExchangeFailure: String, FailureCode {
  /// The events asked for are no longer kept.
  case pruned = "events_pruned"

  public var status: Int { 410 }
}
