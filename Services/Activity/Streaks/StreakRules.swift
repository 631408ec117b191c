import ActivityContract
import Operations

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The rules for an activity's streak and for the strength of the habit (ACT-10).
enum StreakRules {
  /// After how many days a day of a daily activity counts half as much for the strength.
  static let halfLife = 13.0

  /// The streak and the strength, from 0 to 1, as they stand today.
  ///
  /// After a change from days to weeks or back, only what is of the present unit is counted, while a miss of either breaks the streak.
  ///
  /// The strength begins at 0. Each planned day or week that is over, or kept already, makes it `strength × rest + (1 − rest)` if it was
  /// kept and `strength × rest` if it was missed; what is paused or skipped leaves it as it is. For `rest` see ``rest(_:_:)``.
  ///
  /// - Parameters:
  ///   - progress: that of each day that has an entry, oldest first.
  ///   - today: the account's day.
  static func record(_ plan: Plan, _ progress: [DayProgress], today: LocalDay) -> (streak: Streak, strength: Double) {
    record(plan, progress, today: today) { _ in }
  }

  /// The streak as it stood when a week was over, and whether one was broken in it.
  ///
  /// - Parameters:
  ///   - days: the week's.
  ///   - progress: that of each day up to its end that has an entry, oldest first.
  static func week(
    _ days: ClosedRange<LocalDay>, _ plan: Plan, _ progress: [DayProgress]
  ) -> (streak: Streak, isBroken: Bool) {
    var isBroken = false
    let record = record(plan, progress, today: days.upperBound.advanced(by: 1)) { day in
      if days.contains(day) { isBroken = true }
    }
    return (record.streak, isBroken)
  }

  /// - Parameter broken: called with each day, or each week's Sunday, that ended a streak.
  private static func record(
    _ plan: Plan, _ progress: [DayProgress], today: LocalDay, broken: (LocalDay) -> Void
  ) -> (streak: Streak, strength: Double) {
    let unit: Streak.Unit = plan.version(on: today).planned.timesAWeek == nil ? .days : .weeks
    var record = Record(unit)
    var week: (sunday: LocalDay, days: EvaluatedWeek, planned: PlannedDays)?

    func closeWeek() {
      guard let closed = week else { return }
      if record.add(closed.days.outcome(isOver: closed.sunday < today), .weeks, closed.planned) { broken(closed.sunday) }
      week = nil
    }

    let last = max(today, progress.last?.day ?? today)
    plan.evaluate(progress, from: plan.firstDay, to: last, today: today) { day in
      if let open = week, day.day > open.sunday { closeWeek() }
      if let times = day.timesAWeek {
        var open = week ?? (day.day.sunday, EvaluatedWeek(), day.version.planned)
        open.days.add(day, times: times)
        open.planned = day.version.planned
        week = open
      } else {
        if record.add(day.outcome, .days, day.version.planned) { broken(day.day) }
      }
    }
    closeWeek()
    return (Streak(current: record.run, longest: record.longest, unit: unit), record.strength)
  }

  /// What remains of the strength when a day or a week is over, before that is counted.
  ///
  /// It is ½^(span · √share / 13), where the share of days that are planned is 1 for a daily activity and the span is from one to the
  /// next in days: so the half-life is 13 days for a daily one, 34 for one day a week, 72 for one day a month. It is the formula of the
  /// score of Loop Habit Tracker.
  static func rest(_ unit: Streak.Unit, _ planned: PlannedDays) -> Double {
    let share = planned.share
    let span = unit == .weeks ? 7 : 1 / share
    return pow(0.5, span * share.squareRoot() / halfLife)
  }

  /// How many days ahead to search for a day that may change a streak; the search is repeated after that.
  static let lookAhead = 100

  /// The first day, today or later, whose end may change the streak without a write; at the latest some months ahead.
  ///
  /// That is a planned day that is still open; the day before another version applies; and for weeks the Sunday, since a week is evaluated
  /// when it is over, whatever is planned on its remaining days. Without a streak to break or a limit to keep, no end of a day or week
  /// changes anything.
  static func nextDay(_ plan: Plan, _ progress: [DayProgress], _ streak: Streak, today: LocalDay) -> LocalDay {
    var next = today.advanced(by: lookAhead)
    for version in plan.versions where version.fromDay > today { next = min(next, version.fromDay.advanced(by: -1)) }
    guard streak.current > 0 || plan.versions.contains(where: \.measure.isLimit) else { return next }
    if plan.versions.contains(where: { $0.planned.timesAWeek != nil }) { next = min(next, today.sunday) }
    let open = Array(progress.drop { $0.day < today })
    plan.evaluate(open, from: today, to: next, today: today) { day in
      if day.outcome == .open { next = min(next, day.day) }
    }
    return next
  }

  private struct Record {
    let unit: Streak.Unit
    var run = 0
    var longest = 0
    var strength = 0.0
    private var known: (unit: Streak.Unit, planned: PlannedDays, rest: Double)?

    init(_ unit: Streak.Unit) { self.unit = unit }

    /// - Returns: whether it ended a streak.
    mutating func add(_ outcome: EvaluatedDay.Outcome?, _ unit: Streak.Unit, _ planned: PlannedDays) -> Bool {
      let isKept: Bool
      switch outcome {
      case .kept: isKept = true
      case .missed: isKept = false
      case .open, nil: return false
      }
      let (rest, before) = (rest(unit, planned), run)
      strength = strength * rest + (isKept ? 1 - rest : 0)
      if !isKept {
        run = 0
      } else if unit == self.unit {
        run += 1
        longest = max(longest, run)
      }
      return !isKept && before > 0
    }

    /// A power costs more than all other work for a day, and is mostly the same as before.
    private mutating func rest(_ unit: Streak.Unit, _ planned: PlannedDays) -> Double {
      if let known, known.unit == unit, known.planned == planned { return known.rest }
      let rest = StreakRules.rest(unit, planned)
      known = (unit, planned, rest)
      return rest
    }
  }
}
