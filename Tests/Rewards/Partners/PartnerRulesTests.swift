import RewardsContract
import Testing

@testable import RewardsService

@Suite("Rules of decisions about partners (REW-3)")
struct PartnerRulesTests {
  @Test(
    "A decision changes a partner's state according to the former one, or has no effect",
    arguments: [
      (PartnerDecision.approve, PartnerState.pending, PartnerState.approved as PartnerState?), (.approve, .refused, .approved),
      (.approve, .suspended, .approved), (.approve, .approved, nil), (.refuse, .pending, .refused), (.refuse, .refused, nil),
      (.refuse, .approved, nil), (.refuse, .suspended, nil), (.suspend, .approved, .suspended), (.suspend, .pending, nil),
      (.suspend, .refused, nil), (.suspend, .suspended, nil),
    ])
  func decisions(_ decision: PartnerDecision, _ state: PartnerState, _ after: PartnerState?) {
    #expect(PartnerRules.state(after: decision, of: state) == after)
  }

  @Test("Pending and approved partners can make offers, and a refused one applies again by an edit")
  func offering() {
    #expect(PartnerState.allCases.filter(PartnerRules.mayOffer) == [.pending, .approved])
    for (isRenamed, states) in [
      (false, [PartnerState.pending, .approved, .pending, .suspended]), (true, [.pending, .pending, .pending, .suspended]),
    ] {
      #expect(PartnerState.allCases.map { PartnerRules.state(afterEditOf: $0, isRenamed: isRenamed) } == states)
    }
  }
}
