import Messaging
import Operations

/// Something that is delivered live: the event that reports it, and the operation that lists what was missed.
///
/// Both carry a number that counts without gaps for each account, so that a connection notices what it lacks. Another kind of
/// live message is another value of this type.
struct LiveSource: Sendable {
  /// Name of the SSE event; the JSON-RPC notification is `live.<name>`.
  let name: String
  /// Who publishes the event and serves the backlog.
  let service: ServiceName
  /// The event. Its document holds `accountID`, `number` and, as the member ``payload``, what clients get.
  let event: EventSpec
  let payload: String
  /// Name of the operation that takes `after` and `limit` and gives `items`, each with a `number`, `lastNumber`, and `nextAfter` where a page
  /// ends early.
  let backlog: String

  init<E: Event, O: Operation>(_ name: String, event: E.Type, payload: String, backlog: O.Type) {
    self.name = name
    service = E.spec.publisher
    self.event = E.spec
    self.payload = payload
    self.backlog = O.spec.name
  }

  /// The message in an event.
  ///
  /// - Throws: ``JSONSyntaxError`` or ``LiveFailure`` where the event breaks its contract.
  func message(_ event: LoggedEvent) throws -> LiveMessage {
    let tape = try JSONTape(event.body, limits: JSONLimits(bytes: 16 << 20))
    guard case .string(let accountText)? = try LiveSource.value(tape, "accountID"), let payload = tape.rawMember(payload) else {
      throw LiveFailure.notAsAgreed
    }
    return LiveMessage(account: try AccountID(text: accountText), number: try LiveSource.number(tape, "number"), payload: payload)
  }

  /// What came after that number, oldest first, the number of the newest there is, and where to go on if the page ends early.
  ///
  /// - Throws: the ``Failure`` of the reply, or as ``message(_:)``.
  func page(of account: AccountID, _ reply: Reply) throws -> (messages: [LiveMessage], lastNumber: Int, nextAfter: Int?) {
    if reply.header.isFailure { throw try Failure.decode(reply.body) }
    let tape = try JSONTape(reply.body, limits: JSONLimits(bytes: 16 << 20))
    guard let items = tape.rawMember("items") else { throw LiveFailure.notAsAgreed }
    let messages = try JSONTape(items, limits: JSONLimits(bytes: 16 << 20)).rawElements.map { item in
      LiveMessage(account: account, number: try LiveSource.number(JSONTape(item), "number"), payload: item)
    }
    let nextAfter = try tape.rawMember("nextAfter").map { _ in try LiveSource.number(tape, "nextAfter") }
    return (messages, try LiveSource.number(tape, "lastNumber"), nextAfter)
  }

  private static func value(_ tape: JSONTape, _ name: String) throws(JSONSyntaxError) -> JSON? {
    guard let raw = tape.rawMember(name) else { return nil }
    return try JSONTape(raw).json
  }

  private static func number(_ tape: JSONTape, _ name: String) throws -> Int {
    guard case .integer(let number)? = try value(tape, name) else { throw LiveFailure.notAsAgreed }
    return number
  }
}

/// A message for the live connections of one account.
struct LiveMessage: Sendable, Hashable {
  let account: AccountID
  let number: Int
  /// JSON, on one line.
  let payload: [UInt8]

  init(account: AccountID, number: Int, payload: [UInt8]) {
    self.account = account
    self.number = number
    self.payload = JSONLine.of(payload)
  }
}

/// JSON without line breaks, which separate messages on both kinds of live connection. Inside strings JSON has none.
enum JSONLine {
  static func of(_ json: [UInt8]) -> [UInt8] {
    guard json.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { return json }
    return json.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
  }
}

/// An error of live delivery on the server's side.
enum LiveFailure: Error {
  /// An event or a backlog lacks what its contract promises.
  case notAsAgreed
}
