import Operations
import ServiceKit

/// When an account is told that it does not move (NOT-3).
enum InactivityRules {
  /// At what hour where the account is: nobody is woken for it.
  static let hour = 10

  /// When it is told after so many whole days behind that on which it last moved.
  static func due(since day: LocalDay, days: Int, _ calendar: LocalCalendar) -> Instant {
    let local =
      (Int64(day.daysSinceEpoch) + Int64(days) + 1) * LocalCalendar.dayLength + Int64(hour) * 3_600_000
    return Instant(milliseconds: local - calendar.offsets.span(at: local).offset)
  }

  /// How many whole days lie between the last one with movement and today.
  static func days(since day: LocalDay, today: LocalDay) -> Int { Int(today.daysSinceEpoch) - Int(day.daysSinceEpoch) - 1 }

  /// From which day on it is counted once movement of a day becomes known. What comes late of a day that lies before a notice ends that notice,
  /// yet brings no other one at once.
  static func start(moved day: LocalDay, toldOn told: LocalDay?) -> LocalDay {
    told.map { max(day, $0.advanced(by: -1)) } ?? day
  }
}
