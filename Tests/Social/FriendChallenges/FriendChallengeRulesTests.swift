import Operations
import SocialContract
import Testing

@testable import SocialService

@Suite("Rules of challenges (SOC-6)")
struct FriendChallengeRulesTests {
  @Test(
    "An answer changes a pending challenge, the same again changes nothing, and another one is refused",
    arguments: FriendChallengeState.allCases, [FriendChallengeState.accepted, .rejected, .withdrawn])
  func answers(state: FriendChallengeState, answer: FriendChallengeState) throws {
    let (direction, wrong): (ConnectionRequestDirection, ConnectionRequestDirection) =
      answer == .withdrawn ? (.sent, .received) : (.received, .sent)
    let expected: String
    switch state {
    case .pending: expected = "true"
    case answer: expected = "false"
    default: expected = "challenge_answered"
    }
    #expect(outcome { try FriendChallengeRules.isChanged(state, by: answer, direction) } == expected)
    #expect(outcome { try FriendChallengeRules.isChanged(state, by: answer, wrong) } == "forbidden")
  }

  @Test(
    "Only an accepted challenge can be ended, once",
    arguments: [
      (FriendChallengeState.accepted, "true"), (.ended, "false"), (.pending, "challenge_not_accepted"),
      (.rejected, "challenge_not_accepted"), (.withdrawn, "challenge_not_accepted"),
    ])
  func ends(state: FriendChallengeState, expected: String) {
    #expect(outcome { try FriendChallengeRules.isEnded(state) } == expected)
  }

  @Test(
    "The fifty-first challenge of a day must wait until the first of the fifty is a day old",
    arguments: [(nil, nil), (86_400, nil), (86_399, 1), (0, 86_400)] as [(Int?, Int?)])
  func perDay(secondsAgo: Int?, seconds: Int?) throws {
    let now = try Instant(text: "2026-11-21T12:00:00.000Z")
    #expect(FriendChallengeRules.wait(sentAt: secondsAgo.map { now.adding(seconds: -$0) }, at: now) == seconds)
  }

  private func outcome(_ body: () throws -> Bool) -> String {
    do { return "\(try body())" } catch { return Failure(error).code }
  }
}
