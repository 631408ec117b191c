/// The days of a schedule, and the rules over them.
public struct PlannedDays: Hashable, Sendable {
  /// How the days are chosen.
  public let kind: Schedule.Kind
  /// Bit `n` stands for weekday `n` or day `n` of the month, bit `7 × nth + weekday` for a weekday of the month, where `nth` is 0 for the
  /// last. For the other schedules it is their number; 0 for every day.
  public let code: Int
  /// The day from which ``Schedule/Kind/everyNDays`` counts, in both directions.
  public let anchor: LocalDay

  /// The days from their stored form.
  public init(kind: Schedule.Kind, code: Int, anchor: LocalDay) {
    self.kind = kind
    self.code = code
    self.anchor = anchor
  }

  /// The days of a schedule that counts from a day. Of a schedule that breaks its rules, which findings report, it takes what there is.
  public init(_ schedule: Schedule, anchor: LocalDay) {
    self.anchor = anchor
    kind = schedule.kind
    code =
      switch schedule.kind {
      case .daily: 0
      case .weekdays: (schedule.weekdays ?? []).reduce(0) { $0 | 1 << $1 }
      case .monthDays: (schedule.monthDays ?? []).reduce(0) { $0 | 1 << $1 }
      case .everyNDays: max(1, schedule.everyDays ?? 1)
      case .timesAWeek: schedule.timesAWeek ?? 7
      case .nthWeekdays:
        (schedule.nthWeekdays ?? []).filter { $0.nth <= 5 && (1...7).contains($0.weekday) }
          .reduce(0) { $0 | 1 << PlannedDays.bit($1) }
      }
  }

  private static func bit(_ day: NthWeekday) -> Int { 7 * max(0, day.nth) + day.weekday }

  /// The schedule in its canonical form: days in order, each once.
  public var schedule: Schedule {
    switch kind {
    case .daily: .daily
    case .weekdays: .weekdays((1...7).filter(hasBit))
    case .monthDays: .monthDays((1...31).filter(hasBit))
    case .everyNDays: .everyNDays(code)
    case .timesAWeek: .timesAWeek(code)
    case .nthWeekdays:
      .nthWeekdays(
        [1, 2, 3, 4, 5, -1].flatMap { nth in (1...7).map { NthWeekday(nth: nth, weekday: $0) } }
          .filter { hasBit(PlannedDays.bit($0)) })
    }
  }

  /// The number of days per week if any day may be used; nil if the days themselves are planned.
  public var timesAWeek: Int? { kind == .timesAWeek ? code : nil }

  /// Whether a day is one of the planned days.
  public func contains(_ day: LocalDay) -> Bool {
    switch kind {
    case .daily, .timesAWeek: return true
    case .weekdays: return hasBit(day.weekday)
    case .everyNDays: return anchor.distance(to: day) % code == 0
    case .monthDays:
      let (year, month, number) = day.parts
      // On a month's last day, the planned days that the month lacks are due too.
      let isLast = number == LocalDay.length(ofMonth: month, year: year)
      return isLast ? code >> number != 0 : hasBit(number)
    case .nthWeekdays:
      let (year, month, number) = day.parts
      let isLast = number + 7 > LocalDay.length(ofMonth: month, year: year)
      return hasBit(7 * ((number + 6) / 7) + day.weekday) || isLast && hasBit(day.weekday)
    }
  }

  private func hasBit(_ bit: Int) -> Bool { code >> bit & 1 != 0 }

  /// The share of all days that is planned, in the long run.
  public var share: Double {
    /// Days of a month, on average.
    let month = 365.2425 / 12
    return switch kind {
    case .daily: 1
    case .weekdays: Double(code.nonzeroBitCount) / 7
    case .monthDays: Double(code.nonzeroBitCount) / month
    case .everyNDays: 1 / Double(code)
    case .timesAWeek: Double(code) / 7
    // A fifth weekday is counted as if every month had one.
    case .nthWeekdays: min(1, Double(code.nonzeroBitCount) / month)
    }
  }
}
