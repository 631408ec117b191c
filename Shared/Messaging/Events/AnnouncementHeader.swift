import Operations

/// The first frame after the topic of what a teller publishes; an event's document is the second.
struct AnnouncementHeader: Document, Hashable {
  enum Kind: String, Choice { case event, heartbeat }

  var kind: Kind
  var epoch: String
  /// The event's number, or the last number of the log.
  var number: Int
  var name: String?
  var at: Instant?
  var traceparent: String?

  static let notes: Notes = [
    "kind": "An event, or how far the log goes.", "epoch": Note("The log's present life.", length: 1...128),
    "number": Note("The event's number, or the log's last.", range: 0...9e15), "name": Note("The event's name.", length: 1...128),
    "at": "When it happened.", "traceparent": Note("W3C trace context of its cause.", length: 1...128),
  ]

  func check(_ fields: inout FieldChecks) {
    guard kind == .event else { return }
    fields.expect(name != nil, "name", FieldRule("required"))
    fields.expect(at != nil, "at", FieldRule("required"))
  }
}

extension Announcement {
  var header: AnnouncementHeader {
    switch self {
    case .event(let event, let epoch):
      AnnouncementHeader(
        kind: .event, epoch: epoch, number: Int(event.number), name: event.name, at: event.at, traceparent: event.traceparent)
    case .heartbeat(let head): AnnouncementHeader(kind: .heartbeat, epoch: head.epoch, number: Int(head.number))
    }
  }

  var body: [UInt8] {
    if case .event(let event, _) = self { event.body } else { [] }
  }

  /// From a header and a body as they came.
  init(header: [UInt8], body: [UInt8]) throws(Failure) {
    let header = try AnnouncementHeader.decode(header)
    if header.kind == .event, let name = header.name, let at = header.at {
      self = .event(
        LoggedEvent(number: Int64(header.number), name: name, at: at, traceparent: header.traceparent, body: body),
        epoch: header.epoch)
    } else {
      self = .heartbeat(LogHead(epoch: header.epoch, number: Int64(header.number)))
    }
  }
}
