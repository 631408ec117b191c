import ActivityContract
import Operations
import Sampling

@testable import ActivityService

/// The slow and obvious way to find what an activity asks for on a day: of all edits that were ever made the last one that holds for the day,
/// within the start and end day that were set last.
struct VersionModel {
  /// What an edit made of the activity, and for which days.
  private struct Edit {
    let terms: ActivityTerms
    /// The day from which every so many days are counted.
    let anchor: LocalDay
    /// The first day for which it holds; nil for all days.
    let from: LocalDay?
  }

  private var edits: [Edit]
  private(set) var today: LocalDay
  /// The days on which something was recorded, and what was asked for then.
  private(set) var entries: [LocalDay: Goal] = [:]

  /// What is shown.
  var terms: ActivityTerms { edits[edits.count - 1].terms }

  init(_ terms: ActivityTerms, today: LocalDay) {
    edits = [Edit(terms: terms, anchor: terms.startDay, from: nil)]
    self.today = today
  }

  private func edit(for day: LocalDay) -> Edit { edits.last { $0.from.map { $0 <= day } ?? true } ?? edits[0] }

  /// What is asked for on that day; nil for nothing.
  func goal(on day: LocalDay) -> Goal? {
    guard day >= terms.startDay, day <= terms.endDay ?? day else { return nil }
    let edit = edit(for: day)
    return PlannedDays(edit.terms.schedule, anchor: edit.anchor).contains(day) ? edit.terms.goal : nil
  }

  /// Whether no entry would come to lie before the start or behind the end.
  func mayBecome(_ terms: ActivityTerms) -> Bool { entries.keys.allSatisfy { terms.startDay <= $0 && $0 <= terms.endDay ?? $0 } }

  /// The day from which the terms would hold, where what was recorded puts them off.
  func putOff(_ terms: ActivityTerms) -> LocalDay? { edit(to: terms).from.flatMap { $0 > today ? $0 : nil } }

  /// Whether something was recorded today, and what is shown holds from a later day on for that.
  var waits: Bool { entries[today] != nil && edits[edits.count - 1].from.map { $0 > today } ?? false }

  mutating func change(to new: ActivityTerms) { edits.append(edit(to: new)) }

  private func edit(to new: ActivityTerms) -> Edit {
    let (old, anchor) = (terms, edits[edits.count - 1].anchor)
    // Where no day can have been asked for yet, or any more, the edit stands for all that was before it.
    let isNew = old.startDay >= today || new.startDay >= today
    func edited(from: LocalDay?, keepingCount: Bool) -> Edit {
      let first = max(from ?? new.startDay, new.startDay)
      return Edit(terms: new, anchor: keepingCount && new.schedule == old.schedule ? anchor : first, from: from)
    }
    // It holds from now on, or else from behind the first day of something recorded behind which all that is recorded is such as it asks for.
    let recorded = entries.filter { $0.key >= today }
    func fits(_ edit: Edit) -> Bool {
      recorded.allSatisfy { day, goal in
        day < edit.from ?? day
          || PlannedDays(new.schedule, anchor: edit.anchor).contains(day) && goal.kind == new.goal.kind
            && goal.unit == new.goal.unit
      }
    }
    let edit = edited(from: isNew ? nil : today, keepingCount: !isNew || new.startDay == old.startDay)
    if fits(edit) { return edit }
    let later = recorded.keys.sorted().map { edited(from: $0.advanced(by: 1), keepingCount: true) }
    return later.first(where: fits) ?? edit
  }

  /// Something was recorded today.
  mutating func record() { if let goal = goal(on: today) { entries[today] = goal } }

  /// What was recorded first or last is taken back.
  mutating func takeBack(first: Bool) { if let day = first ? entries.keys.min() : entries.keys.max() { entries[day] = nil } }

  /// Days go by; a negative number where the account travels over the date line.
  mutating func wait(days: Int) { today = today.advanced(by: days) }
}

extension ActivityTerms {
  /// Terms as they may be set.
  static func random(around day: LocalDay, _ random: inout SeededGenerator) -> ActivityTerms {
    var terms = ActivityTerms(
      goal: .check, schedule: .daily, startDay: day.advanced(by: Int.random(in: -20...20, using: &random)))
    terms.vary(around: day, &random)
    return terms
  }

  /// Changes one to four of them.
  mutating func vary(around day: LocalDay, _ random: inout SeededGenerator) {
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    for _ in 0..<number(1...4) {
      switch number(0...4) {
      case 0:
        goal = [.check, .quantity(1, unit: "km"), .quantity(2, unit: "km"), .quantity(2, unit: "m")][number(0...3)]
      case 1:
        schedule = [.daily, .weekdays([number(1...7)]), .everyNDays(number(2...5)), .timesAWeek(number(1...7))][number(0...3)]
      case 2: startDay = day.advanced(by: number(-20...20))
      case 3: endDay = day.advanced(by: number(-20...20))
      default: endDay = nil
      }
    }
    if let end = endDay, end < startDay { endDay = nil }
  }
}
