import ActivityContract
import Operations
import Testing

@testable import ActivityService

@Suite("The first day of an accepted challenge (SOC-6)")
struct ChallengeActivityRulesTests {
  @Test(
    "An accepted challenge begins today, or on its first day if that is later, and is refused after its last day",
    arguments: [
      // (start, end, today, first day)
      ("2026-11-01", nil, "2026-11-21", "2026-11-21"), ("2026-12-01", nil, "2026-11-21", "2026-12-01"),
      ("2026-11-01", "2026-11-21", "2026-11-21", "2026-11-21"), ("2026-11-01", "2026-11-20", "2026-11-21", nil),
      ("2026-12-01", "2026-12-01", "2026-11-21", "2026-12-01"),
    ] as [(String, String?, String, String?)])
  func cases(start: String, end: String?, today: String, expected: String?) throws {
    let activity = ChallengeActivity(
      title: "Walk", reason: nil, category: .fitness, goal: .check, schedule: .daily, startDay: try LocalDay(text: start),
      endDay: try end.map { try LocalDay(text: $0) })
    let today = try LocalDay(text: today)
    if let expected {
      #expect(try ChallengeActivityRules.startDay(of: activity, today: today).description == expected)
    } else {
      #expect(throws: ChallengeActivityFailure.over) { try ChallengeActivityRules.startDay(of: activity, today: today) }
    }
  }
}
