import HTTPTypes
import Operations

extension HTTPField.Name {
  static let requestID = HTTPField.Name("X-Request-ID")!
  static let rateLimit = HTTPField.Name("RateLimit")!
  static let rateLimitPolicy = HTTPField.Name("RateLimit-Policy")!
  static let frameOptions = HTTPField.Name("X-Frame-Options")!
  static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
}

/// The header fields of answers.
struct ResponseFields: Sendable {
  private let answers: HTTPFields
  private let policies: [RateClass: String]
  private let allowedOrigins: Set<String>
  private let date: HTTPDate

  init(_ configuration: GatewayConfiguration, clock: Clock) {
    date = HTTPDate(clock)
    allowedOrigins = Set(configuration.allowedOrigins)
    var answers = HTTPFields()
    answers[.cacheControl] = "no-store"
    answers[.xContentTypeOptions] = "nosniff"
    answers[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
    answers[.referrerPolicy] = "no-referrer"
    if configuration.certificate != nil { answers[.strictTransportSecurity] = "max-age=31536000" }
    if !configuration.allowedOrigins.isEmpty { answers[.vary] = "Origin" }
    self.answers = answers
    // One name for each class; a client sees which policy it met by the quota.
    policies = Dictionary(uniqueKeysWithValues: RateClass.allCases.map { ($0, "\"\($0.rawValue)\"") })
  }

  /// The fields of an answer that is not to be stored, its length and type.
  func fields(type: String, length: Int?, request: RequestName, origin: String?) -> HTTPFields {
    var fields = answers
    fields[.contentType] = type
    if let length { fields[.contentLength] = String(length) }
    fields[.requestID] = request.outer
    fields[.date] = date.text
    if let origin { allow(origin, in: &fields) }
    return fields
  }

  /// Tells how the budget stands (draft-ietf-httpapi-ratelimit-headers-10).
  func add(_ standing: RateLimiter.Standing, _ rateClass: RateClass, to fields: inout HTTPFields) {
    guard let name = policies[rateClass] else { return }
    fields[.rateLimitPolicy] = "\(name);q=\(standing.rate.count);w=\(standing.rate.seconds)"
    fields[.rateLimit] = "\(name);r=\(standing.remaining);t=\(standing.seconds)"
  }

  /// Whether pages of that origin may read answers.
  func isAllowed(_ origin: String) -> Bool { allowedOrigins.contains(origin) || allowedOrigins.contains("*") }

  private func allow(_ origin: String, in fields: inout HTTPFields) {
    guard isAllowed(origin) else { return }
    fields[.accessControlAllowOrigin] = origin
    fields[.accessControlExposeHeaders] = "X-Request-ID, RateLimit, RateLimit-Policy, Retry-After"
  }

  /// The fields of the answer to a preflight: tokens travel in a header, so no credentials are allowed.
  func preflight(_ methods: String) -> HTTPFields {
    var fields = HTTPFields()
    fields[.accessControlAllowMethods] = methods
    fields[.accessControlAllowHeaders] = "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-ID, traceparent"
    fields[.accessControlMaxAge] = "600"
    return fields
  }
}
