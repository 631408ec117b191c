import Operations
import SocialContract
import Testing

@testable import SocialService

@Suite("Rules of appeals (SOC-8)")
struct AppealRulesTests {
  static let now = Instant(milliseconds: 1_795_250_580_000)
  static let (accused, decider, other, stranger) = (AccountID(), AccountID(), AccountID(), AccountID())

  private static func found(_ outcome: ModerationOutcome?, daysAgo: Int = 0) -> ModerationCaseRecord {
    let decision = outcome.map { outcome in
      ModerationDecision(
        outcome: outcome, removesContent: false, reason: nil, note: nil, until: nil, administratorAccountID: decider,
        at: now.adding(seconds: -daysAgo * 86_400))
    }
    return ModerationCaseRecord(id: ID(), subject: .account(accused), accused: accused, decision: decision)
  }

  @Test(
    "Only the affected account can appeal a measure, once, within 180 days",
    arguments: [
      (.warned, 0, accused, .none, nil), (.banned, 179, accused, .none, nil), (.removed, 180, accused, .none, "appeal_too_late"),
      (.warned, 0, stranger, .none, "not_found"), (.nothing, 0, accused, .none, "not_found"),
      (nil, 0, accused, .none, "not_found"),
      (.warned, 0, accused, .waiting, "already_appealed"), (.warned, 0, accused, .decided, "already_appealed"),
    ] as [(ModerationOutcome?, Int, AccountID, AppealRules.State, String?)])
  func appealing(outcome: ModerationOutcome?, daysAgo: Int, who: AccountID, state: AppealRules.State, code: String?) {
    let failure = ReportRulesTests.failure { () throws(Failure) in
      try AppealRules.appeal(Self.found(outcome, daysAgo: daysAgo), by: who, state, at: Self.now)
    }
    #expect(failure?.code == code)
  }

  @Test(
    "An appeal is decided once, by another administrator if there is one besides the affected account",
    arguments: [
      (other, [decider, other], .waiting, nil), (decider, [decider, other], .waiting, "appeal_of_own_decision"),
      (decider, [decider], .waiting, nil), (decider, [decider, accused], .waiting, nil),
      (accused, [decider, accused], .waiting, "case_about_oneself"), (other, [decider, other], .decided, "appeal_decided"),
      (other, [decider, other], .none, "not_found"),
    ] as [(AccountID, Set<AccountID>, AppealRules.State, String?)])
  func deciding(who: AccountID, administrators: Set<AccountID>, state: AppealRules.State, code: String?) {
    let failure = ReportRulesTests.failure { () throws(Failure) in
      _ = try AppealRules.decide(Self.found(.warned), by: who, among: administrators, state)
    }
    #expect(failure?.code == code)
  }

  @Test(
    "An administrator who reported the case does not decide its appeal while another neither reported nor decided",
    arguments: [
      (other, [decider, other, stranger], [other], "case_of_own_report"), (stranger, [decider, other, stranger], [other], nil),
      (other, [decider, other], [other], nil), (decider, [decider, other], [other], "appeal_of_own_decision"),
      (other, [decider, other, stranger], [other, stranger], nil), (other, [decider, other, accused], [other], nil),
      (decider, [decider], [decider], nil),
    ] as [(AccountID, Set<AccountID>, Set<AccountID>, String?)])
  func reporting(who: AccountID, administrators: Set<AccountID>, reporters: Set<AccountID>, code: String?) {
    let failure = ReportRulesTests.failure { () throws(Failure) in
      _ = try AppealRules.decide(Self.found(.warned), by: who, among: administrators, reporters: reporters, .waiting)
    }
    #expect(failure?.code == code)
  }
}
