import Operations
import ServiceKit

/// When an account gets the summary of its week, and of which week (NOT-3).
enum WeeklySummaryRules {
  /// The hour on the following Monday, in the account's time zone; quiet hours may delay the delivery.
  static let hour = 8
  /// How long one waits, the first and each further time, for services that do not answer, before the summary goes without their part.
  static let retrySeconds = [60, 300, 1200, 3600]
  /// The number of attempts where the other parts would not be worth sending: some 21 hours.
  static let maxEmptyAttempts = 24

  /// The Monday of the week that holds a day.
  static func monday(of day: LocalDay) -> LocalDay { day.advanced(by: 1 - day.weekday) }

  /// When the summary of a week is due that begins on a Monday.
  static func due(_ firstDay: LocalDay, _ calendar: LocalCalendar) -> Instant {
    calendar.instant(hour: hour, on: firstDay.advanced(by: 7))
  }

  /// The week of the summary that is due today: the last complete one, where others were missed.
  static func week(dueFrom firstDay: LocalDay, today: LocalDay) -> LocalDay {
    max(firstDay, monday(of: today).advanced(by: -7))
  }

  /// When the services are asked again; nil after the last attempt.
  ///
  /// - Parameters:
  ///   - attempts: the failed attempts, without this one.
  ///   - isEmpty: whether the other parts are empty.
  static func retry(attempts: Int, isEmpty: Bool, at now: Instant) -> Instant? {
    guard attempts < (isEmpty ? maxEmptyAttempts : retrySeconds.count) else { return nil }
    return now.adding(seconds: retrySeconds[min(attempts, retrySeconds.count - 1)])
  }
}
