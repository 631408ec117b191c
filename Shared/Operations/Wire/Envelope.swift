/// The caller of a request, as the gateway or a service states it in the request's header.
public struct Caller: Document, Hashable {
  public enum Kind: String, Choice {
    /// A caller that is not signed in, through the gateway.
    case anonymous
    /// A signed-in account, through the gateway.
    case account
    /// Another service, acting for itself.
    case service
  }

  public var kind: Kind
  public var account: AccountID?
  public var session: SessionID?
  /// Whether the account's e-mail address was verified when its token was made.
  public var isVerified: Bool
  public var isAdministrator: Bool
  /// Whether the session was in doubt when its token was made, see ``DoubtRule``; absent if it was not.
  public var isInDoubt: Bool?
  public var service: ServiceName?
  public var language: Language
  /// The client's network address and user agent, for security events and limits.
  public var address: String?
  public var userAgent: String?

  public init(
    kind: Kind, account: AccountID? = nil, session: SessionID? = nil, isVerified: Bool = false, isAdministrator: Bool = false,
    isInDoubt: Bool? = nil, service: ServiceName? = nil, language: Language = .english, address: String? = nil,
    userAgent: String? = nil
  ) {
    self.kind = kind
    self.account = account
    self.session = session
    self.isVerified = isVerified
    self.isAdministrator = isAdministrator
    self.isInDoubt = isInDoubt
    self.service = service
    self.language = language
    self.address = address
    self.userAgent = userAgent
  }

  /// A service speaking for itself.
  public static func service(_ name: ServiceName) -> Caller { Caller(kind: .service, service: name) }

  public static let notes: Notes = [
    "kind": "Nobody, an account or a service.", "account": "The signed-in account.", "session": "Its session.",
    "isVerified": "Whether its e-mail address is verified.", "isAdministrator": "Whether it administers the system.",
    "isInDoubt": "Whether its session began with a suspicious login that nobody has answered for; absent otherwise.",
    "service": "The calling service.", "language": "Language of the answer.", "address": "The client's network address.",
    "userAgent": "What the client says about itself.",
  ]
}

/// The first frame of a request.
public struct RequestHeader: Document, Hashable {
  /// Identifies the request in the reply and in logs, and as a retry of an earlier one.
  public var id: String
  public var operation: String
  public var caller: Caller
  /// When the caller stops waiting for the reply, and the request is dropped unread. On the reader's clock: a bus that receives a request
  /// converts it to its own clock, by ``leftMilliseconds``.
  public var deadline: Instant
  public var idempotencyKey: String?
  public var traceparent: String?
  /// Path and query parameters by field name.
  public var parameters: [String: String]?
  /// How much time until ``deadline`` was left when the request was given to the connection. It counts instead of the deadline, so that the
  /// clocks of two hosts need not agree. If a peer leaves it out, as a plain REQ socket does, the deadline counts.
  public var leftMilliseconds: Int?
  /// When the request was given to the connection, on a monotonic clock of the sender with any origin. A request that takes longer than the
  /// connection's fastest has waited on the way, and that time counts, too.
  public var sentMilliseconds: Int?

  public init(
    id: String, operation: String, caller: Caller, deadline: Instant, idempotencyKey: String? = nil, traceparent: String? = nil,
    parameters: [String: String]? = nil, leftMilliseconds: Int? = nil, sentMilliseconds: Int? = nil
  ) {
    self.id = id
    self.operation = operation
    self.caller = caller
    self.deadline = deadline
    self.idempotencyKey = idempotencyKey
    self.traceparent = traceparent
    self.parameters = parameters
    self.leftMilliseconds = leftMilliseconds
    self.sentMilliseconds = sentMilliseconds
  }

  /// The longest time that a caller waits, a day; longer times are sent as a day.
  public static let longestMilliseconds = 86_400_000

  public static let notes: Notes = [
    "id": Note("Id of the request.", length: 1...128), "operation": Note("Name of the operation.", length: 1...128),
    "caller": "The caller.", "deadline": "The instant after which nobody waits for the answer.",
    "idempotencyKey": Note("Makes a repetition harmless.", length: 1...255),
    "traceparent": Note("W3C trace context.", length: 1...128), "parameters": "Fields given outside the body.",
    "leftMilliseconds": Note("What was left of the time when it was sent.", range: 0...Double(longestMilliseconds)),
    "sentMilliseconds": Note("When it was sent, on a clock that never jumps.", range: 0...9e15),
  ]
}

/// The first frame of a reply.
public struct ReplyHeader: Document, Hashable {
  public var id: String
  /// HTTP status: 200 or 201 with the output as body, otherwise a ``Failure``.
  public var status: Int
  /// False if the request was certainly not begun, since the service is stopping: it may be sent to its successor without taking effect
  /// twice. Otherwise absent.
  public var wasBegun: Bool?

  public init(id: String, status: Int, wasBegun: Bool? = nil) {
    self.id = id
    self.status = status
    self.wasBegun = wasBegun
  }

  public var isFailure: Bool { status >= 400 }

  public static let notes: Notes = [
    "id": "The request's id.", "status": "200, 201, or the failure's status.",
    "wasBegun": "`false` if the request was certainly not begun and may be sent again; absent otherwise.",
  ]
}

/// A request or reply as it travels: a JSON header and a JSON body.
public struct Message<Header: Document & Hashable>: Sendable, Hashable {
  public var header: Header
  public var body: [UInt8]

  public init(header: Header, body: [UInt8]) {
    self.header = header
    self.body = body
  }
}

public typealias Request = Message<RequestHeader>
public typealias Reply = Message<ReplyHeader>

extension Message where Header == ReplyHeader {
  /// A reply that reports a failure.
  public init(id: String, _ failure: Failure) {
    self.init(header: ReplyHeader(id: id, status: failure.status), body: failure.json)
  }

  /// The output, or the failure thrown.
  public func output<Output: Document>(_ type: Output.Type) throws(Failure) -> Output {
    guard header.isFailure else { return try Output.decode(body, limits: JSONLimits(bytes: 16 << 20)) }
    throw try Failure.decode(body)
  }
}
