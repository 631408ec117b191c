import Operations
import ServiceKit

/// When an account is told what became of its week, and of which (NOT-3).
enum WeeklySummaryRules {
  /// At what hour of the Monday behind it, where the account is; quiet hours may delay what is sent.
  static let hour = 8
  /// How long one waits, the first and each further time, for services that do not answer, before the summary goes without their part.
  static let retrySeconds = [60, 300, 1200, 3600]
  /// How often they are asked where what the others know would not be worth telling: some 21 hours.
  static let maxEmptyAttempts = 24

  /// The Monday of the week that holds a day.
  static func monday(of day: LocalDay) -> LocalDay { day.advanced(by: 1 - day.weekday) }

  /// When the summary of a week is due that begins on a Monday.
  static func due(_ firstDay: LocalDay, _ calendar: LocalCalendar) -> Instant {
    let local = (Int64(firstDay.daysSinceEpoch) + 7) * LocalCalendar.dayLength + Int64(hour) * 3_600_000
    return Instant(milliseconds: local - calendar.offsets.span(at: local).offset)
  }

  /// What is told of a week that is due, today: the last one that is over, where others were missed.
  static func week(dueFrom firstDay: LocalDay, today: LocalDay) -> LocalDay {
    max(firstDay, monday(of: today).advanced(by: -7))
  }

  /// When the services are asked again; nil where they were asked often enough.
  ///
  /// - Parameters:
  ///   - attempts: how often some did not answer, this time not counted.
  ///   - isEmpty: whether nothing is known that could be told without them.
  static func retry(attempts: Int, isEmpty: Bool, at now: Instant) -> Instant? {
    guard attempts < (isEmpty ? maxEmptyAttempts : retrySeconds.count) else { return nil }
    return now.adding(seconds: retrySeconds[min(attempts, retrySeconds.count - 1)])
  }
}
