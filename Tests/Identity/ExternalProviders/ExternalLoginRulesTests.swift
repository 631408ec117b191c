import IdentityContract
import Operations
import Testing

@testable import IdentityService

@Suite("Rules of external identities (ID-10)")
struct ExternalLoginRulesTests {
  private static let (ana, bea) = (AccountID(), AccountID())

  @Test("Logging in with an external identity begins a session, creates an account, or is refused")
  func logIn() throws {
    let email = try EmailAddress(text: "ana@example.com")
    typealias Rule = ExternalLoginRules
    for isVerified in [true, false] {
      for isTaken in [true, false] {
        #expect(
          Rule.logIn(linked: Self.ana, email: nil, isEmailVerified: isVerified, isTaken: isTaken) == .begin(Self.ana))
        #expect(Rule.logIn(linked: nil, email: nil, isEmailVerified: isVerified, isTaken: isTaken) == .refuse(.emailMissing))
      }
      #expect(Rule.logIn(linked: nil, email: email, isEmailVerified: isVerified, isTaken: true) == .refuse(.accountExists))
      #expect(
        Rule.logIn(linked: nil, email: email, isEmailVerified: isVerified, isTaken: false) == .create(isVerified: isVerified))
    }
  }

  @Test("Linking an external identity adds it, finds it already linked, or is refused")
  func link() {
    #expect(ExternalLoginRules.link(Self.ana, linked: nil, hasOther: false) == .link)
    #expect(ExternalLoginRules.link(Self.ana, linked: nil, hasOther: true) == .refuse(.providerLinkedAlready))
    #expect(ExternalLoginRules.link(Self.ana, linked: Self.ana, hasOther: true) == .alreadyLinked)
    #expect(ExternalLoginRules.link(Self.ana, linked: Self.bea, hasOther: false) == .refuse(.linkedElsewhere))
  }

  @Test(
    "The last way to log in cannot be unlinked",
    arguments: [(true, 1, true), (true, 2, true), (false, 2, true), (false, 1, false)])
  func unlink(hasPassword: Bool, identities: Int, may: Bool) {
    #expect(ExternalLoginRules.mayUnlink(hasPassword: hasPassword, identities: identities) == may)
  }

  @Test(
    "Recovery removes external identities that somebody else may have linked",
    arguments: [(true, true, true), (true, false, true), (false, false, true), (false, true, false)])
  func recovery(hadPassword: Bool, wasVerified: Bool, ends: Bool) {
    #expect(ExternalLoginRules.endWithRecovery(hadPassword: hadPassword, wasVerified: wasVerified) == ends)
  }

  @Test("A login flow at a provider can be completed once, within ten minutes")
  func flow() {
    let now = Instant(milliseconds: 1_800_000_000_000)
    func refusal(_ seconds: Int, _ ended: Instant? = nil) -> ExternalLoginFailure? {
      ExternalLoginFlowRules.refusal(expiresAt: now.adding(seconds: seconds), endedAt: ended, now: now)
    }
    #expect(refusal(1) == nil)
    #expect(refusal(0) == .stateExpired)
    #expect(refusal(1, now) == .stateUsed)
    #expect(refusal(-1, now) == .stateUsed)
  }
}
