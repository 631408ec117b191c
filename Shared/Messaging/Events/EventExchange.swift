public import Operations

/// What every publisher answers over the bus in addition to its own operations: missed events, its state for new subscribers, and
/// subscribers' acknowledgements. The names are for allow-lists; they are no ``Operation``s, as no single service owns them.
public enum EventExchange: String, CaseIterable, Sendable {
  case fetch = "events.fetch"
  case snapshot = "events.snapshot"
  case acknowledge = "events.acknowledge"

  /// Asks for the events after a number.
  struct FetchInput: Document, Hashable {
    var epoch: String?
    /// Absent: no events, only the log's position.
    var after: Int?
    /// Absent: events of all names.
    var names: [String]?
    var limit: Int

    static let notes: Notes = [
      "names": Note("Names of the events wanted.", items: 0...1000), "epoch": Note("The epoch of the cursor.", length: 1...128),
      "after": Note("The cursor.", range: 0...9e15), "limit": Note("The maximum number of events.", range: 1...1000),
    ]
  }

  /// The log's position and the requested events; none if the epoch is another.
  struct FetchOutput: Document, Hashable {
    var epoch: String
    var number: Int
    /// The number up to which no requested event is missing.
    var through: Int
    var events: [WireEvent]
    /// The last number of the requested epoch that this log continues from; absent for the present epoch, and for one that it does not
    /// descend from.
    var endNumber: Int?

    static let notes: Notes = [
      "epoch": "The log's present life.", "number": "The log's last number.", "through": "Up to which nothing is missing.",
      "events": "The events, in order.", "endNumber": "The last number of the earlier epoch asked about that is in this log.",
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
      "subscriber": "The service whose cursor it is.", "epoch": Note("Its epoch.", length: 1...128),
      "number": Note("Its number.", range: 0...9e15),
    ]
  }

  /// A page of events may be larger than a client's document: the limit is the bus's own.
  static let limits = JSONLimits(bytes: 16 << 20, depth: 72)
}

/// A ``LoggedEvent`` inside a page; its document is passed on unread.
struct WireEvent: Document, Hashable {
  var number: Int
  var name: String
  var at: Instant
  var traceparent: String?
  var body: RawJSON

  static let notes: Notes = [
    "number": "Its number in the log.", "name": "What happened.", "at": "When it happened.",
    "traceparent": "W3C trace context of its cause.",
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

/// How a fetch can fail, in addition to ``RequestFailure``.
public enum EventExchangeFailure: String, FailureCode {
  /// The requested events are no longer kept.
  case pruned = "events_pruned"

  public var status: Int { 410 }
}
