import Operations
import SocialContract

/// The rules for appeals against moderation decisions, and for deciding them (SOC-8).
enum AppealRules {
  /// How far a case's appeal is.
  enum State: Hashable, Sendable {
    case none, waiting, decided
  }

  /// Whether a decision can still be appealed: once, while the case's content is kept.
  static func canAppeal(_ decision: ModerationDecision, _ state: State, at now: Instant) -> Bool {
    state == .none && now < decision.at.adding(seconds: ReportRules.keptSeconds)
  }

  /// - Throws: why the account cannot appeal. A decision without a measure cannot be appealed.
  static func appeal(_ found: ModerationCaseRecord, by account: AccountID, _ state: State, at now: Instant) throws(Failure) {
    guard found.accused == account, let decision = found.decision, decision.outcome != .nothing else {
      throw Failure(RequestFailure.notFound)
    }
    guard state == .none else { throw AppealFailure.alreadyAppealed.with() }
    guard canAppeal(decision, state, at: now) else { throw AppealFailure.tooLate.with() }
  }

  /// - Parameters:
  ///   - administrators: all accounts that administer.
  ///   - reporters: the administrators who have reported it. An administrator who neither reported nor decided it decides the appeal, where
  ///     there is one.
  /// - Throws: why that administrator cannot decide the appeal.
  static func decide(
    _ found: ModerationCaseRecord, by administrator: AccountID, among administrators: Set<AccountID>,
    reporters: Set<AccountID> = [], _ state: State
  ) throws(Failure) -> ModerationDecision {
    guard let decision = found.decision, state != .none else { throw Failure(RequestFailure.notFound) }
    guard found.accused != administrator else { throw ModerationFailure.aboutOneself.with() }
    guard state == .waiting else { throw AppealFailure.decided.with() }
    let others = administrators.subtracting([administrator, found.accused])
    guard decision.administratorAccountID != administrator || others.isEmpty else { throw AppealFailure.ofOwnDecision.with() }
    let uninvolved = others.subtracting(reporters).filter { $0 != decision.administratorAccountID }
    guard !reporters.contains(administrator) || uninvolved.isEmpty else { throw ModerationFailure.ofOwnReport.with() }
    return decision
  }
}
