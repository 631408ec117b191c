/// A way in which an operation can fail. Each feature declares its own enum:
///
///     public enum FriendRequestFailure: String, FailureCode {
///       case unknownUser = "unknown_user"
///       public var status: Int { 404 }
///     }
///
/// The raw value is the stable `code` that clients see; the key of its words is `failure.<code>`, in each language. A handler throws the
/// case itself, or ``with(_:fields:retryAfterSeconds:)`` to fill the parameters of the words.
public protocol FailureCode: Error, RawRepresentable, CaseIterable, Sendable where RawValue == String {
  /// HTTP status of the problem document.
  var status: Int { get }
}

extension FailureCode {
  /// The failure with parameters for its words, and the fields at fault.
  public func with(
    _ parameters: [String: Parameter] = [:], fields: [FieldProblem] = [], retryAfterSeconds: Int? = nil
  ) -> Failure {
    Failure(self, parameters, fields: fields, retryAfterSeconds: retryAfterSeconds)
  }

  /// Code and status, as operations list them.
  public var kind: FailureKind { FailureKind(code: rawValue, status: status) }
}

/// Code and status of a failure.
public struct FailureKind: Hashable, Sendable {
  public let code: String
  public let status: Int
}

/// A failed operation, as sent over the bus and independent of language; the gateway turns it into an RFC 9457 problem.
public struct Failure: Error, Hashable, Sendable {
  public let code: String
  public let status: Int
  public let parameters: [String: Parameter]
  public let fields: [FieldProblem]
  /// When a retry may succeed.
  public let retryAfterSeconds: Int?

  public init(
    _ kind: some FailureCode, _ parameters: [String: Parameter] = [:], fields: [FieldProblem] = [], retryAfterSeconds: Int? = nil
  ) {
    code = kind.rawValue
    status = kind.status
    self.parameters = parameters
    self.fields = fields
    self.retryAfterSeconds = retryAfterSeconds
  }

  /// A failure with one field at fault.
  public static func field(_ field: String, _ rule: FieldRule) -> Failure {
    Failure(RequestFailure.invalidFields, fields: [FieldProblem(field: field, rule)])
  }

  /// The same failure for that operation, which may have words of its own for it: `failure.<code>.messages.send` for one operation,
  /// `failure.<code>.offers` for all whose names begin with `offers.`, before `failure.<code>`.
  public func ending(_ operation: String) -> Failure {
    var parameters = parameters
    parameters["operation"] = .text(operation)
    return Failure(code: code, status: status, parameters: parameters, fields: fields, retryAfterSeconds: retryAfterSeconds)
  }

  /// Whether a service refused to write because of its disk. A retry a moment later may succeed.
  public var isOfStorage: Bool {
    code == RequestFailure.storageFull.rawValue || code == RequestFailure.storageReadOnly.rawValue
  }

  /// The failure for a suspended account: its words say until when, or that it is permanent.
  ///
  /// - Parameter until: ``Instant/endOfTime`` for a banned account.
  public static func accountSuspended(until: Instant) -> Failure {
    if until == .endOfTime { return Failure(RequestFailure.accountSuspended, ["reason": .text("account_banned")]) }
    return Failure(
      RequestFailure.accountSuspended, ["reason": .text("account_suspended_until"), "until": .text(until.description)])
  }

  /// Until when the account is suspended; nil for other failures, and for a banned account.
  public var suspendedUntil: Instant? {
    guard code == RequestFailure.accountSuspended.rawValue, case .text(let text)? = parameters["until"] else { return nil }
    return try? Instant(text: text)
  }

  private init(
    code: String, status: Int, parameters: [String: Parameter], fields: [FieldProblem], retryAfterSeconds: Int?
  ) {
    self.code = code
    self.status = status
    self.parameters = parameters
    self.fields = fields
    self.retryAfterSeconds = retryAfterSeconds
  }

  /// The failure with which an error ends a handler: the error itself if it is a failure, `internal_error` otherwise.
  public init(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let code as any FailureCode: self = code.with()
    case is CancellationError: self = Failure(RequestFailure.unavailable, retryAfterSeconds: 1)
    default: self = Failure(RequestFailure.internalError)
    }
  }
}

extension Failure: Document {
  /// A failure repeats the names of fields as they were sent.
  public static let quotes = true

  public static let notes: Notes = [
    "code": "Stable name of what went wrong.", "status": "HTTP status.", "parameters": "Values for the placeholders of its text.",
    "fields": "Every invalid field.", "retryAfterSeconds": "Seconds after which a retry may succeed.",
  ]

  enum CodingKeys: String, CodingKey { case code, status, parameters, fields, retryAfterSeconds }
}

extension FieldProblem: Document {
  public static let notes: Notes = [
    "field": "The field's path.", "code": "The code of the broken rule.",
    "parameters": "Values for the placeholders of its text.",
  ]
}

/// Failures of many kinds of requests. Some of them any request can end in, others an operation has to declare; see
/// ``OperationSpec/commonFailures(hasBody:)``.
public enum RequestFailure: String, FailureCode {
  case invalidJSON = "invalid_json"
  case invalidFields = "invalid_fields"
  case unauthenticated = "unauthenticated"
  case tokenExpired = "token_expired"
  case sessionRevoked = "session_revoked"
  case forbidden = "forbidden"
  case verificationRequired = "verification_required"
  /// A session in doubt, see ``DoubtRule``.
  case loginUnanswered = "login_alert_unanswered"
  /// The account is suspended or banned (SOC-8); see ``Failure/accountSuspended(until:)``.
  case accountSuspended = "account_suspended"
  case insufficientScope = "insufficient_scope"
  case consentRequired = "consent_required"
  case notFound = "not_found"
  case methodNotAllowed = "method_not_allowed"
  case unknownOperation = "unknown_operation"
  case idempotencyKeyReused = "idempotency_key_reused"
  case idempotencyKeyInvalid = "idempotency_key_invalid"
  /// The store keeps as much as it may for the caller's keys.
  case idempotencyAllowanceExceeded = "idempotency_allowance_exceeded"
  case stillRunning = "still_running"
  case bodyTooLarge = "body_too_large"
  case unsupportedMediaType = "unsupported_media_type"
  case badRequest = "bad_request"
  case rateLimited = "rate_limited"
  case overloaded = "overloaded"
  case unavailable = "unavailable"
  /// Nothing can be written, since the disk is full; reading goes on.
  case storageFull = "storage_full"
  /// Nothing can be written, since the disk is read-only; reading goes on.
  case storageReadOnly = "storage_read_only"
  case timedOut = "timed_out"
  case internalError = "internal_error"

  public var status: Int {
    switch self {
    case .invalidJSON, .idempotencyKeyInvalid, .badRequest: 400
    case .unauthenticated, .tokenExpired, .sessionRevoked: 401
    case .forbidden, .verificationRequired, .loginUnanswered, .accountSuspended, .insufficientScope, .consentRequired: 403
    case .notFound, .unknownOperation: 404
    case .methodNotAllowed: 405
    case .stillRunning: 409
    case .bodyTooLarge: 413
    case .unsupportedMediaType: 415
    case .invalidFields, .idempotencyKeyReused: 422
    case .rateLimited, .idempotencyAllowanceExceeded: 429
    case .internalError: 500
    case .overloaded, .unavailable, .storageFull, .storageReadOnly: 503
    case .timedOut: 504
    }
  }
}
