import RewardsContract
import Testing

@testable import RewardsService

@Suite("What administrators may decide about a partner (REW-3)")
struct PartnerRulesTests {
  @Test(
    "A decision follows on what was decided before, or on nothing",
    arguments: [
      (PartnerDecision.approve, PartnerState.pending, PartnerState.approved as PartnerState?), (.approve, .refused, .approved),
      (.approve, .suspended, .approved), (.approve, .approved, nil), (.refuse, .pending, .refused), (.refuse, .refused, nil),
      (.refuse, .approved, nil), (.refuse, .suspended, nil), (.suspend, .approved, .suspended), (.suspend, .pending, nil),
      (.suspend, .refused, nil), (.suspend, .suspended, nil),
    ])
  func decisions(_ decision: PartnerDecision, _ state: PartnerState, _ after: PartnerState?) {
    #expect(PartnerRules.state(after: decision, of: state) == after)
  }

  @Test("Offers are made by those who wait and those who were let in; whoever was refused asks again by a change")
  func offering() {
    #expect(PartnerState.allCases.filter(PartnerRules.mayOffer) == [.pending, .approved])
    #expect(PartnerState.allCases.map(PartnerRules.state(afterEditOf:)) == [.pending, .approved, .pending, .suspended])
  }
}
