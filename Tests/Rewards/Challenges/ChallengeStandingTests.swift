import Testing

@testable import RewardsService

@Suite("What accounts are not awarded for while they stand as they do (ID-12, ID-13, SOC-8)")
struct ChallengeStandingTests {
  @Test(
    "All is withheld from who is suspended, erased or not known yet; what was measured from who does not consent",
    arguments: [
      (Eligibility(), HeldAwards.nothing),
      (Eligibility(lacksConsent: true), .movement),
      (Eligibility(isSuspended: true), .all),
      (Eligibility(isSuspended: true, lacksConsent: true), .all),
      (Eligibility(isKnown: false), .all),
      (Eligibility(isKnown: false, isErased: true), .all),
    ])
  func withheld(_ eligibility: Eligibility, _ held: HeldAwards) {
    #expect(ChallengeStanding.withheld(eligibility) == held)
  }
}
