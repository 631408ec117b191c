import IdentityContract
import Operations
import Testing

@testable import IdentityService

@Suite("The rules of verification links")
struct VerificationRulesTests {
  let now = Instant(milliseconds: 1_800_000_000_000)

  @Test("A verification link's outcome depends on its age, use and replacement")
  func outcomes() {
    func validate(expiresIn: Int, usedAgo: Int? = nil, replacedAgo: Int? = nil) -> VerificationRules.Outcome {
      VerificationRules.validate(
        OpenedLink(
          expiresAt: now.adding(seconds: expiresIn), usedAt: usedAgo.map { now.adding(seconds: -$0) },
          replacedAt: replacedAgo.map { now.adding(seconds: -$0) }), now: now)
    }
    #expect(VerificationRules.validate(nil, now: now) == .refuse(.linkInvalid))
    #expect(validate(expiresIn: 1) == .verify)
    #expect(validate(expiresIn: 0) == .refuse(.linkExpired))
    #expect(validate(expiresIn: 1, replacedAgo: 5) == .refuse(.linkReplaced))
    #expect(validate(expiresIn: 0, replacedAgo: 5) == .refuse(.linkExpired))
    #expect(validate(expiresIn: 1, usedAgo: 5) == .alreadyDone)
    #expect(validate(expiresIn: 0, usedAgo: 5) == .refuse(.linkExpired))
  }

  @Test(
    "Another verification link is sent only after fewer than six within an hour",
    arguments: [
      ([], 0), ([0], 0), ([0, 1, 2, 3, 4], 0), ([0, 1, 2, 3, 4, 5], 3595), ([0, 1, 2, 3, 4, 3599], 1),
      ([0, 1, 2, 3, 4, 3600], 0),
      ([0, 0, 0, 0, 0, 0, 0, 0], 3600),
    ])
  func throttle(secondsAgo: [Int], wait: Int) {
    #expect(VerificationRules.secondsUntilNext(sentAt: secondsAgo.map { now.adding(seconds: -$0) }, now: now) == wait)
  }
}
