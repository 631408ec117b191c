import Operations

/// Why a mail was not delivered this time.
enum MailFailure: Error, Hashable, Sendable {
  /// The server or the folder cannot be reached, or was lost on the way: whether the mail arrived is unknown.
  case connection
  /// The server does not accept the name and password.
  case authentication
  /// The server refuses the mail with this SMTP reply (RFC 5321, section 4.2.1).
  case rejected(reply: Int)
  /// Identity cannot be asked now for what the mail needs: a link's secret, the addressee.
  case secretUnavailable
  /// The account's address cannot be written into a mail.
  case badAddress
  /// The program ended while the mail was being sent.
  case interrupted

  /// What stands in the table and in logs.
  var code: String {
    switch self {
    case .connection: "connection"
    case .authentication: "authentication"
    case .rejected(let reply): "rejected_\(reply)"
    case .secretUnavailable: "secret_unavailable"
    case .badAddress: "bad_address"
    case .interrupted: "interrupted"
    }
  }

  /// Whether sending the same again can have another end.
  var isFinal: Bool {
    switch self {
    case .rejected(let reply): reply >= 500
    case .badAddress: true
    case .connection, .authentication, .secretUnavailable, .interrupted: false
    }
  }
}

/// When a mail that failed is sent again: after 5 s, 20 s, 80 s, … at most an hour, 12 times in all (about six hours).
struct MailRetry: Hashable, Sendable {
  enum Step: Hashable, Sendable {
    case again(afterMilliseconds: Int64)
    /// The mail becomes a dead letter.
    case giveUp
  }

  var firstDelayMilliseconds: Int64 = 5000
  var growth: Int64 = 4
  var longestDelayMilliseconds: Int64 = 3_600_000
  var maxAttempts = 12

  /// - Parameter attempts: how often it was tried, the failed one included; 1 or more.
  func step(after failure: MailFailure, attempts: Int) -> Step {
    guard !failure.isFinal, attempts < maxAttempts else { return .giveUp }
    var delay = firstDelayMilliseconds
    for _ in 1..<max(attempts, 1) where delay < longestDelayMilliseconds { delay *= growth }
    return .again(afterMilliseconds: min(delay, longestDelayMilliseconds))
  }
}
