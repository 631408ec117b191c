import Operations
import SocialContract

/// What is said of suspensions (SOC-8).
enum SuspensionRules {
  /// How and when the suspension of a decision ended; nil while it lasts, or where there is none.
  ///
  /// - Parameters:
  ///   - endedAt: when its end was noted, a moment after its time was over.
  ///   - grantedAt: when an appeal against the decision was granted.
  static func end(
    of decision: ModerationDecision, endedAt: Instant?, grantedAt: Instant?, now: Instant
  ) -> (kind: SuspensionEnd, at: Instant)? {
    guard let until = decision.until else { return nil }
    if let endedAt, endedAt < until { return (endedAt == grantedAt ? .appealGranted : .lifted, endedAt) }
    return until <= now ? (.over, until) : nil
  }
}
