import ActivityContract
import Operations
import ServiceKit

/// When reminders come, and which of them are sent (NOT-2): pure, so that the rules of calendars are read and tested in one file.
enum ReminderRules {
  /// What is wrong with an activity's times where its account would have more than it may; nil where nothing is. Who has more already, as under a
  /// higher limit, keeps them.
  ///
  /// - Parameters:
  ///   - count: how many the activity is to have.
  ///   - before: how many it has.
  ///   - others: how many the account's other activities have.
  static func excess(_ count: Int, before: Int, others: Int, max: Int) -> FieldRule? {
    guard count > before, count + others > max else { return nil }
    return FieldRule("too_many_reminders", ["max": .number(max), "others": .number(others)])
  }

  /// One time of one day.
  struct Moment: Hashable, Sendable {
    /// The account's day to which it belongs.
    let day: LocalDay
    let dueAt: Instant
  }

  /// No zone is farther from UTC than that.
  private static let farthestOffset: Int64 = 15 * 3_600_000
  private static let minute: Int64 = 60_000
  /// It is worth an answer for at least so long, however late in its day it comes.
  private static let shortestSeconds = 2 * 3600
  private static let longestSeconds = 86_400

  /// The first instant at which the clocks show that time of the account's day, or a later one where they leave it out. In the hours before
  /// the day starts the calendar is a day ahead of it.
  static func instant(of time: ReminderTime, on day: LocalDay, _ calendar: LocalCalendar) -> Instant {
    let minutes = Int64(time.minutes) * minute
    let date = minutes < calendar.dayStart ? day.advanced(by: 1) : day
    let local = Int64(date.daysSinceEpoch) * LocalCalendar.dayLength + minutes
    var instant = local - farthestOffset
    while true {
      let span = calendar.offsets.span(at: instant)
      let found = max(instant, local - span.offset)
      if found < span.range.upperBound { return Instant(milliseconds: found) }
      instant = span.range.upperBound
    }
  }

  /// The next moment of a time.
  ///
  /// - Parameters:
  ///   - instant: it comes later than that.
  ///   - lastDay: the last day of which it came, so that it comes once a day where clocks or zones are put back.
  static func next(
    _ time: ReminderTime, after instant: Instant, lastDay: LocalDay?, _ calendar: LocalCalendar
  ) -> Moment {
    var day = calendar.day(of: instant).advanced(by: -1)
    if let lastDay { day = max(day, lastDay.advanced(by: 1)) }
    while true {
      let due = self.instant(of: time, on: day, calendar)
      if due > instant { return Moment(day: day, dueAt: due) }
      day = day.advanced(by: 1)
    }
  }

  /// Until when a reminder is worth an answer.
  static func end(of moment: Moment, _ calendar: LocalCalendar) -> Instant {
    let (soonest, latest) = (
      moment.dueAt.adding(seconds: shortestSeconds), moment.dueAt.adding(seconds: longestSeconds)
    )
    return min(max(calendar.end(of: moment.day), soonest), latest)
  }

  /// What is known when one is due.
  struct Facts: Hashable, Sendable {
    var isPlanned = true
    /// Of so many times a week, whether the week has them already.
    var isFree = false
    var isPaused = false
    var isSkipped = false
    /// What became of the day's goal so far; a limit that was exceeded cannot be kept any more.
    var outcome = EvaluatedDay.Outcome.open
    var hasRunningTimer = false
    var isSuspended = false
  }

  enum Decision: Hashable, Sendable {
    case send
    /// It is too late; that is told, and sent to nobody.
    case missed
    /// There is nothing to be reminded of.
    case nothing
  }

  /// - Parameter lateSeconds: what comes so late is not sent any more.
  static func decide(_ facts: Facts, dueAt: Instant, at now: Instant, lateSeconds: Int) -> Decision {
    guard facts.isPlanned, !facts.isFree, !facts.isPaused, !facts.isSkipped, !facts.isSuspended, !facts.hasRunningTimer,
      facts.outcome == .open
    else { return .nothing }
    return now < dueAt.adding(seconds: lateSeconds) ? .send : .missed
  }
}
