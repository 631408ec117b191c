import ActivityContract
import Operations

/// How an activity's versions become others when it is to ask for something else.
///
/// - A changed schedule or goal holds from today on; days that are over stay as they were.
/// - A day that has an entry or a timer which the new terms could not have (another kind of goal or unit than those that hold on it, or
///   nothing planned) stays as it is, and they hold from the next day on: what has begun can be ended. However often the terms change on
///   that day, it is compared with what holds on it, never with what is to hold from the next.
/// - Start and end day bound all days, past ones too. The days that they open ask for what held then.
/// - Of what has not begun, by its old start day or by the new one, nothing of the former terms remains: every so many days are counted
///   from the new start day. Of what has begun, a schedule that stays the same counts on as before.
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
