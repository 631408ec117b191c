import IdentityContract
import Operations
import Testing

@testable import IdentityService

@Suite("The rules of suspensions (SOC-8)")
struct SuspensionRulesTests {
  private static let now = Instant(milliseconds: 1_800_000_000_000)

  private static func at(_ seconds: Int?) -> Instant? { seconds.map { now.adding(seconds: $0) } }

  @Test(
    "A suspension holds until its time, and no longer",
    arguments: [(nil, false), (-1, false), (0, false), (1, true)] as [(Int?, Bool)])
  func holds(until: Int?, isSuspended: Bool) {
    #expect(SuspensionRules.isSuspended(until: Self.at(until), now: Self.now) == isSuspended)
    #expect(SuspensionRules.isSuspended(until: .endOfTime, now: Self.now))
  }

  @Test(
    "A newer decision begins a suspension, lifts it, moves its end, or changes nothing",
    arguments: [
      (nil, 10, .begin), (-1, 10, .begin), (10, nil, .lift), (10, -1, .lift), (10, 20, .move), (10, 10, .nothing),
      (nil, nil, .nothing), (nil, -1, .nothing), (-1, nil, .nothing),
    ] as [(Int?, Int?, SuspensionRules.Change)])
  func changes(before: Int?, after: Int?, change: SuspensionRules.Change) {
    #expect(SuspensionRules.change(from: Self.at(before), to: Self.at(after), now: Self.now) == change)
  }

  @Test(
    "A suspension's link is mailed once a day", arguments: [(nil, true), (-86_399, false), (-86_400, true)] as [(Int?, Bool)])
  func links(lastSentAt: Int?, isDue: Bool) {
    #expect(SuspensionRules.isLinkDue(lastSentAt: Self.at(lastSentAt), now: Self.now) == isDue)
  }

  @Test(
    "A suspension can be appealed once, unless the decision is final",
    arguments: [(true, nil, nil), (true, -5, .appealed), (false, nil, .notAppealable), (false, -5, .appealed)]
      as [(Bool, Int?, SuspensionAppealFailure?)])
  func appeals(canAppeal: Bool, appealedAt: Int?, refusal: SuspensionAppealFailure?) {
    #expect(SuspensionRules.appealRefusal(canAppeal: canAppeal, appealedAt: Self.at(appealedAt)) == refusal)
  }
}
