import Testing

@testable import RewardsService

@Suite("Awards withheld because of an account's state (ID-12, ID-13, SOC-8)")
struct ChallengeStandingTests {
  @Test(
    "All awards of suspended, erased and unknown accounts are withheld, and without consent those of movement",
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
