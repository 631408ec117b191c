public import Operations

/// A refusal as clients see it: an RFC 9457 problem document, the `data` of a JSON-RPC error.
public struct Problem: Document, Hashable {
  /// A reference to the code's entry in `/docs`.
  public var type: String
  public var title: String
  public var status: Int
  public var detail: String
  public var code: String
  public var instance: String
  public var requestID: String
  public var retryAfterSeconds: Int?
  /// Until when the account is suspended.
  public var until: Instant?
  public var errors: [ProblemField]?
  public var remedy: ProblemRemedy?

  public init(
    type: String, title: String, status: Int, detail: String, code: String, instance: String, requestID: String,
    retryAfterSeconds: Int? = nil, until: Instant? = nil, errors: [ProblemField]? = nil, remedy: ProblemRemedy? = nil
  ) {
    self.type = type
    self.title = title
    self.status = status
    self.detail = detail
    self.code = code
    self.instance = instance
    self.requestID = requestID
    self.retryAfterSeconds = retryAfterSeconds
    self.until = until
    self.errors = errors
    self.remedy = remedy
  }

  /// It names fields as they were called, whatever they were called.
  public static let quotes = true

  public static let notes: Notes = [
    "type": Note("Reference to the code's entry in the documentation.", example: "/docs#problem-invalid_fields"),
    "title": Note("The kind of problem, in the caller's language.", example: "The content is not acceptable"),
    "status": Note("The HTTP status.", range: 400...599, example: 422),
    "detail": Note("What went wrong this time, in the caller's language.", example: "Some fields are not right."),
    "code": Note("Stable name of what went wrong.", example: "invalid_fields"),
    "instance": Note(
      "Identifies this occurrence of the problem.", example: "urn:racha:request:019e0a4e-6d3a-7c11-9d6e-2f1f4c8a7b10"),
    "requestID": Note("The request's `X-Request-ID`, for reports.", example: "019e0a4e-6d3a-7c11-9d6e-2f1f4c8a7b10"),
    "retryAfterSeconds": "Seconds after which a retry may succeed.",
    "until": "With `account_suspended`: until when the account is suspended; absent for a ban.",
    "errors": "Every invalid field.",
    "remedy": "The operation to call before a retry may succeed, if there is one.",
  ]
}

/// The operation that mends what a request was refused for.
public struct ProblemRemedy: Document, Hashable {
  public var operation: String
  public var method: String
  public var path: String

  public init(operation: String, method: String, path: String) {
    self.operation = operation
    self.method = method
    self.path = path
  }

  public static let notes: Notes = [
    "operation": Note("Name of the operation.", example: "accounts.resendVerification"),
    "method": Note("Its HTTP method.", example: "POST"),
    "path": Note("Its path.", example: "/v1/accounts/me/verification-links"),
  ]
}

/// A field at fault.
public struct ProblemField: Document, Hashable {
  public var field: String
  public var code: String
  public var message: String
  public var suggestion: String?

  public init(field: String, code: String, message: String, suggestion: String? = nil) {
    self.field = field
    self.code = code
    self.message = message
    self.suggestion = suggestion
  }

  public static let notes: Notes = [
    "field": Note("The field's path, such as `title` or `samples[3].start`.", example: "title"),
    "code": Note("Stable name of the rule it breaks.", example: "too_long"),
    "message": Note("What is wrong, in the caller's language.", example: "This may have at most 80 characters."),
    "suggestion": "A suggested correction, in the caller's language.",
  ]
}
