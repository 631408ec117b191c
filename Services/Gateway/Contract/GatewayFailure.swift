public import Operations

/// What the gateway refuses beyond what any request may meet.
public enum GatewayFailure: String, FailureCode {
  /// The request or line did not arrive completely in time.
  case requestTimeout = "request_timeout"
  case headersTooLarge = "headers_too_large"
  case tooManyConnections = "too_many_connections"
  /// A page of the gateway was sent something else than its own form.
  case formRequired = "form_required"
  /// A page that takes a file was sent something else than its own form.
  case fileFormRequired = "file_form_required"
  /// No file was chosen on a page that takes one.
  case fileRequired = "file_required"
  /// The body is compressed, or coded in another way.
  case unsupportedContentCoding = "unsupported_content_coding"
  /// The method is none that HTTP has (RFC 9110, section 9.1).
  case unknownMethod = "unknown_method"
  /// The page is for this machine only.
  case localOnly = "local_only"
  /// The mailbox is opened by the code that the launcher shows.
  case mailboxCodeRequired = "mailbox_code_required"
  /// There is no mailbox where people reach the system from other machines.
  case mailboxClosed = "mailbox_closed"
  /// The mailbox's code cannot be kept, and without one it stays closed.
  case mailboxCodeMissing = "mailbox_code_missing"

  public var status: Int {
    switch self {
    case .requestTimeout: 408
    case .fileRequired: 422
    case .localOnly, .mailboxCodeRequired, .mailboxClosed: 403
    case .headersTooLarge: 431
    case .unknownMethod: 501
    case .tooManyConnections, .mailboxCodeMissing: 503
    case .formRequired, .fileFormRequired, .unsupportedContentCoding: 415
    }
  }
}
