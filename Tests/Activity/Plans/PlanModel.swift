import ActivityContract
import Foundation
import InProcess
import Operations
import Sampling

@testable import ActivityService

/// The slow and obvious way to evaluate an activity's days: each day by itself, looking everything up anew, with the calendar of Foundation.
///
/// What it finds of a day by itself it remembers, or ten thousand lives would take minutes.
final class PlanModel {
  let plan: Plan
  let progress: [LocalDay: Int]
  let today: LocalDay
  private var planned = DayTable<Bool>()
  private var counted = DayTable<Bool>()
  private var held = DayTable<ActivityVersion>()
  private var done = DayTable<Int>()
  private var paused = DayTable<Bool>()

  init(plan: Plan, progress: [LocalDay: Int], today: LocalDay) {
    self.plan = plan
    self.progress = progress
    self.today = today
    for (day, progress) in progress { done[day] = progress }
    for pause in plan.pauses { for day in pause { paused[day] = true } }
  }

  /// What the calendar of Foundation says of a day.
  private struct Facts: Sendable {
    let weekday: Int
    let dayOfMonth: Int
    let daysInMonth: Int
    /// Which one of its weekday it is in its month, and whether it is the last.
    let nth: Int
    let isLastOfWeekday: Bool
  }

  private static let facts: DayTable<Facts> = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    var facts = DayTable<Facts>()
    for number in Int32(18_500)..<22_500 {
      let date = Date(timeIntervalSince1970: Double(number) * 86_400)
      let parts = calendar.dateComponents([.weekday, .day, .weekdayOrdinal, .month], from: date)
      let month = calendar.range(of: .day, in: .month, for: date)?.count ?? 0
      let later = calendar.dateComponents([.month], from: date.addingTimeInterval(7 * 86_400))
      facts[LocalDay(daysSinceEpoch: number)] = Facts(
        weekday: ((parts.weekday ?? 0) + 5) % 7 + 1, dayOfMonth: parts.day ?? 0, daysInMonth: month,
        nth: parts.weekdayOrdinal ?? 0, isLastOfWeekday: later.month != parts.month)
    }
    return facts
  }()

  private func facts(_ day: LocalDay) -> Facts { PlanModel.facts[day]! }

  func version(_ day: LocalDay) -> ActivityVersion {
    if let known = held[day] { return known }
    let version = plan.versions.filter { $0.fromDay <= day }.max { $0.fromDay < $1.fromDay } ?? plan.versions[0]
    held[day] = version
    return version
  }

  func isPlanned(_ day: LocalDay) -> Bool {
    if let known = planned[day] { return known }
    let isPlanned = findPlanned(day)
    planned[day] = isPlanned
    return isPlanned
  }

  private func findPlanned(_ day: LocalDay) -> Bool {
    let version = version(day)
    guard day >= version.startDay, day <= version.endDay ?? day else { return false }
    let (schedule, facts) = (version.planned.schedule, facts(day))
    return switch schedule.kind {
    case .daily, .timesAWeek: true
    case .weekdays: schedule.weekdays!.contains(facts.weekday)
    case .monthDays: schedule.monthDays!.contains { min($0, facts.daysInMonth) == facts.dayOfMonth }
    case .everyNDays:
      (-60...60).contains { version.planned.anchor.advanced(by: $0 * schedule.everyDays!) == day }
    case .nthWeekdays:
      schedule.nthWeekdays!.contains {
        $0.weekday == facts.weekday && ($0.nth == facts.nth || $0.nth == -1 && facts.isLastOfWeekday)
      }
    }
  }

  func isPaused(_ day: LocalDay) -> Bool { paused[day] == true }

  private func isDue(_ day: LocalDay) -> Bool { isPlanned(day) && !isPaused(day) && !plan.skips.contains(day) }

  /// True for kept, false for missed, nil while it is open.
  private func isKept(_ day: LocalDay) -> Bool? {
    let (goal, done) = (version(day).measure, done[day] ?? 0)
    if goal.direction == .atMost { return done > goal.target ? false : day < today ? true : nil }
    return done >= goal.target ? true : day < today ? false : nil
  }

  /// Whether the day counts at all.
  private func counts(_ day: LocalDay) -> Bool {
    if let known = counted[day] { return known }
    let counts = isDue(day) && !(plan.lostDays.contains(day) && isKept(day) == false)
    counted[day] = counts
    return counts
  }

  private func week(_ day: LocalDay) -> [LocalDay] { (0..<7).map { monday(day).advanced(by: $0) } }

  private func monday(_ day: LocalDay) -> LocalDay { day.advanced(by: 1 - facts(day).weekday) }

  /// Of a week in which any days may be used, as far as that day: true for kept, false for missed, nil for neither.
  private func isWeekKept(_ day: LocalDay, upTo lastDay: LocalDay) -> Bool? {
    let days = week(day).filter { counts($0) && version($0).planned.kind == .timesAWeek && $0 <= lastDay }
    guard let times = days.last.map({ version($0).planned.code }) else { return nil }
    let kept = days.filter { isKept($0) == true }.count
    if kept >= times { return true }
    let isOver = week(day).allSatisfy { $0 < today }
    return isOver && days.count >= times ? false : nil
  }

  private lazy var lastDay: LocalDay = max(today, progress.keys.max() ?? today)

  func state(_ day: LocalDay) -> DayState? {
    guard isPlanned(day) else { return nil }
    if isPaused(day) { return .paused }
    if !counts(day) { return .skipped }
    let version = version(day)
    let isLimit = version.measure.direction == .atMost
    switch isKept(day) {
    case true: return .done
    case _ where !isLimit && (done[day] ?? 0) > 0: return .partly
    case nil where isLimit || version.planned.kind != .timesAWeek: return .pending
    case false where isLimit || version.planned.kind != .timesAWeek: return .failed
    case nil: return isWeekKept(day, upTo: week(day)[6]) == true ? .free : .pending
    default: return isWeekKept(day, upTo: week(day)[6]) == false ? .failed : .free
    }
  }

  /// Everything that was kept or missed, in order: days, and weeks behind their last day.
  private lazy var evaluated: [(isKept: Bool, isWeek: Bool, rest: Double)] = evaluate()

  private func evaluate() -> [(isKept: Bool, isWeek: Bool, rest: Double)] {
    var found: [(isKept: Bool, isWeek: Bool, rest: Double)] = []
    guard plan.firstDay <= lastDay else { return [] }
    for day in plan.firstDay...lastDay {
      let version = version(day)
      if version.planned.kind != .timesAWeek, counts(day), let isKept = isKept(day) {
        found.append((isKept, false, pow(0.5, 1 / 13 / share(version.planned.schedule).squareRoot())))
      }
      guard facts(day).weekday == 7 || day == lastDay else { continue }
      let weekly = week(day).filter { $0 <= lastDay && counts($0) && self.version($0).planned.kind == .timesAWeek }
      if let last = weekly.last, let isKept = isWeekKept(day, upTo: lastDay) {
        let planned = week(day).filter { $0 <= lastDay && isPlanned($0) && self.version($0).planned.kind == .timesAWeek }
        let share = share(self.version(planned.last ?? last).planned.schedule)
        found.append((isKept, true, pow(0.5, 7 / 13 * share.squareRoot())))
      }
    }
    return found
  }

  private func share(_ schedule: Schedule) -> Double {
    let month = 30.436875
    return switch schedule.kind {
    case .daily: 1
    case .weekdays: Double(schedule.weekdays!.count) / 7
    case .monthDays: Double(schedule.monthDays!.count) / month
    case .everyNDays: 1 / Double(schedule.everyDays!)
    case .timesAWeek: Double(schedule.timesAWeek!) / 7
    case .nthWeekdays: min(1, Double(schedule.nthWeekdays!.count) / month)
    }
  }

  var streak: Streak {
    let isWeekly = version(today).planned.kind == .timesAWeek
    let rows = evaluated.split(omittingEmptySubsequences: false) { !$0.isKept }.map { row in
      row.filter { $0.isWeek == isWeekly }.count
    }
    return Streak(current: rows.last ?? 0, longest: rows.max() ?? 0, unit: isWeekly ? .weeks : .days)
  }

  /// Each that was kept adds its part, of which those after it leave their rest.
  var strength: Double {
    return evaluated.indices.reduce(0) { sum, index in
      guard evaluated[index].isKept else { return sum }
      return sum + evaluated[(index + 1)...].reduce(1 - evaluated[index].rest) { $0 * $1.rest }
    }
  }
}

extension PlanModel {
  /// An activity's life as it may come.
  convenience init(_ random: inout SeededGenerator) {
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    func days(_ range: ClosedRange<Int>) -> [Int] { (0..<number(1...4)).map { _ in number(range) } }
    func schedule() -> Schedule {
      switch number(0...6) {
      case 0: .daily
      case 1: .weekdays(days(1...7))
      case 2: .monthDays(days(1...31))
      case 3: .everyNDays(number(2...9))
      case 4:
        .nthWeekdays(
          (0..<number(1...4)).map { _ in NthWeekday(nth: [1, 2, 3, 4, 5, -1][number(0...5)], weekday: number(1...7)) })
      default: .timesAWeek(number(1...7))
      }
    }
    let start = LocalDay(daysSinceEpoch: Int32(number(19_000...21_500)))
    let today = start.advanced(by: number(-3...35))
    var versions: [ActivityVersion] = []
    var from = start.advanced(by: -20)
    let first = number(0...5) == 0 ? start.advanced(by: number(-10...20)) : start
    let end = number(0...2) == 0 ? first.advanced(by: number(0...40)) : nil
    for _ in 0..<number(1...3) {
      let goal: Goal = number(0...3) == 0 ? .duration(seconds: 2, .atMost) : .duration(seconds: 2)
      versions.append(
        ActivityVersion(
          ActivityTerms(
            goal: goal, schedule: schedule(), startDay: first, endDay: end),
          from: from, anchor: first.advanced(by: number(-20...20))))
      from = max(start, from).advanced(by: number(1...20))
    }
    var pauses: [ClosedRange<LocalDay>] = []
    var begin = start
    while number(0...2) == 0 {
      begin = begin.advanced(by: number(0...15))
      pauses.append(begin...begin.advanced(by: number(0...12)))
      begin = begin.advanced(by: 13)
    }
    // The archive's own lies over whatever pauses there are.
    if number(0...3) == 0 {
      let archived = start.advanced(by: number(0...40))
      pauses.append(archived...archived.advanced(by: 900))
      pauses.sort { $0.lowerBound < $1.lowerBound }
    }
    func some(_ maximum: Int) -> Set<LocalDay> { Set((0..<number(0...maximum)).map { _ in start.advanced(by: number(-2...50)) }) }
    let share = Double.random(in: 0...1, using: &random)
    var progress: [LocalDay: Int] = [:]
    let last = today.advanced(by: number(0...4) == 0 ? 2 : 0)
    for day in start.advanced(by: -3)..<max(start, last.advanced(by: 1)) where Double.random(in: 0..<1, using: &random) < share {
      progress[day] = number(0...3)
    }
    self.init(plan: Plan(versions, pauses: pauses, skips: some(4), lostDays: some(2)), progress: progress, today: today)
  }

  /// For a test that fails.
  var description: String { "\(plan) \(entries) \(today)" }

  /// The entries as the store gives them.
  var entries: [DayProgress] {
    progress.map { DayProgress(day: $0.key, progress: $0.value) }.sorted { $0.day < $1.day }
  }
}

/// Something of each day from 2020 to 2031, at hand without a search.
struct DayTable<Value: Sendable>: Sendable {
  private var values = [Value?](repeating: nil, count: 4_000)

  subscript(day: LocalDay) -> Value? {
    get { values[Int(day.daysSinceEpoch) - 18_500] }
    set { values[Int(day.daysSinceEpoch) - 18_500] = newValue }
  }
}
