import Operations
import Testing

@testable import SocialService

@Suite("How often one account asks another again (SOC-1, SOC-7)")
struct ConnectionRequestRepetitionTests {
  @Test(
    "A third request that was withdrawn or rejected within a day makes the next one wait until the oldest of the three is a day old",
    arguments: [
      ([], nil), ([10, 20], nil), ([10, 20, 30], 86_370), ([1, 2, 3, 4], 86_397), ([10, 20, 86_399], 1), ([10, 20, 86_400], nil),
      ([10, 90_000, 90_001], nil),
    ] as [([Int], Int?)])
  func wait(secondsAgo: [Int], seconds: Int?) throws {
    let now = try Instant(text: "2026-11-21T12:00:00.000Z")
    #expect(ConnectionRequestRepetition.wait(secondsAgo.map { now.adding(seconds: -$0) }, at: now) == seconds)
  }
}
