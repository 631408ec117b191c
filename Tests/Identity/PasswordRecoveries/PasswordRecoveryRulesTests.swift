import IdentityContract
import Operations
import Testing

@testable import IdentityService

@Suite("The rules of recovery links")
struct PasswordRecoveryRulesTests {
  let now = Instant(milliseconds: 1_800_000_000_000)

  struct Case: Sendable {
    var expiresIn = 1
    var usedAgo: Int?
    var replacedAgo: Int?
    let refusal: RecoveryFailure?
  }

  @Test(
    "A recovery link's outcome depends on its age, use and replacement",
    arguments: [
      Case(refusal: nil), Case(expiresIn: 1800, refusal: nil), Case(expiresIn: 0, refusal: .linkExpired),
      Case(expiresIn: -1, refusal: .linkExpired), Case(usedAgo: 0, refusal: .linkUsed), Case(usedAgo: 5, refusal: .linkUsed),
      Case(replacedAgo: 0, refusal: .linkReplaced), Case(usedAgo: 5, replacedAgo: 5, refusal: .linkUsed),
      Case(expiresIn: 0, usedAgo: 5, refusal: .linkExpired), Case(expiresIn: 0, replacedAgo: 5, refusal: .linkExpired),
    ])
  func outcomes(link: Case) {
    let opened = OpenedLink(
      expiresAt: now.adding(seconds: link.expiresIn), usedAt: link.usedAgo.map { now.adding(seconds: -$0) },
      replacedAt: link.replacedAgo.map { now.adding(seconds: -$0) })
    #expect(PasswordRecoveryRules.refusal(opened, now: now) == link.refusal)
    #expect(PasswordRecoveryRules.refusal(nil, now: now) == .linkInvalid)
  }

  @Test(
    "A recovery link is sent only while the address got fewer than three and the network address fewer than twenty",
    arguments: [(0, 0, true), (2, 19, true), (3, 0, false), (0, 20, false), (3, 20, false), (4, 21, false)])
  func limits(toEmail: Int, fromAddress: Int, isFree: Bool) {
    #expect(PasswordRecoveryRules.isFree(toEmail: toEmail, fromAddress: fromAddress) == isFree)
  }
}
