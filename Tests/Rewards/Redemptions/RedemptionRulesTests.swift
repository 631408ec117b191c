import Operations
import RewardsContract
import Testing

@testable import RewardsService

@Suite("Rules of redemptions")
struct RedemptionRulesTests {
  private static func at(_ seconds: Int) -> Instant { Instant(milliseconds: 1_795_250_580_000).adding(seconds: seconds) }

  @Test(
    "A code is usable while it is open and has not expired",
    arguments: [
      (RedemptionState.open, 1 as Int?, nil as String?), (.open, nil, nil), (.open, 0, "code_expired"), (.used, 1, "code_used"),
      (.used, -1, "code_used"), (.voided, 1, "code_voided"),
    ])
  func usable(_ state: RedemptionState, _ endsAfter: Int?, _ failure: String?) {
    do throws(Failure) {
      try RedemptionRules.expectUsable(state, until: endsAfter.map(Self.at), usedAt: nil, at: Self.at(0))
      #expect(failure == nil)
    } catch {
      #expect(error.code == failure)
    }
  }

  @Test("Wrong codes are limited to ten at once and then one a minute, and are forgotten in time")
  func wrongCodes() {
    var until = Instant(milliseconds: 0)
    for _ in 0..<WrongCodeRules.burst {
      #expect(WrongCodeRules.waitSeconds(until, now: Self.at(0)) == 0)
      until = WrongCodeRules.adding(to: until, now: Self.at(0))
    }
    #expect(WrongCodeRules.waitSeconds(until, now: Self.at(0)) == 60)
    #expect(WrongCodeRules.waitSeconds(until, now: Self.at(59)) == 1)
    #expect(WrongCodeRules.waitSeconds(until, now: Self.at(60)) == 0)
    until = WrongCodeRules.adding(to: until, now: Self.at(60))
    #expect(WrongCodeRules.waitSeconds(until, now: Self.at(60)) == 60)
    #expect(WrongCodeRules.waitSeconds(until, now: Self.at(700)) == 0)
  }
}
