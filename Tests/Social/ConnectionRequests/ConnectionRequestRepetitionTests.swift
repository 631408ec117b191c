import Operations
import Testing

@testable import SocialService

@Suite("Repeated requests to one account (SOC-1, SOC-7)")
struct ConnectionRequestRepetitionTests {
  @Test(
    "After three withdrawn or rejected requests within a day the next one must wait until the oldest is a day old",
    arguments: [
      ([], nil), ([10, 20], nil), ([10, 20, 30], 86_370), ([1, 2, 3, 4], 86_397), ([10, 20, 86_399], 1), ([10, 20, 86_400], nil),
      ([10, 90_000, 90_001], nil),
    ] as [([Int], Int?)])
  func wait(secondsAgo: [Int], seconds: Int?) throws {
    let now = try Instant(text: "2026-11-21T12:00:00.000Z")
    #expect(ConnectionRequestRepetition.wait(secondsAgo.map { now.adding(seconds: -$0) }, at: now) == seconds)
  }
}
