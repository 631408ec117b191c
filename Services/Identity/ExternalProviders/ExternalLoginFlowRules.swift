import IdentityContract
import Operations

/// When a flow with an external provider may end (requirement ID-10).
enum ExternalLoginFlowRules {
  static let lifetimeSeconds = 600

  /// Why it may not; nil if it may.
  static func refusal(expiresAt: Instant, endedAt: Instant?, now: Instant) -> ExternalLoginFailure? {
    if endedAt != nil { return .stateUsed }
    return now < expiresAt ? nil : .stateExpired
  }
}
