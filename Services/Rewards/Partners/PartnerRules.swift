import RewardsContract

/// The rules for administrators' decisions about a partner (REW-3).
enum PartnerRules {
  /// The partner's state after a decision; nil where the decision is not possible in the present state.
  static func state(after decision: PartnerDecision, of state: PartnerState) -> PartnerState? {
    switch (decision, state) {
    case (.approve, .pending), (.approve, .refused), (.approve, .suspended): .approved
    case (.refuse, .pending): .refused
    case (.suspend, .approved): .suspended
    case (.approve, .approved), (.refuse, _), (.suspend, _): nil
    }
  }

  /// Whether a partner may create and change offers. A pending partner prepares them; they are listed after its approval.
  static func mayOffer(_ state: PartnerState) -> Bool { state == .pending || state == .approved }

  /// The partner's state after it changed its description. Administrators approve a name, so a new name needs another decision.
  static func state(afterEditOf state: PartnerState, isRenamed: Bool) -> PartnerState {
    state == .refused || state == .approved && isRenamed ? .pending : state
  }
}
