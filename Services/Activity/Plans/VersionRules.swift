import ActivityContract
import Operations

/// The rules for changing an activity's versions when its terms change.
///
/// - A changed schedule or goal applies from today on; past days stay as they were.
/// - A day with an entry or a timer that does not fit the new terms (another kind of goal or unit than those of the day, or nothing
///   planned) stays as it is, and the new terms apply from the next day on: what has begun can be finished. However often the terms change
///   on that day, they are compared with those that apply to it, never with those that apply from the next day.
/// - Start and end day apply to all days, past ones too. Days that they add have the terms that applied then.
/// - Where the activity has not begun, by its old or its new start day, nothing of the former terms remains: every so many days are counted
///   from the new start day. Where it has begun, an unchanged schedule continues its count.
enum VersionRules {
  /// - Parameters:
  ///   - versions: oldest first, and at least one.
  ///   - begun: the days from today on that have an entry or a timer; more than one day can have one where the account travelled over
  ///     the date line.
  static func change(
    _ versions: [ActivityVersion], to terms: ActivityTerms, today: LocalDay, begun: Set<LocalDay>
  ) -> [ActivityVersion] {
    guard let next = next(versions, terms, today: today, begun: begun) else { return [] }
    let kept = versions.prefix { $0.fromDay < next.fromDay }.map { $0.bounded(by: terms) }
    return kept.last?.asksLike(next) == true ? kept : kept + [next]
  }

  /// The day from which on the terms would apply, where a day that has begun delays them; nil where none does. Parameters as for
  /// ``change(_:to:today:begun:)``.
  static func putOff(
    _ versions: [ActivityVersion], to terms: ActivityTerms, today: LocalDay, begun: Set<LocalDay>
  ) -> LocalDay? {
    next(versions, terms, today: today, begun: begun).flatMap { $0.fromDay > today ? $0.fromDay : nil }
  }

  private static func next(
    _ versions: [ActivityVersion], _ terms: ActivityTerms, today: LocalDay, begun: Set<LocalDay>
  ) -> ActivityVersion? {
    guard let last = versions.last else { return nil }
    let plan = Plan(versions)
    let hasBegun = last.startDay < today && terms.startDay < today
    var next = last.next(terms, from: hasBegun ? today : ActivityVersionStore.beginning, goesOn: hasBegun)
    for day in begun.sorted() where !begun.allSatisfy({ next.suits($0, plan.version(on: $0)) }) {
      next = last.next(terms, from: day.advanced(by: 1), goesOn: true)
    }
    return next
  }
}

extension ActivityVersion {
  /// What holds from a day on instead of this.
  ///
  /// - Parameter goesOn: whether a schedule that stays the same goes on counting, though the start day is another.
  fileprivate func next(_ terms: ActivityTerms, from day: LocalDay, goesOn: Bool) -> ActivityVersion {
    let isSame = PlannedDays(terms.schedule, anchor: planned.anchor) == planned
    let keepsCount = isSame && (goesOn || terms.startDay == startDay)
    return ActivityVersion(terms, from: day, anchor: keepsCount ? planned.anchor : max(day, terms.startDay))
  }

  fileprivate func bounded(by terms: ActivityTerms) -> ActivityVersion {
    var version = self
    (version.startDay, version.endDay) = (terms.startDay, terms.endDay)
    return version
  }

  /// Whether both versions have the same terms.
  fileprivate func asksLike(_ other: ActivityVersion) -> Bool {
    var same = other
    same.fromDay = fromDay
    return self == same
  }

  /// Whether it leaves alone what has begun on a day under what holds on it, or counts the same thing, so that it can be ended.
  fileprivate func suits(_ day: LocalDay, _ held: ActivityVersion) -> Bool {
    day < fromDay || isPlanned(on: day) && measure.kind == held.measure.kind && unit == held.unit
  }
}
