import Operations
import RewardsContract
import Sampling
import ServiceKit
import Testing

@testable import RewardsService

@Suite("Rules of scores and of the months of leaderboards (REW-6)")
struct LeaderboardRulesTests {
  @Test(
    "A range of scores is covered by its buckets",
    arguments: [
      (0..<0, []), (7..<8, ["0 7..<8"]), (0..<256, ["1 0..<1"]), (1..<256, ["0 1..<256"]),
      (255..<512, ["0 255..<256", "1 1..<2"]),
      (255..<513, ["0 255..<256", "0 512..<513", "1 1..<2"]), (65_536..<131_072, ["2 1..<2"]),
      (300..<200_000, ["0 300..<512", "0 199936..<200000", "1 2..<256", "1 768..<781", "2 1..<3"]),
    ] as [(Range<Int>, [String])])
  func buckets(scores: Range<Int>, expected: [String]) {
    let buckets = LeaderboardRules.buckets(of: scores)
    #expect(buckets.map { "\($0.level) \($0.range.lowerBound)..<\($0.range.upperBound)" } == expected)
  }

  @Test("The buckets of any range contain each of its scores once, and no others")
  func cover() {
    var random = SeededGenerator(5)
    for _ in 0..<3000 {
      let start = Int.random(in: 0..<300_000, using: &random)
      let scores = start..<start + Int.random(in: 0..<300_000, using: &random)
      let held = LeaderboardRules.buckets(of: scores).map { buckets in
        let width = LeaderboardRules.width(ofLevel: buckets.level)
        return buckets.range.lowerBound * width..<buckets.range.upperBound * width
      }.sorted { $0.lowerBound < $1.lowerBound }
      #expect(
        (held.first?.lowerBound ?? scores.lowerBound, held.last?.upperBound ?? scores.upperBound) == (
          scores.lowerBound, scores.upperBound
        ))
      #expect(zip(held, held.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
      let edges = LeaderboardRules.buckets(of: scores).filter { $0.level < LeaderboardRules.levels - 1 }
      #expect(Dictionary(grouping: edges, by: \.level).values.allSatisfy { $0.reduce(0) { $0 + $1.range.count } <= 511 })
    }
  }

  @Test(
    "A month is over, and its ranks are final, once that holds in every zone: UTC-12 with a day starting at six",
    arguments: [
      ("2026-12-01T00:00:00.000Z", false, false), ("2026-12-01T17:59:59.999Z", false, false),
      ("2026-12-01T18:00:00.000Z", true, false),
      // Steps of the 30th count that are recorded up to the 6th of December, which ends on the 7th.
      ("2026-12-07T17:59:59.999Z", true, false), ("2026-12-07T18:00:00.000Z", true, true),
      ("2027-11-15T00:00:00.000Z", true, true),
      ("2026-11-15T00:00:00.000Z", false, false), ("2025-11-15T00:00:00.000Z", false, false),
    ])
  func months(now: String, isOver: Bool, stands: Bool) throws {
    let months = LeaderboardMonths(at: try Instant(text: now), earningDays: 7)
    #expect(months.isOver(202_611) == isOver && months.stands(202_611) == stands)
    #expect(!months.isOver(LeaderboardRules.allTime) && !months.stands(LeaderboardRules.allTime))
  }

  @Test("No steps of a month can earn in any zone once its ranks are final, and in some zones they can until then")
  func standing() throws {
    var random = SeededGenerator(6)
    for _ in 0..<500 {
      let formula = CoinFormula(earningDays: Int.random(in: 1...40, using: &random))
      let now = try Instant(text: "2026-11-01T00:00:00.000Z").adding(seconds: Int.random(in: 0..<200 * 86_400, using: &random))
      let months = LeaderboardMonths(at: now, earningDays: formula.earningDays)
      let lastOfOctober = try LocalDay(text: "2026-10-31")
      let mayEarn = ["Etc/GMT+12", "America/Lima", "UTC", "Asia/Kolkata", "Etc/GMT-14"].contains { zone in
        (0...6).contains { hour in
          formula.earns(lastOfOctober, recordedOn: LocalCalendar(TimeZones().offsets(zone), dayStartHour: hour).day(of: now))
        }
      }
      #expect(months.stands(202_610) == !mayEarn, "\(now) \(formula.earningDays)")
    }
  }

  @Test(
    "A leaderboard's period is a month or all time",
    arguments: [("2026-11", 202_611), ("2027-01", 202_701), ("allTime", 0)])
  func periods(text: String, number: Int) throws {
    let period = try LeaderboardPeriod(text: text)
    #expect(period.description == text && LeaderboardRules.number(of: period) == number)
  }

  @Test(
    "An invalid period of a leaderboard is refused",
    arguments: ["", "2026", "2026-13", "2026-00", "2026-11-01", "alltime", "november", "2026_11"])
  func noPeriods(text: String) {
    #expect(throws: FieldRule("not_a_leaderboard_period")) { try LeaderboardPeriod(text: text) }
  }

  @Test("A day belongs to the month in its date")
  func monthOfDay() throws {
    for (day, month) in [("2026-11-30", "2026-11"), ("2026-12-01", "2026-12"), ("2028-02-29", "2028-02")] {
      #expect(LeaderboardPeriod(of: try LocalDay(text: day)).description == month)
    }
  }
}
