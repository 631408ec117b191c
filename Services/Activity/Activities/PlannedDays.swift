import ActivityContract
import Operations

/// The days of a schedule, and the rules over them.
struct PlannedDays: Hashable, Sendable {
  let kind: Schedule.Kind
  /// Bit `n` stands for weekday `n` or day `n` of the month; none for every day.
  let bits: Int

  init(kind: Schedule.Kind, bits: Int) {
    self.kind = kind
    self.bits = bits
  }

  init(_ schedule: Schedule) {
    kind = schedule.kind
    bits = (schedule.weekdays ?? schedule.monthDays ?? []).reduce(0) { $0 | 1 << $1 }
  }

  /// The schedule in its canonical form: days in order, each once.
  var schedule: Schedule {
    let days = (1...31).filter { bits & 1 << $0 != 0 }
    return switch kind {
    case .daily: .daily
    case .weekdays: .weekdays(days)
    case .monthDays: .monthDays(days)
    }
  }

  func contains(_ day: LocalDay) -> Bool {
    switch kind {
    case .daily: return true
    case .weekdays: return bits & 1 << day.weekday != 0
    case .monthDays:
      let (year, month, number) = day.parts
      // On a month's last day all that it lacks are due too.
      let isLast = number == LocalDay.length(ofMonth: month, year: year)
      return (isLast ? bits >> number : bits >> number & 1) != 0
    }
  }

  /// The first planned day after that one: at most a month away, since every schedule has a day in every month.
  func next(after day: LocalDay) -> LocalDay {
    var day = day.advanced(by: 1)
    while !contains(day) { day = day.advanced(by: 1) }
    return day
  }

  /// The last planned day before that one.
  func last(before day: LocalDay) -> LocalDay {
    var day = day.advanced(by: -1)
    while !contains(day) { day = day.advanced(by: -1) }
    return day
  }
}
