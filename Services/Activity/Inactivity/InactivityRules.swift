import Operations
import ServiceKit

/// The rules for when an account is notified that it does not move (NOT-3).
enum InactivityRules {
  /// The local hour of notices, so that they wake no one.
  static let hour = 10

  /// When to notify the account, for a number of whole days after the day on which it last moved.
  static func due(since day: LocalDay, days: Int, _ calendar: LocalCalendar) -> Instant {
    calendar.instant(hour: hour, on: day.advanced(by: days + 1))
  }

  /// How many whole days lie between the last one with movement and today.
  static func days(since day: LocalDay, today: LocalDay) -> Int { Int(today.daysSinceEpoch) - Int(day.daysSinceEpoch) - 1 }

  /// The day from which to count once movement of a day becomes known. Late movement of a day before a notice ends that notice, but does
  /// not cause another one at once.
  static func start(moved day: LocalDay, notifiedOn notified: LocalDay?) -> LocalDay {
    notified.map { max(day, $0.advanced(by: -1)) } ?? day
  }
}
