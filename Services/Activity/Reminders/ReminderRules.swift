import ActivityContract
import Operations
import ServiceKit

/// The rules for when reminders are due and which are sent (NOT-2): pure, so that all calendar rules are in one file and easy to test.
enum ReminderRules {
  /// The rule that an activity's times break where its account would exceed the maximum number; nil for none. An account that already has
  /// more, as under a higher limit, keeps them.
  ///
  /// - Parameters:
  ///   - count: how many the activity is to have.
  ///   - before: how many it has.
  ///   - others: how many the account's other activities have.
  static func excess(_ count: Int, before: Int, others: Int, max: Int) -> FieldRule? {
    guard count > before, count + others > max else { return nil }
    return FieldRule("too_many_reminders", ["max": .number(max), "others": .number(others)])
  }

  /// One occurrence of a reminder's time.
  struct Moment: Hashable, Sendable {
    /// The account's day to which the occurrence belongs.
    let day: LocalDay
    let dueAt: Instant
  }

  /// No zone is farther from UTC than this.
  private static let farthestOffset: Int64 = 15 * 3_600_000
  private static let minute: Int64 = 60_000
  /// How long a reminder stays useful at least, however late in its day it comes.
  private static let shortestSeconds = 2 * 3600
  private static let longestSeconds = 86_400

  /// The first instant at which local time reads that time of the account's day, or a later one where the clocks skip it. In the hours
  /// before the day starts the calendar date is one day ahead of the account's day.
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

  /// Until when a reminder is useful.
  static func end(of moment: Moment, _ calendar: LocalCalendar) -> Instant {
    let (soonest, latest) = (
      moment.dueAt.adding(seconds: shortestSeconds), moment.dueAt.adding(seconds: longestSeconds)
    )
    return min(max(calendar.end(of: moment.day), soonest), latest)
  }

  /// What is known when a reminder is due.
  struct Facts: Hashable, Sendable {
    var isPlanned = true
    /// For so many times a week: whether the week already has them.
    var isFree = false
    var isPaused = false
    var isSkipped = false
    /// The outcome of the day's goal so far; an exceeded limit cannot be kept any more.
    var outcome = EvaluatedDay.Outcome.open
    var hasRunningTimer = false
    var isSuspended = false
  }

  enum Decision: Hashable, Sendable {
    case send
    /// Too late: published as missed, and not sent.
    case missed
    /// No reminder is needed.
    case nothing
  }

  /// - Parameter lateSeconds: a reminder this late is not sent any more.
  static func decide(_ facts: Facts, dueAt: Instant, at now: Instant, lateSeconds: Int) -> Decision {
    guard facts.isPlanned, !facts.isFree, !facts.isPaused, !facts.isSkipped, !facts.isSuspended, !facts.hasRunningTimer,
      facts.outcome == .open
    else { return .nothing }
    return now < dueAt.adding(seconds: lateSeconds) ? .send : .missed
  }
}
