public import Operations

extension FeatureContract {
  static let ownSessions = FeatureContract(operations: [ListSessions.self, CloseSession.self, CloseOtherSessions.self])
}

/// Where a session was last seen, as far as its network address shows.
public struct SessionPlace: Document, Hashable {
  /// How much is known.
  public enum Kind: String, Choice {
    /// The machine on which Racha runs.
    case thisComputer
    /// A private network, without a public address.
    case privateNetwork
    /// A network of the internet.
    case network
    /// A city or a country, by the database of places.
    case located
    case unknown
  }

  public var kind: Kind
  public var network: String?
  public var city: String?
  public var country: String?
  public var name: String

  public init(kind: Kind, network: String?, city: String? = nil, country: String? = nil, name: String) {
    self.kind = kind
    self.network = network
    self.city = city
    self.country = country
    self.name = name
  }

  public static let notes: Notes = [
    "kind": "How precisely the place is known.",
    "network": Note("The network of the address: an IPv4 /24 or an IPv6 /48.", example: "192.0.2.0/24"),
    "city": Note("The city, in the account's language if the database of places has it.", example: "Madrid"),
    "country": Note("The country, in the account's language if the database of places has it.", example: "Spain"),
    "name": Note("The place in words, in the account's language.", example: "Madrid, Spain"),
  ]
}

/// One of the account's signed-in devices, as its owner sees it.
public struct OwnSession: Document, Hashable {
  public var id: SessionID
  public var device: String
  public var program: String?
  public var place: SessionPlace
  public var createdAt: Instant
  public var lastSeenAt: Instant
  public var expiresAt: Instant
  public var isCurrent: Bool

  public init(
    id: SessionID, device: String, program: String?, place: SessionPlace, createdAt: Instant, lastSeenAt: Instant,
    expiresAt: Instant, isCurrent: Bool
  ) {
    self.id = id
    self.device = device
    self.program = program
    self.place = place
    self.createdAt = createdAt
    self.lastSeenAt = lastSeenAt
    self.expiresAt = expiresAt
    self.isCurrent = isCurrent
  }

  public static let notes: Notes = [
    "id": "The session's id.",
    "device": Note(
      "The name that the client gave its device, otherwise what the device runs, otherwise that it is unknown.",
      example: "Ana's phone"),
    "program": Note("What the client says it runs; unverified.", example: "Firefox on Linux"),
    "place": "Where it was last seen.", "createdAt": "When it logged in.",
    "lastSeenAt": "When it last got tokens, as a session in use does every ten minutes; now for the calling session.",
    "expiresAt": "When it ends unless it is refreshed.", "isCurrent": "Whether it is the calling session.",
  ]
}

/// Lists the account's sessions that have not ended, the newest login first. A session in doubt reads itself alone: the others would show
/// it what its account is known by.
public enum ListSessions: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<OwnSession>

  public static let spec = OperationSpec(
    "sessions.list", of: .identity, .get("/v1/sessions"), by: .account, effect: .read, requirements: ["ID-6"],
    "Lists the caller's sessions: device, place, when last seen, and which one is the calling session.")
}

/// Closes one of the account's sessions: it ends at once, in every service, and its device is notified live.
///
/// Closing it twice is harmless. Another account's session is `not_found`.
public enum CloseSession: AccountOperation {
  public struct Input: Document, Hashable {
    public var sessionID: SessionID

    public init(sessionID: SessionID) { self.sessionID = sessionID }

    public static let notes: Notes = ["sessionID": "The session to close."]
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "sessions.close", of: .identity, .delete("/v1/sessions/{sessionID}"), by: .account, effect: .write,
    inDoubt: .allowed, failures: [RequestFailure.notFound.kind, RequestFailure.loginUnanswered.kind],
    usesReserve: true, requirements: ["ID-6", "ID-7"],
    "Closes one of the caller's sessions.")
}

/// Closes all of the account's sessions but the calling one.
public enum CloseOtherSessions: AccountOperation {
  public typealias Input = Empty

  public struct Output: Document, Hashable {
    public var closedCount: Int

    public init(closedCount: Int) { self.closedCount = closedCount }

    public static let notes: Notes = ["closedCount": Note("The number of closed sessions.", range: 0...1_000_000, example: 2)]
  }

  public static let spec = OperationSpec(
    "sessions.closeOthers", of: .identity, .delete("/v1/sessions"), by: .account, effect: .write,
    usesReserve: true, requirements: ["ID-6", "ID-7"],
    "Closes all of the caller's sessions but the calling one.")
}
