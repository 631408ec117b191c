import HTTPTypes
import Operations

/// The header fields that the gateway reads, found in one pass.
struct RequestFields: Sendable {
  private(set) var token: String?
  private(set) var contentType: String?
  private(set) var contentLength: String?
  private(set) var requestID: String?
  private(set) var traceparent: String?
  private(set) var idempotencyKey: String?
  private(set) var acceptLanguage: String?
  private(set) var userAgent: String?
  private(set) var origin: String?
  private(set) var lastEventID: String?
  private(set) var requestedMethod: String?
  private(set) var expectsContinue = false
  private(set) var closesConnection = false

  init(_ fields: HTTPFields) {
    for field in fields {
      switch field.name.canonicalName {
      case "authorization": token = RequestFields.bearer(field.value)
      case "content-type": contentType = field.value
      case "content-length": contentLength = field.value
      case "x-request-id": requestID = field.value
      case "traceparent": traceparent = field.value
      case "idempotency-key": idempotencyKey = field.value
      case "accept-language": acceptLanguage = field.value
      case "user-agent": userAgent = String(field.value.prefix(200))
      case "origin": origin = field.value
      case "last-event-id": lastEventID = field.value
      case "access-control-request-method": requestedMethod = field.value
      case "expect": expectsContinue = field.value.lowercased() == "100-continue"
      case "connection": closesConnection = field.value.lowercased() == "close"
      default: break
      }
    }
  }

  /// The token of `Bearer <token>` (RFC 6750, section 2.1); other schemes are not ours and count as an empty token.
  private static func bearer(_ value: String) -> String {
    guard value.utf8.count > 7, value.prefix(7).lowercased() == "bearer " else { return "" }
    return String(value.dropFirst(7).drop { $0 == " " })
  }

  /// Whether the body is JSON: `application/json`, in UTF-8 if it names a charset.
  var isJSON: Bool {
    guard let contentType else { return false }
    if contentType == "application/json" { return true }
    let parts = contentType.split(separator: ";").map { $0.lowercased().filter { $0 != " " && $0 != "\t" } }
    return parts.first == "application/json"
      && parts.dropFirst().allSatisfy { $0 == "charset=utf-8" || $0 == "charset=\"utf-8\"" }
  }

  /// The idempotency key, checked: 1 to 255 visible ASCII characters.
  func checkedIdempotencyKey() throws(Failure) -> String? {
    guard let idempotencyKey else { return nil }
    guard RequestFields.isIdempotencyKey(idempotencyKey) else { throw Failure(RequestFailure.idempotencyKeyInvalid) }
    return idempotencyKey
  }

  static func isIdempotencyKey(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
