import ActivityContract
import Operations

/// How an activity's versions become others when it is to ask for something else.
///
/// - A changed schedule or goal holds from today on; days that are over stay as they were.
/// - A day that has an entry which the new terms could not have (another kind of goal or unit, or nothing planned) stays as it is, and
///   they hold from the next day on.
/// - Start and end day bound all days, past ones too. The days that they open ask for what held then.
/// - Of what has not begun, by its old start day or by the new one, nothing of the former terms remains.
enum VersionRule {
  /// - Parameters:
  ///   - versions: oldest first, and at least one.
  ///   - lastEntry: the last day from today on that has an entry; more than one day can where the account travelled over the date line.
  static func change(
    _ versions: [ActivityVersion], to terms: ActivityTerms, today: LocalDay, lastEntry: LocalDay?
  ) -> [ActivityVersion] {
    guard let last = versions.last else { return [] }
    let hasBegun = last.startDay < today && terms.startDay < today
    var next = last.next(terms, from: hasBegun ? today : ActivityVersions.beginning, goesOn: hasBegun)
    if let lastEntry, !next.isPlanned(on: lastEntry) || !next.countsLike(last) {
      next = last.next(terms, from: lastEntry.advanced(by: 1), goesOn: true)
    }
    let kept = versions.prefix { $0.fromDay < next.fromDay }.map { $0.bounded(by: terms) }
    return kept.last?.asksLike(next) == true ? kept : kept + [next]
  }
}

extension ActivityVersion {
  /// What holds from a day on in place of this.
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

  /// Whether both ask for the same of the same days.
  fileprivate func asksLike(_ other: ActivityVersion) -> Bool {
    var same = other
    same.fromDay = fromDay
    return self == same
  }

  /// Whether both count the same thing, so that the progress of one is one of the other.
  fileprivate func countsLike(_ other: ActivityVersion) -> Bool { measure.kind == other.measure.kind && unit == other.unit }
}
