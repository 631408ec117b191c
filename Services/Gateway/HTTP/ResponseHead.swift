import NIOCore
import NIOHTTP1
import Operations

/// One field of an answer.
struct ResponseField: Sendable, Hashable {
  let name: StaticName
  let value: String

  /// Names are ours alone, so that nothing a client sends can become one.
  struct StaticName: Sendable, Hashable, ExpressibleByStringLiteral {
    let text: String
    init(stringLiteral value: StaticString) { text = value.description }
  }
}

/// Writes the heads of answers: a common part that is made once as bytes, and then the part of this answer.
struct ResponseHeads: Sendable {
  private let common: [UInt8]
  private let policies: [RateClass: String]
  private let allowedOrigins: Set<String>
  private let date: HTTPDate

  init(_ configuration: GatewayConfiguration, clock: Clock) {
    date = HTTPDate(clock)
    allowedOrigins = Set(configuration.allowedOrigins)
    var common = "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
    if configuration.certificate != nil { common += "Strict-Transport-Security: max-age=31536000\r\n" }
    if !configuration.allowedOrigins.isEmpty { common += "Vary: Origin\r\n" }
    self.common = Array(common.utf8)
    policies = Dictionary(uniqueKeysWithValues: RateClass.allCases.map { ($0, "\"\($0.rawValue)\"") })
  }

  /// What pages may do that no page of ours says of itself: nothing.
  static let strictPolicy = "default-src 'none'; frame-ancestors 'none'"

  /// The bytes of an answer's head.
  ///
  /// - Parameters:
  ///   - length: nil where the answer ends with the connection.
  ///   - keepsAlive: whether the connection goes on after the answer.
  func write(_ answer: HTTPAnswer, _ exchange: Exchange, length: Int?, keepsAlive: Bool, to buffer: inout ByteBuffer) {
    buffer.writeStaticString("HTTP/1.1 ")
    buffer.writeString(ResponseHeads.status(answer.status))
    buffer.writeStaticString("\r\n")
    buffer.writeBytes(common)
    field("Cache-Control", answer.caching.rawValue, &buffer)
    field("Date", date.text, &buffer)
    field("X-Request-ID", exchange.name.outer, &buffer)
    let hasBody = answer.status != 204 && answer.status != 304
    if hasBody { field("Content-Type", answer.type, &buffer) }
    if let length, hasBody { field("Content-Length", String(length), &buffer) }
    field("Content-Security-Policy", answer.policy ?? ResponseHeads.strictPolicy, &buffer)
    if let (standing, rateClass) = exchange.standing { write(standing, rateClass, &buffer) }
    if let origin = exchange.given.origin, isAllowed(origin) {
      field("Access-Control-Allow-Origin", origin, &buffer)
      field("Access-Control-Expose-Headers", "ETag, X-Request-ID, RateLimit, RateLimit-Policy, Retry-After", &buffer)
    }
    for field in answer.extra { self.field(field.name, field.value, &buffer) }
    if !keepsAlive {
      field("Connection", "close", &buffer)
    } else if exchange.isHTTP10 {
      field("Connection", "keep-alive", &buffer)
    }
    buffer.writeStaticString("\r\n")
  }

  private func field(_ name: ResponseField.StaticName, _ value: String, _ buffer: inout ByteBuffer) {
    buffer.writeString(name.text)
    buffer.writeStaticString(": ")
    buffer.writeString(value)
    buffer.writeStaticString("\r\n")
  }

  /// How the budget stands (draft-ietf-httpapi-ratelimit-headers-10).
  private func write(_ standing: RateLimiter.Standing, _ rateClass: RateClass, _ buffer: inout ByteBuffer) {
    guard let name = policies[rateClass] else { return }
    field("RateLimit-Policy", "\(name);q=\(standing.rate.count);w=\(standing.rate.seconds)", &buffer)
    field("RateLimit", "\(name);r=\(standing.remaining);t=\(standing.seconds)", &buffer)
  }

  /// Whether pages of that origin may read answers.
  func isAllowed(_ origin: String) -> Bool { allowedOrigins.contains(origin) || allowedOrigins.contains("*") }

  /// The fields of the answer to a preflight: tokens travel in a header, so no credentials are allowed.
  func preflight(_ methods: String) -> [ResponseField] {
    [
      ResponseField(name: "Access-Control-Allow-Methods", value: methods),
      ResponseField(
        name: "Access-Control-Allow-Headers",
        value: "Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, X-Request-ID, traceparent"),
      ResponseField(name: "Access-Control-Max-Age", value: "600"),
    ]
  }

  private static func status(_ code: Int) -> String {
    switch code {
    case 200: return "200 OK"
    case 201: return "201 Created"
    default:
      let status = HTTPResponseStatus(statusCode: code)
      return "\(status.code) \(status.reasonPhrase)"
    }
  }
}
