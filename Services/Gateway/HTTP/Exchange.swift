import NIOCore
import NIOHTTP1
import Operations

/// One HTTP request while it is being answered: what its head says, and what is learned on the way.
struct Exchange: Sendable {
  let given: RequestFields
  /// All fields, for what few requests ask.
  let headers: HTTPHeaders
  let name: RequestName
  let trace: TraceContext
  let method: String
  let path: Substring
  let query: Substring
  /// In a target in absolute form, which stands above the `Host` header (RFC 9112, section 3.2.2).
  private let targetAuthority: Substring?
  /// Whether the client must be told that the connection goes on (RFC 9112, section 9.3).
  let isHTTP10: Bool
  let isLocal: Bool
  let address: ClientAddress
  let addressText: String?
  /// The account's once it is known, what the request asks for until then.
  var language: Language
  /// How the tightest budget stands, once one was drawn on.
  var standing: (RateLimiter.Standing, RateClass)?
  /// Methods of the path, where the request's is none of them.
  var allowed: String?

  init(_ head: HTTPRequestHead, _ peer: Peer) {
    given = RequestFields(head.headers)
    headers = head.headers
    name = RequestName(given: given.requestID)
    trace = given.traceparent.flatMap { TraceContext(traceparent: $0) } ?? TraceContext()
    method = head.method.rawValue
    // One that cannot be read is refused before it gets here; the refusal needs no path.
    let target = RequestTarget(head.uri)
    path = target?.path ?? ""
    query = target?.query ?? ""
    targetAuthority = target?.authority
    isHTTP10 = head.version == .http1_0
    isLocal = peer.isLocal
    address = peer.address
    addressText = peer.text
    language = Language(acceptLanguage: given.acceptLanguage)
  }

  /// Host and port as the request names them; nil where it names none.
  var authority: String? { targetAuthority.map(String.init) ?? headers.first(name: "Host") }
}

/// The other end of a connection.
struct Peer: Sendable {
  let address: ClientAddress
  let text: String?
  let isLocal: Bool

  init(_ address: SocketAddress?) {
    self.address = ClientAddress(address)
    text = address?.ipAddress
    isLocal = ClientAddress.isLoopback(address)
  }
}

/// A complete answer, before the fields that every answer has.
struct HTTPAnswer: Sendable {
  var status: Int
  var type: String
  var body: ByteBuffer
  /// Fields of this answer alone.
  var extra: [ResponseField] = []
  /// A content security policy in place of the strictest.
  var policy: String?
  /// Whether the client may keep it, as long as it asks each time whether it is still the same.
  var isKept = false

  static func json(_ status: Int, _ body: [UInt8]) -> HTTPAnswer {
    HTTPAnswer(status: status, type: "application/json", body: ByteBuffer(bytes: body))
  }
}
