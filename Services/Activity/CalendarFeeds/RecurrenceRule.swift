import Operations

/// The recurrence rule (RFC 5545, section 3.3.10) that yields the days of a schedule, provided that it starts on the first of them.
enum RecurrenceRule {
  static func text(_ schedule: Schedule) -> String {
    switch schedule.kind {
    // Any day of the week may count.
    case .daily, .timesAWeek: return "FREQ=DAILY"
    case .everyNDays: return "FREQ=DAILY;INTERVAL=\(schedule.everyDays ?? 1)"
    case .weekdays:
      return "FREQ=WEEKLY;BYDAY=\(list((schedule.weekdays ?? []).sorted().map(weekday)))"
    case .monthDays: return "FREQ=MONTHLY;\(monthDays(schedule.monthDays ?? []))"
    case .nthWeekdays:
      return "FREQ=MONTHLY;BYDAY=\(list((schedule.nthWeekdays ?? []).map { "\($0.nth)\(weekday($0.weekday))" }))"
    }
  }

  /// The days of the month; a day that a month lacks means the month's last day.
  ///
  /// iCalendar leaves out a day that a month lacks. So where a day after the 28th is asked for, the rule lists every day from the 28th to
  /// the largest one and picks by position: all but the largest from the front, where each keeps its position or is missing, and the
  /// largest from the back, where the month's last day stands if the month lacks it.
  private static func monthDays(_ days: [Int]) -> String {
    let days = Set(days)
    guard let largest = days.max(), largest > 28 else { return "BYMONTHDAY=\(list(days.sorted()))" }
    if days.allSatisfy({ $0 <= 28 || $0 == 31 }) {
      return "BYMONTHDAY=\(list(days.subtracting([31]).sorted() + [-1]))"
    }
    let listed = days.union(28...largest).sorted()
    let picked = listed.enumerated().filter { days.contains($0.element) && $0.element != largest }.map { $0.offset + 1 }
    return "BYMONTHDAY=\(list(listed));BYSETPOS=\(list(picked + [-1]))"
  }

  private static func weekday(_ number: Int) -> String { ["MO", "TU", "WE", "TH", "FR", "SA", "SU"][number - 1] }

  private static func list(_ items: [some CustomStringConvertible]) -> String { items.map(\.description).joined(separator: ",") }
}
