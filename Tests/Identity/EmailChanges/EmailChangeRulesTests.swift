import IdentityContract
import Operations
import Testing

@testable import IdentityService

@Suite("The rules of links that change an address")
struct EmailChangeRulesTests {
  struct Case: Sendable {
    var usedAt: Int?
    var replacedAt: Int?
    var isCancelled = false
    var isTaken = false
    let now: Int
    let refusal: EmailChangeFailure?
  }

  @Test(
    "A link that cannot change an address is refused with the reason",
    arguments: [
      Case(now: 50, refusal: nil),
      Case(now: 99, refusal: nil),
      Case(now: 100, refusal: .linkExpired),
      Case(usedAt: 10, now: 50, refusal: .linkUsed),
      Case(usedAt: 10, now: 100, refusal: .linkExpired),
      Case(replacedAt: 10, now: 50, refusal: .linkReplaced),
      Case(replacedAt: 10, isCancelled: true, now: 50, refusal: .cancelled),
      Case(replacedAt: 10, isCancelled: true, now: 100, refusal: .linkExpired),
      Case(isTaken: true, now: 50, refusal: .addressTaken),
      // Nobody learns by an old link whether an address is taken by now.
      Case(usedAt: 10, isTaken: true, now: 50, refusal: .linkUsed),
      Case(replacedAt: 10, isTaken: true, now: 50, refusal: .linkReplaced),
      Case(isTaken: true, now: 100, refusal: .linkExpired),
    ])
  func refusals(test: Case) {
    func instant(_ seconds: Int) -> Instant { Instant(milliseconds: 0).adding(seconds: seconds) }
    let link = OpenedLink(
      expiresAt: instant(100), usedAt: test.usedAt.map(instant), replacedAt: test.replacedAt.map(instant))
    #expect(
      EmailChangeRules.refusal(
        link, isCancelled: test.isCancelled, isTaken: test.isTaken, now: instant(test.now)) == test.refusal)
  }

  @Test("An unknown link that would change an address is invalid")
  func none() {
    #expect(EmailChangeRules.refusal(nil, isTaken: false, now: Instant(milliseconds: 0)) == .linkInvalid)
  }

  @Test("A link to change an address is sent only while both the account's and the address's limit allow it")
  func allowance() {
    let now = Instant(milliseconds: 10_000_000)
    let sent = (0..<6).map { now.adding(seconds: -60 * ($0 + 1)) }
    func wait(_ account: Int, _ address: Int) -> Int {
      EmailChangeRules.secondsUntilNext(
        toAccount: Array(sent.prefix(account)), toAddress: Array(sent.prefix(address)), now: now)
    }
    #expect(wait(0, 0) == 0 && wait(5, 2) == 0)
    #expect(wait(6, 0) == 3600 - 360)
    #expect(wait(0, 3) == 3600 - 180)
    #expect(wait(6, 3) == 3600 - 180)
  }
}
