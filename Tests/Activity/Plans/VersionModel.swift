import ActivityContract
import Operations
import Sampling

@testable import ActivityService

/// The slow and obvious way to tell what an activity asks for on a day: of all edits that were ever made the last one that holds for the day,
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
  private(set) var entries: Set<LocalDay> = []

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
  func mayBecome(_ terms: ActivityTerms) -> Bool { entries.allSatisfy { terms.startDay <= $0 && $0 <= terms.endDay ?? $0 } }

  mutating func change(to new: ActivityTerms) {
    let (old, anchor) = (terms, edits[edits.count - 1].anchor)
    // Where no day can have been asked for yet, or any more, the edit stands for all that was before it.
    let isNew = old.startDay >= today || new.startDay >= today
    func edited(from: LocalDay?, keepingCount: Bool) -> Edit {
      let first = max(from ?? new.startDay, new.startDay)
      return Edit(terms: new, anchor: keepingCount && new.schedule == old.schedule ? anchor : first, from: from)
    }
    var edit = edited(from: isNew ? nil : today, keepingCount: !isNew || new.startDay == old.startDay)
    if let entry = entries.filter({ $0 >= today }).max() {
      let fits =
        PlannedDays(new.schedule, anchor: edit.anchor).contains(entry) && new.goal.kind == old.goal.kind
        && new.goal.unit == old.goal.unit
      if !fits { edit = edited(from: entry.advanced(by: 1), keepingCount: true) }
    }
    edits.append(edit)
  }

  /// Something was recorded today.
  mutating func record() { if goal(on: today) != nil { entries.insert(today) } }

  /// What was recorded first or last is taken back.
  mutating func takeBack(first: Bool) { if let day = first ? entries.min() : entries.max() { entries.remove(day) } }

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
