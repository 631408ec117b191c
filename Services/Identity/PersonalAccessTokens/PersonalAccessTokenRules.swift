import Operations

/// What personal access tokens may be, and what one that is presented leads to (requirement ID-18).
enum PersonalAccessTokenRules {
  /// Each with a name of its own.
  static let maxPerAccount = 50
  /// How far off an expiry may be; a token needs none.
  static let longestDays = 366
  /// Uses closer to each other are noted once, so that a busy script writes nothing.
  static let useNotedEverySeconds = 300

  enum Outcome: Hashable, Sendable {
    case accept
    case expired
    /// Unknown or revoked: nobody learns which.
    case refuse
  }

  static func validate(expiresAt: Instant?, revokedAt: Instant?, now: Instant) -> Outcome {
    guard revokedAt == nil else { return .refuse }
    guard let expiresAt else { return .accept }
    return now < expiresAt ? .accept : .expired
  }

  /// The rule that a wished expiry breaks, nil if none.
  static func expiryRule(_ expiresAt: Instant?, now: Instant) -> FieldRule? {
    guard let expiresAt else { return nil }
    if expiresAt <= now { return FieldRule("expires_in_the_past") }
    let latest = now.adding(seconds: longestDays * 86_400)
    return expiresAt > latest ? FieldRule("expires_too_late", ["days": .number(longestDays)]) : nil
  }

  static func shouldRecordUse(lastUsedAt: Instant?, now: Instant) -> Bool {
    guard let lastUsedAt else { return true }
    return lastUsedAt.adding(seconds: useNotedEverySeconds) <= now
  }
}
