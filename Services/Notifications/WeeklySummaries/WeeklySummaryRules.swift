import Operations
import ServiceKit

/// When an account is told what became of its week, and of which (NOT-3).
enum WeeklySummaryRules {
  /// At what hour of the Monday behind it, where the account is; quiet hours may delay what is sent.
  static let hour = 8
  /// How long one waits, the first and each further time, for services that do not answer, before the summary goes without their part.
  static let retrySeconds = [60, 300, 1200, 3600]

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
  /// - Parameter attempts: how often some did not answer, this time not counted.
  static func retry(attempts: Int, at now: Instant) -> Instant? {
    attempts < retrySeconds.count ? now.adding(seconds: retrySeconds[attempts]) : nil
  }
}
