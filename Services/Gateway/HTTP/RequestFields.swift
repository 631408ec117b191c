import GatewayContract
import NIOHTTP1
import Operations

/// The header fields that the gateway reads, found in one pass.
struct RequestFields: Sendable {
  private(set) var token: String?
  private(set) var contentType: String?
  private(set) var requestID: String?
  private(set) var traceparent: String?
  private(set) var idempotencyKey: String?
  private(set) var acceptLanguage: String?
  private(set) var userAgent: String?
  private(set) var origin: String?
  private(set) var lastEventID: String?
  private(set) var requestedMethod: String?
  /// What was done to the body (RFC 9110, section 8.4).
  private(set) var contentCoding: String?
  private(set) var ifNoneMatch: String?
  /// A field that occurs twice although it is not a list (RFC 9110, section 5.3), so that its value is ambiguous.
  private(set) var repeated: StaticString?

  init(_ headers: HTTPHeaders) {
    for (name, value) in headers {
      // Most names are distinguished by their length alone.
      switch name.utf8.count {
      case 6: if name.isField("origin") { RequestFields.keep(value, in: &origin, "Origin", &repeated) }
      case 10: if name.isField("user-agent") { userAgent = RequestFields.shown(value) }
      case 11:
        // Of two neither counts, and a new trace begins, as the W3C's tests of trace contexts ask.
        if name.isField("traceparent") { traceparent = traceparent == nil ? value : "" }
      case 12:
        if name.isField("content-type") {
          RequestFields.keep(value, in: &contentType, "Content-Type", &repeated)
        } else if name.isField("x-request-id") {
          // A proxy may have added its own: of two neither counts.
          requestID = requestID == nil ? value : ""
        }
      case 13:
        if name.isField("authorization") {
          token = RequestFields.bearer(value)
        } else if name.isField("last-event-id") {
          RequestFields.keep(value, in: &lastEventID, "Last-Event-ID", &repeated)
        } else if name.isField("if-none-match") {
          ifNoneMatch = ifNoneMatch.map { "\($0),\(value)" } ?? value
        }
      case 15:
        if name.isField("accept-language") {
          acceptLanguage = acceptLanguage.map { "\($0),\(value)" } ?? value
        } else if name.isField("idempotency-key") {
          RequestFields.keep(value, in: &idempotencyKey, "Idempotency-Key", &repeated)
        }
      case 16:
        // Several fields are one list.
        if name.isField("content-encoding") { contentCoding = contentCoding.map { "\($0), \(value)" } ?? value }
      case 29: if name.isField("access-control-request-method") { requestedMethod = value }
      default: break
      }
    }
  }

  private static func keep(
    _ value: String, in field: inout String?, _ name: StaticString, _ repeated: inout StaticString?
  ) {
    if field != nil { repeated = name }
    field = value
  }

  /// Most bytes of a field that is kept for people to read.
  static let maxShownBytes = 200

  /// Text for people, bounded and without the tabs that a field may hold: services take no control characters.
  private static func shown(_ value: String) -> String {
    let text = value.beginning(maxBytes: maxShownBytes)
    guard text.utf8.contains(0x09) else { return text }
    return String(decoding: text.utf8.map { $0 == 0x09 ? 0x20 : $0 }, as: UTF8.self)
  }

  /// The token of `Bearer <token>` (RFC 6750, section 2.1); other schemes are not ours and count as an empty token.
  private static func bearer(_ value: String) -> String {
    guard value.utf8.count > 7, String(decoding: value.utf8.prefix(7), as: UTF8.self).isField("bearer ") else { return "" }
    return String(decoding: value.utf8.dropFirst(7).drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
  }

  /// Whether the body is JSON: `application/json`, in UTF-8 if it names a charset.
  var isJSON: Bool {
    guard let contentType else { return false }
    return contentType == "application/json" || RequestFields.isUTF8(contentType, "application/json")
  }

  /// Whether the body is a form's, as ``isJSON``.
  var isForm: Bool { contentType.map { RequestFields.isUTF8($0, "application/x-www-form-urlencoded") } ?? false }

  /// Whether the body is of that media type; `image/*` stands for every image.
  func isMedia(_ mediaType: String) -> Bool {
    let end = contentType?.utf8.firstIndex { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: " ") }
    guard let given = contentType.map({ $0[..<(end ?? $0.endIndex)].asciiLowercased }) else { return false }
    return mediaType.ends(with: "/*") ? given.begins(with: mediaType.dropLast()) : given.isSame(as: mediaType)
  }

  /// Whether the client has what that entity tag names (RFC 9110, section 13.1.2: a weak comparison).
  func knows(_ tag: String) -> Bool {
    guard let ifNoneMatch else { return false }
    return ifNoneMatch.split(at: ",").contains { given in
      let given = given.withoutBlanks
      return given.isSame(as: "*") || given.isSame(as: tag) || given.isSame(as: "W/\(tag)")
    }
  }

  private static func isUTF8(_ contentType: String, _ media: String) -> Bool {
    let bytes = contentType.asciiLowercased.utf8.filter { $0 != UInt8(ascii: " ") && $0 != 0x09 }
    let parts = bytes.split(separator: UInt8(ascii: ";")).map { String(decoding: $0, as: UTF8.self) }
    return parts.first?.isSame(as: media) == true
      && parts.dropFirst().allSatisfy { $0.isSame(as: "charset=utf-8") || $0.isSame(as: "charset=\"utf-8\"") }
  }

  /// Refuses a body with a content coding: the services after the gateway could not read it.
  func checkContentCoding() throws(Failure) {
    guard let contentCoding else { return }
    let coding = RequestFields.shown(contentCoding)
    // `identity` is no coding at all, though some clients name it.
    guard contentCoding.isEmpty || contentCoding.isField("identity") else {
      throw Failure(GatewayFailure.unsupportedContentCoding, ["coding": .text(coding)])
    }
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

extension HTTPHeaders {
  /// Trims the white space after the values, which is not part of them (RFC 9110, section 5.5) and which the parser leaves; it trims that
  /// before them itself. Done once, before any value is read, so that all code sees the same.
  ///
  /// - Returns: the names of the fields that were trimmed.
  mutating func trimValues() -> [String] {
    // Hardly anybody sends any: then nothing is copied.
    guard contains(where: { $0.value[...].endsInWhiteSpace }) else { return [] }
    let trimmed = filter { $0.value[...].endsInWhiteSpace }.map { $0.name }
    self = HTTPHeaders(
      map { name, value in
        var rest = value[...]
        while rest.endsInWhiteSpace { rest = rest[..<rest.utf8.index(before: rest.endIndex)] }
        return (name, String(rest))
      })
    return trimmed
  }
}

extension Substring {
  fileprivate var endsInWhiteSpace: Bool { utf8.last == UInt8(ascii: " ") || utf8.last == UInt8(ascii: "\t") }
}

extension String {
  /// Whether this is that field's name, which is given in lower case (RFC 9110, section 5.1: names have no case).
  func isField(_ lowercase: StaticString) -> Bool {
    guard utf8.count == lowercase.utf8CodeUnitCount else { return false }
    var position = 0
    for byte in utf8 {
      let folded = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
      guard folded == lowercase.utf8Start[position] else { return false }
      position += 1
    }
    return true
  }
}
