import ActivityContract
import Operations
import ServiceKit

/// The days of one version of an activity, as an event of RFC 5545 (section 3.6.1).
///
/// Without reminders the event is a whole-day event. With reminders it begins at the first reminder of the account's day, in local time,
/// and every reminder is an alarm relative to that. A reminder before the hour at which the day starts belongs to the previous day; where
/// all reminders are of that kind, the event is a whole-day event and the alarms come after its end.
struct CalendarEvent: Sendable {
  /// How many days ahead to list paused days: calendar programs fetch the feed again long before.
  static let restDaysAhead = 731

  let activity: Activity
  let version: ActivityVersion
  /// The version's first and last planned days; the last is nil where the version has no end.
  let first: LocalDay
  let last: LocalDay?
  /// Planned days on which the activity is paused or skipped, in order.
  let rest: [LocalDay]
  let changedAt: Instant

  /// - Parameters:
  ///   - next: the day from which another version holds.
  ///   - pauses: paused ranges and skipped days.
  ///   - today: the account's.
  /// - Returns: nil where the version plans nothing.
  init?(
    _ activity: Activity, _ version: ActivityVersion, until next: LocalDay?, rest pauses: [ClosedRange<LocalDay>],
    today: LocalDay,
    changedAt: Instant
  ) {
    let ends = [version.endDay, next.map { $0.advanced(by: -1) }].compactMap { $0 }
    let last = ends.min()
    let from = max(version.fromDay, version.startDay)
    guard let first = CalendarEvent.first(of: version.planned, from: from, last) else { return nil }
    self.activity = activity
    self.version = version
    self.first = first
    self.last = last
    self.changedAt = changedAt
    let horizon = today.advanced(by: CalendarEvent.restDaysAhead)
    let farthest = last.map { min($0, horizon) } ?? horizon
    rest = Set(
      pauses.flatMap { pause in
        let (from, to) = (max(pause.lowerBound, first), min(pause.upperBound, farthest))
        return from <= to ? (from...to).filter(version.planned.contains) : []
      }
    ).sorted()
  }

  /// Returns the first planned day. 400 days are enough to search: only a fifth weekday and schedules with an interval of many days can
  /// take longer than a year.
  private static func first(of planned: PlannedDays, from day: LocalDay, _ last: LocalDay?) -> LocalDay? {
    let farthest = min(day.advanced(by: 400), last ?? day.advanced(by: 400))
    return day <= farthest ? (day...farthest).first(where: planned.contains) : nil
  }

  /// Minutes from the day's midnight to each reminder, in the order of the account's day.
  private func alarms(dayStartHour: Int) -> [Int] {
    activity.reminders.map { $0.minutes < dayStartHour * 60 ? $0.minutes + 1440 : $0.minutes }.sorted()
  }

  /// The same value for as long as the version exists, whatever changes in it.
  private var uid: String {
    let isFirst = version.fromDay == ActivityVersionStore.beginning
    return isFirst ? "\(activity.id)" : "\(activity.id)-\(ICalendarText.text(version.fromDay))"
  }

  /// The component.
  func text(_ zone: FeedZone) -> ICalendarText {
    let alarms = alarms(dayStartHour: zone.dayStartHour)
    let minute = alarms.first.flatMap { $0 < 1440 ? $0 : nil }
    var text = ICalendarText()
    text.line("BEGIN:VEVENT")
    text.line("UID:\(uid)@racha")
    text.line("DTSTAMP:\(ICalendarText.text(utc: changedAt))")
    text.line("LAST-MODIFIED:\(ICalendarText.text(utc: changedAt))")
    text.line("SEQUENCE:\(activity.revision - 1)")
    text.line("SUMMARY:\(ICalendarText.escaped(activity.title))")
    if let reason = activity.reason { text.line("DESCRIPTION:\(ICalendarText.escaped(reason))") }
    if !activity.tags.isEmpty {
      text.line("CATEGORIES:\(activity.tags.map { ICalendarText.escaped($0.description) }.joined(separator: ","))")
    }
    text.line("DTSTART\(zone.property(first, at: minute))")
    if minute != nil, let seconds = version.terms.goal.durationSeconds { text.line("DURATION:PT\(seconds)S") }
    text.line(
      "RRULE:\(RecurrenceRule.text(version.planned.schedule))\(last.map { ";UNTIL=\(zone.until($0, at: minute))" } ?? "")")
    if !rest.isEmpty { text.line("EXDATE\(zone.property(rest, at: minute))") }
    text.line("TRANSP:TRANSPARENT")
    text.line("CLASS:PRIVATE")
    for alarm in alarms {
      text.line("BEGIN:VALARM")
      text.line("ACTION:DISPLAY")
      text.line("DESCRIPTION:\(ICalendarText.escaped(activity.title))")
      text.line("TRIGGER:\(CalendarEvent.duration(minutes: alarm - (minute ?? 0)))")
      text.line("END:VALARM")
    }
    text.line("END:VEVENT")
    return text
  }

  /// A duration that is not negative (section 3.3.6): days by the calendar, the rest by the clock.
  private static func duration(minutes: Int) -> String {
    let (days, rest) = (minutes / 1440, minutes % 1440)
    let time = rest == 0 ? "" : "T" + (rest / 60 > 0 ? "\(rest / 60)H" : "") + (rest % 60 > 0 ? "\(rest % 60)M" : "")
    guard days > 0 else { return rest == 0 ? "PT0S" : "P\(time)" }
    return "P\(days)D\(time)"
  }
}

/// How a feed's days and times are written.
struct FeedZone: Sendable {
  let name: String
  let offsets: ZoneOffsets
  let dayStartHour: Int

  /// The rest of a property that names days: `;VALUE=DATE:20261121`, or `;TZID=Europe/Madrid:20261121T073000` at a minute of theirs.
  func property(_ days: [LocalDay], at minute: Int?) -> String {
    guard let minute else { return ";VALUE=DATE:\(days.map { ICalendarText.text($0) }.joined(separator: ","))" }
    return ";TZID=\(name):\(days.map { ICalendarText.text(local: FeedZone.local($0, minute)) }.joined(separator: ","))"
  }

  func property(_ day: LocalDay, at minute: Int?) -> String { property([day], at: minute) }

  /// The end of a recurrence (section 3.3.10): a day as the event's, else in UTC.
  func until(_ day: LocalDay, at minute: Int?) -> String {
    guard let minute else { return ICalendarText.text(day) }
    let instant = offsets.instant(ofLocal: FeedZone.local(day, minute))
    return ICalendarText.text(utc: Instant(milliseconds: instant))
  }

  /// That minute of that day, in milliseconds after 1970-01-01's start, by the clocks of the zone.
  private static func local(_ day: LocalDay, _ minute: Int) -> Int64 {
    Int64(day.daysSinceEpoch) * LocalCalendar.dayLength + Int64(minute) * 60_000
  }
}
