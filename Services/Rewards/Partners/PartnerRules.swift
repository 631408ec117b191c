import RewardsContract

/// What administrators may decide about a partner (REW-3).
enum PartnerRules {
  /// What a partner is after a decision; nil where the decision does not follow on what it is.
  static func state(after decision: PartnerDecision, of state: PartnerState) -> PartnerState? {
    switch (decision, state) {
    case (.approve, .pending), (.approve, .refused), (.approve, .suspended): .approved
    case (.refuse, .pending): .refused
    case (.suspend, .approved): .suspended
    case (.approve, .approved), (.refuse, _), (.suspend, _): nil
    }
  }

  /// Whether a partner may prepare and show offers. One that waits for the decision prepares them; they are listed after it.
  static func mayOffer(_ state: PartnerState) -> Bool { state == .pending || state == .approved }

  /// What a partner is after it has changed what it says of itself. A name is what administrators have let in: with another one they are
  /// asked anew.
  static func state(afterEditOf state: PartnerState, isRenamed: Bool) -> PartnerState {
    state == .refused || state == .approved && isRenamed ? .pending : state
  }
}
