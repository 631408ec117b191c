import NIOCore
import NIOHTTP1
import Operations
import ServiceKit

/// One HTTP request while it is being answered: what its head says, and what is learned later.
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
  /// Whether the client must learn that the connection goes on (RFC 9112, section 9.3).
  let isHTTP10: Bool
  let isLocal: Bool
  let address: ClientAddress
  let addressText: String?
  /// The account's once it is known, what the request asks for until then.
  var language: Language
  /// How the tightest budget stands, once one was drawn on.
  var standing: (RateLimiter.Standing, RateClass)?
  /// The methods of the path, where the request's method is not among them.
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
    let client = peer.client(head.headers)
    isLocal = client.isLocal
    address = client.address
    addressText = client.text
    language = Language(acceptLanguage: given.acceptLanguage)
  }

  /// Host and port as the request names them; nil where it names none.
  var authority: String? { targetAuthority.map(String.init) ?? headers.first(name: "Host") }
}

/// The other end of a connection.
struct Peer: Sendable {
  /// Whom a request comes from.
  struct Client: Sendable {
    let address: ClientAddress
    let text: String?
    /// Whether it comes from this machine; never by what a proxy says.
    let isLocal: Bool
  }

  private let own: Client
  /// Where the peer is a trusted proxy: its address, and the proxies to skip in its list.
  private let forwarding: (address: IPAddress, proxies: TrustedProxies)?

  /// - Parameter proxies: nil where no proxy is believed.
  init(_ address: SocketAddress?, proxies: TrustedProxies? = nil) {
    let known = IPAddress(address)
    own = Client(
      address: ClientAddress(address), text: address?.ipAddress, isLocal: known?.isLoopback ?? (address?.protocol == .unix))
    forwarding = known.flatMap { known in proxies.flatMap { $0.contains(known) ? (known, $0) : nil } }
  }

  /// Whether requests are other people's.
  var isProxy: Bool { forwarding != nil }

  /// Whom a request with such fields comes from.
  func client(_ headers: HTTPHeaders) -> Client {
    guard let (address, proxies) = forwarding else { return own }
    let values = headers[proxies.field.rawValue]
    guard !values.isEmpty else { return own }
    let client = proxies.client(behind: address, values)
    return Client(address: ClientAddress(client), text: client.text, isLocal: false)
  }
}

/// A complete answer, before the fields that every answer has.
struct HTTPAnswer: Sendable {
  var status: Int
  var type: String
  var body: ByteBuffer
  /// Fields of this answer alone.
  var extra: [ResponseField] = []
  /// A content security policy instead of the strictest.
  var policy: String?
  /// Whether the client may keep it.
  var caching = Caching.none
  /// Whether the body is one for all who ask, so that it takes no room of its own.
  var isShared = false

  /// Whether and how a client may cache an answer (RFC 9111, section 5.2.2). A cached answer is for that client alone, unless it is public.
  enum Caching: String, Sendable {
    case none = "no-store"
    /// Cached, but revalidated with each request.
    case revalidated = "private, no-cache"
    /// For a year without asking: the same address never has another answer (RFC 8246).
    case immutable = "private, max-age=31536000, immutable"
    /// The same by anybody for everybody.
    case publicImmutable = "public, max-age=31536000, immutable"
    /// For a second by anybody: so often there is another one.
    case publicForASecond = "public, max-age=1"

    init(_ file: MediaFile) {
      self =
        switch (file.isPublic == true, file.isImmutable == true) {
        case (true, true): .publicImmutable
        case (true, false): .publicForASecond
        case (false, true): .immutable
        case (false, false): .revalidated
        }
    }
  }

  static func json(_ status: Int, _ body: [UInt8]) -> HTTPAnswer {
    HTTPAnswer(status: status, type: "application/json", body: ByteBuffer(bytes: body))
  }
}
