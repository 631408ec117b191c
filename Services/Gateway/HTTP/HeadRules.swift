import GatewayContract
import NIOHTTP1
import Operations

/// The rules by which requests are accepted from their heads.
///
/// A request that RFC 9112 calls ambiguous (no `Host` or two, both `Content-Length` and `Transfer-Encoding`) is answered 400 and the
/// connection closed, since it is unclear where the next request begins (section 6.3; request smuggling). So is a request with credentials
/// given twice.
struct HeadRules: Sendable {
  /// Largest body, in bytes.
  let body: Int
  /// Whether nothing but health may be asked.
  let isForHealth: Bool

  /// - Parameters:
  ///   - trimmed: names of the fields from whose values white space was taken away.
  ///   - limit: the largest body, where it is another than that of all requests.
  /// - Returns: whether the request asks for another protocol.
  /// - Throws: why it is not taken.
  func check(
    _ head: HTTPRequestHead, trimmed: [String], body limit: Int? = nil
  ) throws(Failure) -> UpgradeRequest {
    let body = limit ?? body
    let fields = FramingFields(head.headers)
    // There is no tunnel to anywhere (RFC 9110, section 9.3.6).
    guard head.method != .CONNECT else { throw Failure(GatewayFailure.unknownMethod) }
    // RFC 9112, section 6.1: a sender of one with HTTP/1.0 may have forwarded a request that it did not understand.
    guard fields.codings.isEmpty || head.version != .http1_0 else { throw Malformation.unclearLength.failure() }
    guard fields.hosts == 1 || (fields.hosts == 0 && head.version == .http1_0) else { throw Malformation.oneHost.failure() }
    guard fields.isHostWellFormed else { throw Malformation.host.failure() }
    guard fields.authorizations <= 1 else { throw Malformation.oneField.failure(["field": .text("Authorization")]) }
    guard let target = RequestTarget(head.uri) else { throw Malformation.target.failure() }
    guard fields.lengths.count + fields.codings.count <= 1, fields.codings.allSatisfy({ $0.isField("chunked") }) else {
      throw Malformation.unclearLength.failure()
    }
    // The parser has seen to it that it is a number; one that is none here is beyond all.
    if let length = fields.lengths.first, Int(length) ?? .max > body {
      throw Failure(RequestFailure.bodyTooLarge, ["limit": .number(body)])
    }
    let upgrade = fields.asksForUpgrade ? UpgradeRequest(head.headers) : .none
    // With `Upgrade`, the parser takes a coding that it does not know to the letter for no body at all.
    guard upgrade == .none || !trimmed.contains(where: { $0.isField("transfer-encoding") }) else {
      throw Malformation.unclearLength.failure()
    }
    guard !isForHealth || HeadRules.isAboutHealth(head.method, target) else { throw HTTPConnectionLimits.tooManyConnections }
    return upgrade
  }

  private static func isAboutHealth(_ method: HTTPMethod, _ target: RequestTarget) -> Bool {
    (method == .GET || method == .HEAD) && SystemEndpoint(rawValue: String(target.path))?.isHealth == true
  }
}

/// The fields that say where a request goes and where it ends, found in one pass.
private struct FramingFields {
  var hosts = 0
  var isHostWellFormed = true
  var authorizations = 0
  var lengths: [String] = []
  var codings: [String] = []
  var asksForUpgrade = false

  init(_ headers: HTTPHeaders) {
    for (name, value) in headers {
      switch name.utf8.count {
      case 4:
        if name.isField("host") {
          hosts += 1
          isHostWellFormed = isHostWellFormed && Authority.isWellFormed(value[...])
        }
      case 13: if name.isField("authorization") { authorizations += 1 }
      case 14: if name.isField("content-length") { lengths.append(value) }
      case 17: if name.isField("transfer-encoding") { codings.append(value) }
      // An upgrade without a value asks for nothing, and NIO's decoder continues after it by itself.
      case 7: if name.isField("upgrade"), !value.isEmpty { asksForUpgrade = true }
      default: break
      }
    }
  }
}
