import Operations
import SocialContract

/// Who decides a case and what can be decided (SOC-8).
enum ModerationCaseRules {
  /// The decision from a moderator's input.
  ///
  /// - Parameters:
  ///   - administrators: all accounts that administer.
  ///   - reporters: the administrators who have reported it; another one decides, where there is one.
  /// - Throws: why that administrator cannot decide.
  static func decide(
    _ input: DecideModerationCase.Input, _ found: ModerationCaseRecord, by administrator: AccountID,
    among administrators: Set<AccountID>, reporters: Set<AccountID> = [], at now: Instant
  ) throws(Failure) -> ModerationDecision {
    guard found.accused != administrator else { throw ModerationFailure.aboutOneself.with() }
    guard found.decision == nil else { throw ModerationFailure.decided.with() }
    let others = administrators.subtracting(reporters).subtracting([found.accused])
    guard !reporters.contains(administrator) || others.isEmpty else { throw ModerationFailure.ofOwnReport.with() }
    let removesContent = input.outcome == .removed || input.removesContent == true
    if removesContent, !isRemovable(found.subject.kind) {
      let field = input.outcome == .removed ? "outcome" : "removesContent"
      throw .field(field, FieldRule("not_removable"))
    }
    let until = until(input.outcome, days: input.days, from: now)
    if until != nil, administrators.contains(found.accused) { throw ModerationFailure.administrator.with() }
    return ModerationDecision(
      outcome: input.outcome, removesContent: removesContent, reason: input.reason, note: input.note, until: until,
      administratorAccountID: administrator, at: now)
  }

  /// Whether the thing itself can be removed; an account can be banned.
  static func isRemovable(_ kind: ReportSubjectKind) -> Bool {
    switch kind {
    case .account: false
    case .photo, .message, .task, .taskPart, .taskSeries, .taskComment, .taskAttachment, .entry, .entryPhoto, .team, .taskLink:
      true
    }
  }

  /// Until when an account is suspended; nil where it is not.
  static func until(_ outcome: ModerationOutcome, days: Int?, from now: Instant) -> Instant? {
    switch outcome {
    case .nothing, .removed, .warned: nil
    case .suspended: now.adding(seconds: (days ?? 1) * 86_400)
    case .banned: .endOfTime
    }
  }
}
