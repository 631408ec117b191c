import ActivityContract
import Operations

/// The days from which a dashboard is computed: from the earliest that any of its periods needs up to today.
struct DashboardRules {
  /// How many days the history shows.
  static let historyDays = 30

  let today: LocalDay
  /// In ascending order, none after today.
  let days: [MovementState]
  let coins: [LocalDay: Int]

  /// The first day that a dashboard needs.
  static func firstDay(today: LocalDay) -> LocalDay {
    let month = MovementMonthStore.days(of: MovementMonthStore.month(of: today) - 1).lowerBound
    return min(month, GoalPeriod.week.days(around: today).lowerBound.advanced(by: -7), today.advanced(by: 1 - historyDays))
  }

  func day() -> MovementSummary { summary(from: today, before: today.advanced(by: -1)) }

  func week() -> MovementSummary {
    let monday = GoalPeriod.week.days(around: today).lowerBound
    return summary(from: monday, before: monday.advanced(by: -7))
  }

  /// Where the preceding month is shorter, all of it is compared with this one.
  func month() -> MovementSummary {
    let month = MovementMonthStore.month(of: today)
    return summary(
      from: MovementMonthStore.days(of: month).lowerBound, before: MovementMonthStore.days(of: month - 1).lowerBound)
  }

  /// - Parameters:
  ///   - past: of the months before this one.
  ///   - coins: ever.
  func allTime(_ past: MovementMonthStore.Sum, coins: Int) -> MovementSummary {
    var sum = past
    let month = MovementMonthStore.month(of: today)
    for day in days where MovementMonthStore.month(of: day.day) == month { sum.add(day) }
    return summary(sum, from: sum.firstDay ?? today, coins: coins, before: nil)
  }

  func history() -> [DashboardDay] {
    let states = Dictionary(uniqueKeysWithValues: days.map { ($0.day, $0) })
    return (0..<DashboardRules.historyDays).compactMap { back in
      let day = today.advanced(by: -back)
      let (state, coins) = (states[day], coins[day])
      guard state != nil || coins != nil else { return nil }
      let shown = state ?? MovementState(day: day)
      return DashboardDay(
        day: day, steps: shown.steps, walkingMeters: Amounts.amount(thousandths: shown.walking),
        runningMeters: Amounts.amount(thousandths: shown.running), cyclingMeters: Amounts.amount(thousandths: shown.cycling),
        coins: coins ?? 0)
    }
  }

  /// Summarises a period in progress, compared with as many days of the preceding one.
  private func summary(from: LocalDay, before: LocalDay) -> MovementSummary {
    let lastBefore = min(before.advanced(by: from.distance(to: today)), from.advanced(by: -1))
    var sum = MovementMonthStore.Sum()
    var stepsBefore = 0
    for day in days {
      if day.day >= from { sum.add(day) }
      if (before...lastBefore).contains(day.day) { stepsBefore += day.steps }
    }
    let earned = coins.filter { $0.key >= from }.values.reduce(0, +)
    return summary(sum, from: from, coins: earned, before: stepsBefore)
  }

  private func summary(
    _ sum: MovementMonthStore.Sum, from: LocalDay, coins: Int, before: Int?
  ) -> MovementSummary {
    MovementSummary(
      from: from, to: today, steps: sum.steps, walkingMeters: Amounts.amount(thousandths: sum.walking),
      runningMeters: Amounts.amount(thousandths: sum.running), cyclingMeters: Amounts.amount(thousandths: sum.cycling),
      coins: coins, averageSteps: sum.steps / (from.distance(to: today) + 1),
      bestDay: sum.best.map { BestDay(day: $0.day, steps: $0.steps) }, stepsBefore: before,
      trendPercent: before.flatMap { $0 == 0 ? nil : DashboardRules.percent(sum.steps - $0, of: $0) })
  }

  /// Rounded to the nearest, halves away from zero.
  private static func percent(_ part: Int, of whole: Int) -> Int {
    let doubled = part * 200 / whole
    return (doubled + (doubled < 0 ? -1 : 1)) / 2
  }
}
