import Operations
import RewardsContract

/// The amount of a metric on a day.
struct DayAmount: Hashable, Sendable {
  let day: LocalDay
  let amount: Int
}

/// The rules for which days a challenge counts, and whether they suffice (REW-7): pure, without clock or store.
enum ChallengeRules {
  /// All days of the calendar.
  static let ever = LocalDay(daysSinceEpoch: -719_162)...LocalDay(daysSinceEpoch: 2_932_896)

  /// The days that count for an account at all; they may lie in the future.
  static func counted(_ rule: ChallengeRule, registeredOn: LocalDay) -> ClosedRange<LocalDay> {
    if let from = rule.from, let to = rule.to, from <= to { return from...to }
    guard let days = rule.newAccountDays else { return ever }
    return registeredOn...registeredOn.advanced(by: days - 1)
  }

  /// The days that count together with a day, such as those of its week; nil where that day does not count.
  static func period(_ rule: ChallengeRule, of day: LocalDay, registeredOn: LocalDay) -> ClosedRange<LocalDay>? {
    let counted = counted(rule, registeredOn: registeredOn)
    guard counted.contains(day) else { return nil }
    return window(rule.window, of: day).clamped(to: counted)
  }

  /// The window that contains a day.
  static func window(_ window: ChallengeWindow, of day: LocalDay) -> ClosedRange<LocalDay> {
    switch window {
    case .day: return day...day
    case .week:
      let monday = day.advanced(by: 1 - day.weekday)
      return monday...monday.advanced(by: 6)
    case .month:
      let (year, month, number) = day.parts
      let first = day.advanced(by: 1 - number)
      return first...first.advanced(by: LocalDay.length(ofMonth: month, year: year) - 1)
    case .range, .ever: return ever
    }
  }

  /// Returns the newest period whose days reach a threshold; nil where there is none.
  ///
  /// - Parameter days: the amount on each day, oldest first, without empty days; for days in a row, the steps.
  static func find(
    _ rule: ChallengeRule, threshold: Int, in days: [DayAmount], registeredOn: LocalDay
  ) -> ClosedRange<LocalDay>? {
    if let stepsPerDay = rule.stepsPerDay {
      let counted = counted(rule, registeredOn: registeredOn)
      return newestRow(of: threshold, in: days.filter { counted.contains($0.day) && $0.amount >= stepsPerDay }.map(\.day))
    }
    var found: ClosedRange<LocalDay>?
    var (present, sum): (ClosedRange<LocalDay>?, Int) = (nil, 0)
    for day in days {
      guard let period = period(rule, of: day.day, registeredOn: registeredOn) else { continue }
      if period != present { (present, sum) = (period, 0) }
      sum += day.amount
      if sum >= threshold { found = period }
    }
    return found
  }

  /// The newest row of at least so many consecutive days; nil where there is none.
  private static func newestRow(of count: Int, in days: [LocalDay]) -> ClosedRange<LocalDay>? {
    var (found, first): (ClosedRange<LocalDay>?, LocalDay?) = (nil, nil)
    for (index, day) in days.enumerated() {
      let goesOn = index > 0 && days[index - 1].advanced(by: 1) == day
      let start = goesOn ? first ?? day : day
      first = start
      if start.distance(to: day) + 1 >= count { found = start...day }
    }
    return found
  }

  /// The first day for which coins are paid: the earliest day for which movement still earns when the definition is created. Earlier days
  /// give only the badge.
  static func firstPaidDay(createdOn: LocalDay, earningDays: Int) -> LocalDay { createdOn.advanced(by: 1 - earningDays) }

  // MARK: - Definitions

  /// Refuses a change that would harm an account on its way, by a higher threshold or a smaller reward.
  static func checkEdit(_ input: UpdateChallenge.Input, of terms: ChallengeTerms) throws(Failure) {
    var problems: [FieldProblem] = []
    func expect(_ isRight: Bool, _ field: String, _ rule: FieldRule) {
      if !isRight { problems.append(FieldProblem(field: field, rule)) }
    }
    compare(input.threshold.value, terms.threshold, "threshold", expect)
    if let present = terms.tiers {
      compare(input.tiers.value?.bronze, present.bronze, "tiers.bronze", expect)
      compare(input.tiers.value?.silver, present.silver, "tiers.silver", expect)
      compare(input.tiers.value?.gold, present.gold, "tiers.gold", expect)
    } else {
      expect(input.tiers == .keep, "tiers", FieldRule("not_beside", ["field": .text("threshold")]))
    }
    if let coins = input.coins.value {
      expect(terms.rule.metric.isMeasured, "coins", FieldRule("only_for_movement"))
      expect(terms.tiers == nil, "coins", FieldRule("not_beside", ["field": .text("tiers")]))
      expect(coins >= terms.coins ?? 0, "coins", FieldRule("may_not_fall", ["min": .number(terms.coins ?? 0)]))
    }
    if !problems.isEmpty { throw Failure(RequestFailure.invalidFields, fields: problems) }
  }

  /// A threshold may only fall, and there may be one only where there was one.
  private static func compare(
    _ new: Int?, _ old: Int?, _ field: String, _ expect: (Bool, String, FieldRule) -> Void
  ) {
    guard let new else { return }
    guard let old else { return expect(false, field, FieldRule("not_beside", ["field": .text("tiers")])) }
    expect(new <= old, field, FieldRule("may_not_rise", ["max": .number(old)]))
  }
}
