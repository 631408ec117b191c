import Operations
import SocialContract
import Testing

@testable import SocialService

@Suite("Rules of team scores and ranks (TEAM-2)")
struct TeamScoreRulesTests {
  @Test(
    "Only tasks of two or more participants count for a team's score", arguments: [(0, false), (1, false), (2, true), (50, true)])
  func participants(count: Int, isCounted: Bool) {
    #expect(TeamScoreRules.counts(participants: count) == isCounted)
  }

  @Test(
    "The month of a team's score is in UTC",
    arguments: [
      ("2026-11-30T23:59:59.999Z", "2026-11", 202_611), ("2026-12-01T00:00:00.000Z", "2026-12", 202_612),
      ("2026-12-01T00:30:00.000+01:00", "2026-11", 202_611), ("2027-01-01T00:00:00.000Z", "2027-01", 202_701),
      ("2028-02-29T12:00:00.000Z", "2028-02", 202_802),
    ])
  func months(instant: String, text: String, period: Int) throws {
    let month = TeamMonth(try Instant(text: instant))
    #expect(month.description == text && TeamScoreRules.period(month) == period)
    #expect(try TeamMonth(text: text) == month && TeamScoreRules.period(nil) == 0)
  }

  @Test(
    "An impossible month is refused for team scores",
    arguments: ["2026-13", "2026-00", "2026", "2026-11-01", "11-2026", ""])
  func noMonths(text: String) {
    #expect(throws: FieldRule("not_a_month")) { try TeamMonth(text: text) }
  }

  @Test(
    "Teams with equal scores share a rank, and the next one comes after all of them",
    arguments: [
      ([], 1, []), ([(9, 1), (7, 2), (7, 2), (4, 1)], 1, [1, 2, 2, 4]),
      // A page that begins among those of a score, and ends among those of another.
      ([(7, 3), (7, 3), (4, 9), (4, 9)], 12, [12, 12, 15, 15]), ([(0, 100_000)], 7, [7]),
    ] as [([(score: Int, sharedBy: Int)], Int, [Int])])
  func ranks(teams: [(score: Int, sharedBy: Int)], first: Int, expected: [Int]) {
    #expect(TeamScoreRules.ranks(of: teams, first: first) == expected)
  }
}
