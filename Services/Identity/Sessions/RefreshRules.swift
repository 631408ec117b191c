import Operations

/// What is known of a refresh token when it is presented.
struct PresentedToken: Hashable, Sendable {
  var expiresAt: Instant
  /// When it was exchanged, nil if it was not.
  var usedAt: Instant?
  /// Whether the one it was exchanged for has been exchanged too.
  var isSuccessorUsed: Bool
  /// Whether its session has ended.
  var isSessionOver: Bool
}

/// What a presented refresh token leads to (requirement ID-4; RFC 9700, section 4.14.2).
enum RefreshRules {
  /// How long the same exchange may be repeated, by a client that lost the answer.
  static let repeatSeconds = 30
  /// How long an unused token is valid.
  static let lifetimeSeconds = 30 * 86_400

  enum Outcome: Hashable, Sendable {
    /// Exchange it.
    case rotate
    /// Give the tokens of the exchange at that instant again.
    case repeated(of: Instant)
    /// Somebody has it who should not: close the session.
    case reused
    case expired
    case invalid
  }

  static func validate(_ token: PresentedToken?, now: Instant) -> Outcome {
    guard let token, !token.isSessionOver else { return .invalid }
    guard let usedAt = token.usedAt else { return token.expiresAt > now ? .rotate : .expired }
    // A client that has used the successor did get the answer: it has no reason to come back with the old token.
    guard !token.isSuccessorUsed, now < usedAt.adding(seconds: repeatSeconds) else { return .reused }
    return .repeated(of: usedAt)
  }
}
