import HTTPTypes
import HummingbirdCore
import NIOCore
import Operations

/// One HTTP request while it is being answered: what its head says, and what is learned on the way.
struct Exchange: Sendable {
  let given: RequestFields
  let name: RequestName
  let trace: TraceContext
  let method: String
  let path: Substring
  let query: Substring
  let isLocal: Bool
  let address: ClientAddress
  let addressText: String?
  /// The account's once it is known, what the request asks for until then.
  var language: Language
  /// How the tightest budget stands, once one was drawn on.
  var standing: (RateLimiter.Standing, RateClass)?
  /// Methods of the path, where the request's is none of them.
  var allowed: String?

  init(_ request: HummingbirdCore.Request, _ remoteAddress: SocketAddress?) {
    given = RequestFields(request.headers)
    name = RequestName(given: given.requestID)
    trace = given.traceparent.flatMap { TraceContext(traceparent: $0) } ?? TraceContext()
    method = request.method.rawValue
    let target = request.head.path ?? "/"
    if let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) {
      path = target[..<mark]
      query = target[target.utf8.index(after: mark)...]
    } else {
      path = target[...]
      query = ""
    }
    isLocal = ClientAddress.isLoopback(remoteAddress)
    address = ClientAddress(remoteAddress)
    addressText = remoteAddress?.ipAddress
    language = Language(acceptLanguage: given.acceptLanguage)
  }
}

/// A complete answer, before the fields that every answer has.
struct HTTPAnswer: Sendable {
  var status: HTTPResponse.Status
  var type: String
  var body: ByteBuffer
  /// Fields of this answer alone.
  var extra = HTTPFields()

  static func json(_ status: Int, _ body: [UInt8]) -> HTTPAnswer {
    HTTPAnswer(status: .init(code: status), type: "application/json", body: ByteBuffer(bytes: body))
  }
}
