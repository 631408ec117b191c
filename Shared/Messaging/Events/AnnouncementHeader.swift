import Operations

/// The first frame after the topic of an announcement; an event's document is the second.
struct AnnouncementHeader: Document, Hashable {
  enum Kind: String, Choice { case event, burst, heartbeat }

  var kind: Kind
  var epoch: String
  /// The event's number, or the last number of the log.
  var number: Int
  var name: String?
  var after: Int?
  var names: [String]?
  var at: Instant?
  var traceparent: String?

  static let notes: Notes = [
    "kind": "An event, which ones many are, or how far the log goes.", "epoch": Note("The log's present life.", length: 1...128),
    "number": Note("The event's number, or the log's last.", range: 0...9e15), "name": Note("The event's name.", length: 1...128),
    "after": Note("The number before the first of many.", range: 0...9e15), "names": "Which events many are.",
    "at": "When it happened.", "traceparent": Note("W3C trace context of its cause.", length: 1...128),
  ]

  func check(_ fields: inout FieldChecks) {
    switch kind {
    case .event:
      fields.expect(name != nil, "name", FieldRule("required"))
      fields.expect(at != nil, "at", FieldRule("required"))
    case .burst:
      fields.expect(after != nil, "after", FieldRule("required"))
      fields.expect(names != nil, "names", FieldRule("required"))
    case .heartbeat: break
    }
  }
}

extension Announcement {
  var header: AnnouncementHeader {
    switch self {
    case .event(let event, let epoch):
      AnnouncementHeader(
        kind: .event, epoch: epoch, number: Int(event.number), name: event.name, at: event.at, traceparent: event.traceparent)
    case .burst(let names, let after, let head):
      AnnouncementHeader(kind: .burst, epoch: head.epoch, number: Int(head.number), after: Int(after), names: names.sorted())
    case .heartbeat(let head): AnnouncementHeader(kind: .heartbeat, epoch: head.epoch, number: Int(head.number))
    }
  }

  var body: [UInt8] {
    if case .event(let event, _) = self { event.body } else { [] }
  }

  /// The announcement from a received header and body.
  init(header: [UInt8], body: [UInt8]) throws(Failure) {
    let header = try AnnouncementHeader.decode(header)
    if header.kind == .event, let name = header.name, let at = header.at {
      self = .event(
        LoggedEvent(number: Int64(header.number), name: name, at: at, traceparent: header.traceparent, body: body),
        epoch: header.epoch)
    } else if header.kind == .burst, let names = header.names, let after = header.after {
      self = .burst(
        names: Set(names), after: Int64(after), head: LogHead(epoch: header.epoch, number: Int64(header.number)))
    } else {
      self = .heartbeat(LogHead(epoch: header.epoch, number: Int64(header.number)))
    }
  }
}
