import Operations
import RewardsContract
import Testing

@testable import RewardsService

@Suite("Rules of challenges (REW-7, REW-8)")
struct ChallengeRulesTests {
  private static func day(_ text: String) throws -> LocalDay { try LocalDay(text: text) }

  @Test(
    "A rule's window holds the day, its week from Monday to Sunday, or its calendar month",
    arguments: [
      (ChallengeWindow.day, "2026-11-21", "2026-11-21", "2026-11-21"), (.week, "2026-11-21", "2026-11-16", "2026-11-22"),
      (.week, "2026-11-16", "2026-11-16", "2026-11-22"), (.week, "2026-11-22", "2026-11-16", "2026-11-22"),
      (.week, "2027-01-01", "2026-12-28", "2027-01-03"), (.week, "1969-12-31", "1969-12-29", "1970-01-04"),
      (.month, "2026-11-21", "2026-11-01", "2026-11-30"), (.month, "2028-02-29", "2028-02-01", "2028-02-29"),
      (.month, "2026-12-31", "2026-12-01", "2026-12-31"),
    ])
  func windows(window: ChallengeWindow, day: String, first: String, last: String) throws {
    let days = ChallengeRules.window(window, of: try Self.day(day))
    #expect(days == (try Self.day(first))...(try Self.day(last)))
  }

  @Test("A rule counts only the days of its range, or the first days of a new account")
  func counted() throws {
    let (from, to) = (try Self.day("2026-11-10"), try Self.day("2026-11-12"))
    let range = ChallengeRule(metric: .steps, window: .range, from: from, to: to)
    #expect(ChallengeRules.period(range, of: from.advanced(by: -1), registeredOn: from) == nil)
    #expect(ChallengeRules.period(range, of: to, registeredOn: from) == from...to)
    #expect(ChallengeRules.period(range, of: to.advanced(by: 1), registeredOn: from) == nil)
    let new = ChallengeRule(metric: .steps, window: .week, newAccountDays: 3)
    // Registered on a Tuesday: of its week Tuesday to Thursday count.
    #expect(ChallengeRules.period(new, of: from, registeredOn: from) == from...from.advanced(by: 2))
    #expect(ChallengeRules.period(new, of: from.advanced(by: 3), registeredOn: from) == nil)
    #expect(ChallengeRules.period(new, of: from.advanced(by: -1), registeredOn: from) == nil)
  }

  /// What there is on days by their distance from a Monday.
  private static let monday = LocalDay(daysSinceEpoch: 20_773)

  @Test(
    "A rule finds the newest days that suffice",
    arguments: [
      // (window, steps a day, threshold, amounts by day, the days found)
      (ChallengeWindow.day, nil, 100, [0: 99, 1: 100, 5: 300, 6: 10], 5...5), (.day, nil, 100, [0: 99, 1: 99], nil),
      (.week, nil, 100, [0: 50, 6: 50], 0...6), (.week, nil, 100, [6: 50, 7: 50], nil),
      (.week, nil, 100, [0: 100, 8: 40, 9: 60, 15: 1], 7...13), (.ever, nil, 100, [0: 50, 300: 50], -10_000...10_000),
      (.ever, 10, 3, [0: 10, 1: 10, 2: 10], 0...2), (.ever, 10, 3, [0: 10, 1: 9, 2: 10, 3: 10], nil),
      (.ever, 10, 3, [0: 10, 2: 10, 3: 10, 4: 10, 5: 10, 7: 10], 2...5), (.ever, 10, 1, [0: 10, 2: 9, 5: 11], 5...5),
    ] as [(ChallengeWindow, Int?, Int, [Int: Int], ClosedRange<Int>?)])
  func find(window: ChallengeWindow, stepsPerDay: Int?, threshold: Int, amounts: [Int: Int], found: ClosedRange<Int>?) {
    let metric: ChallengeMetric = stepsPerDay == nil ? .steps : .daysInARow
    let rule = ChallengeRule(metric: metric, window: window, stepsPerDay: stepsPerDay)
    let days = amounts.sorted { $0.key < $1.key }.map { DayAmount(day: Self.monday.advanced(by: $0.key), amount: $0.value) }
    let result = ChallengeRules.find(rule, threshold: threshold, in: days, registeredOn: .placeholder)
    let wanted = found.map { Self.monday.advanced(by: $0.lowerBound)...Self.monday.advanced(by: $0.upperBound) }
    #expect(window == .ever && stepsPerDay == nil ? (result == nil) == (wanted == nil) : result == wanted)
  }

  @Test(
    "An invalid definition is refused with field and rule",
    arguments: [
      (#""metric":"steps","window":"day""#, #""threshold":1"#, []),
      (#""metric":"steps","window":"day","stepsPerDay":5"#, #""threshold":1"#, ["rule.stepsPerDay not_for_metric"]),
      (#""metric":"daysInARow","window":"ever""#, #""threshold":1"#, ["rule.stepsPerDay required"]),
      (
        #""metric":"daysInARow","window":"week","stepsPerDay":1"#, #""threshold":1"#, ["rule.window not_for_metric"]
      ),
      (#""metric":"friends","window":"day""#, #""threshold":1"#, ["rule.window not_for_metric"]),
      (#""metric":"friends","window":"ever","newAccountDays":3"#, #""threshold":1"#, ["rule.newAccountDays not_for_metric"]),
      (#""metric":"steps","window":"range""#, #""threshold":1"#, ["rule.from required", "rule.to required"]),
      (
        #""metric":"steps","window":"day","from":"2026-11-01","to":"2026-11-02""#, #""threshold":1"#,
        ["rule.from not_for_window", "rule.to not_for_window"]
      ),
      (
        #""metric":"steps","window":"range","from":"2026-11-02","to":"2026-11-01""#, #""threshold":1"#, ["rule.to out_of_range"]
      ),
      (
        #""metric":"steps","window":"range","from":"2026-01-01","to":"2027-01-02""#, #""threshold":1"#, ["rule.to out_of_range"]
      ),
      (
        #""metric":"steps","window":"range","from":"1969-01-01","to":"1969-01-02""#, #""threshold":1"#, ["rule.from out_of_range"]
      ),
      (
        #""metric":"steps","window":"range","from":"2026-01-01","to":"2026-01-02","newAccountDays":2"#, #""threshold":1"#,
        ["rule.newAccountDays not_for_window"]
      ),
      (#""metric":"jumps","window":"day""#, #""threshold":1"#, ["rule.metric not_a_choice"]),
      (#""metric":"steps","window":"day""#, "", ["threshold required"]),
      (#""metric":"steps","window":"day""#, #""threshold":0"#, ["threshold out_of_range"]),
      (
        #""metric":"steps","window":"day""#, #""threshold":1,"tiers":{"bronze":1,"silver":2,"gold":3}"#, ["tiers not_beside"]
      ),
      (
        #""metric":"steps","window":"day""#, #""tiers":{"bronze":2,"silver":2,"gold":1}"#,
        ["tiers.silver not_more_than", "tiers.gold not_more_than"]
      ),
      (#""metric":"tasksConfirmed","window":"day""#, #""threshold":1,"coins":5"#, ["coins only_for_movement"]),
      (#""metric":"entries","window":"week""#, #""threshold":1,"coins":5"#, ["coins only_for_movement"]),
      (#""metric":"activityStreak","window":"ever""#, #""threshold":1,"coins":5"#, ["coins only_for_movement"]),
      (
        #""metric":"steps","window":"day""#, #""coins":5,"tiers":{"bronze":1,"silver":2,"gold":3}"#, ["coins not_beside"]
      ),
      (#""metric":"steps","window":"day""#, #""threshold":1,"coins":0"#, ["coins out_of_range"]),
    ] as [(String, String, [String])])
  func definitions(rule: String, rest: String, problems: [String]) throws {
    let texts = ChallengeScene.texts("x")
    let json = """
      {"rule":{\(rule)},\(rest)\(rest.isEmpty ? "" : ",")"icon":"star","texts":\(String(decoding: texts.json, as: UTF8.self))}
      """
    var found: [String] = []
    do throws(Failure) {
      _ = try ChallengeTerms.decode(Array(json.utf8))
    } catch {
      found = error.fields.map { "\($0.field) \($0.code)" }
    }
    #expect(found == problems)
  }

  @Test(
    "An icon's name is 1 to 40 small letters, digits and hyphens",
    arguments: [("shoe-2", true), ("", false), ("Shoe", false), ("a b", false), (String(repeating: "a", count: 41), false)])
  func icons(text: String, isOne: Bool) {
    #expect(((try? BadgeIcon(text: text)) != nil) == isOne)
  }

  @Test("An edit may lower a threshold and raise coins, and not the reverse")
  func edits() throws {
    func problems(_ threshold: Int?, _ tiers: ChallengeTiers?, _ coins: Int?, of terms: ChallengeTerms) -> [String] {
      do throws(Failure) {
        try ChallengeRules.checkEdit(
          .init(
            challengeID: ID(), threshold: threshold.map { .set($0) } ?? .keep, tiers: tiers.map { .set($0) } ?? .keep,
            coins: coins.map { .set($0) } ?? .keep),
          of: terms)
        return []
      } catch {
        return error.fields.map { "\($0.field) \($0.code)" }
      }
    }
    let challenge = ChallengeScene.challenge("a", 100, coins: 5).terms
    #expect(problems(100, nil, 5, of: challenge) == [] && problems(1, nil, 10, of: challenge) == [])
    #expect(problems(101, nil, 4, of: challenge) == ["threshold may_not_rise", "coins may_not_fall"])
    #expect(problems(nil, nil, 4, of: challenge) == ["coins may_not_fall"] && problems(nil, nil, nil, of: challenge) == [])
    let tiers = ChallengeTiers(bronze: 1, silver: 2, gold: 3)
    #expect(problems(nil, tiers, 5, of: challenge) == ["tiers not_beside"])
    let achievement = ChallengeScene.achievement("b", .friends, tiers: ChallengeTiers(bronze: 2, silver: 4, gold: 8)).terms
    #expect(problems(nil, ChallengeTiers(bronze: 1, silver: 4, gold: 9), nil, of: achievement) == ["tiers.gold may_not_rise"])
    #expect(problems(nil, ChallengeTiers(bronze: 1, silver: 2, gold: 3), 7, of: achievement).first == "coins only_for_movement")
  }

  @Test("There are 20 built-in challenges and 11 achievements with unique names, of which only measured ones pay")
  func builtIn() throws {
    let items = try ChallengesFile.builtIn()
    #expect(items.count { $0.terms.threshold != nil } == 20 && items.count { $0.terms.tiers != nil } == 11)
    #expect(Set(items.map(\.id)).count == items.count)
    #expect(Set(items.map { $0.terms.texts.en.title }).count == items.count)
    #expect(Set(items.map { $0.terms.texts.es.title }).count == items.count)
    #expect(Set(items.map(\.terms.rule.metric)) == Set(ChallengeMetric.allCases))
    #expect(items.allSatisfy { $0.terms.tiers != nil || ($0.terms.coins != nil) == $0.terms.rule.metric.isMeasured })
    #expect(items.allSatisfy { $0.terms.texts.en.description != $0.terms.texts.es.description })
  }

  @Test(
    "The remainder of a challenge is shown in the language's words and digit grouping (E UC-06, AF-01)",
    arguments: [
      (2500, ChallengeMetric.steps, "2,500 steps remaining", "Faltan 2500 pasos"),
      (1, .steps, "1 step remaining", "Falta 1 paso"), (999, .steps, "999 steps remaining", "Faltan 999 pasos"),
      (1_234_567, .steps, "1,234,567 steps remaining", "Faltan 1.234.567 pasos"),
      (12_500, .steps, "12,500 steps remaining", "Faltan 12.500 pasos"),
      (999, .runningMeters, "999 m remaining", "Faltan 999 m"), (1000, .runningMeters, "1 km remaining", "Faltan 1 km"),
      (2401, .cyclingMeters, "2.5 km remaining", "Faltan 2,5 km"),
      (12_500_000, .cyclingMeters, "12,500 km remaining", "Faltan 12.500 km"),
      (1, .daysInARow, "1 day in a row remaining", "Falta 1 día seguido"),
      (3, .activityStreak, "3 days in a row remaining", "Faltan 3 días seguidos"),
      (2, .friends, "2 friends remaining", "Faltan 2 amistades"), (1, .teams, "1 team remaining", "Falta 1 equipo"),
    ])
  func wording(amount: Int, metric: ChallengeMetric, english: String, spanish: String) {
    let wording = ChallengeWording()
    #expect(wording.remaining(amount, of: metric, .english) == english)
    #expect(wording.remaining(amount, of: metric, .spanish) == spanish)
    for metric in ChallengeMetric.allCases {
      for language in Language.allCases { #expect(!wording.remaining(7, of: metric, language).isEmpty) }
    }
  }
}
