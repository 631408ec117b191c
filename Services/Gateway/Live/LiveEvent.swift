import IdentityContract
import Operations

/// An event delivered live as it is (``EventSpec/isLive``), to the connections of the account in its field `accountID`; an event with
/// `isSilent` is delivered to nobody.
///
/// It has no number and no backlog: a client that reconnects reads the data that it shows again.
struct LiveEvent: Sendable, Hashable {
  let account: AccountID
  /// Who published it.
  let service: ServiceName
  /// The event's name, also on the connections.
  let name: String
  /// The event's document as JSON, on one line.
  let payload: [UInt8]
  /// Whether no connection is to notice it.
  let isSilent: Bool

  /// - Parameter name: its present name; the log may still have it under a former one.
  /// - Throws: ``JSONSyntaxError`` or ``LiveFailure`` where the event does not name its account.
  init(_ event: LoggedEvent, named name: String, of service: ServiceName) throws {
    let tape = try JSONTape(event.body, limits: JSONLimits(bytes: 16 << 20))
    guard let raw = tape.rawMember("accountID"), case .string(let account) = try JSONTape(raw).json else {
      throw LiveFailure.notAsAgreed
    }
    self.account = try AccountID(text: account)
    self.service = service
    self.name = name
    payload = JSONLine.of(event.body)
    isSilent = tape.rawMember("isSilent").map { String(decoding: $0, as: UTF8.self) == "true" } ?? false
  }

  /// What a personal access token must allow: reading at the service that published it.
  var scope: ScopeRule { AccessScope(rawValue: "\(service.rawValue):read").map { .needs($0) } ?? .sessionsOnly }
}
