import NotificationsContract
import Operations
import ServiceKit

/// When quiet hours end, by the clocks of a time zone: over midnight, and over changes of the clocks, which may skip or repeat a part of them.
enum QuietHoursRules {
  private static let minute: Int64 = 60_000
  private static let day: Int64 = 86_400_000
  /// No zone changes its clocks oftener than that within a day and a half.
  private static let maxSpans = 8

  /// When the quiet hours that last at an instant end: the first moment at which a clock there shows none of their minutes; nil outside.
  static func end(of hours: QuietHours, at now: Instant, _ zone: ZoneOffsets) -> Instant? {
    var instant = now.milliseconds
    for _ in 0..<maxSpans {
      let span = zone.span(at: instant)
      guard let left = left(of: hours, atLocal: instant + span.offset) else {
        return instant == now.milliseconds ? nil : Instant(milliseconds: instant)
      }
      let end = instant + left
      // Up to there the clocks go on as they do; from there on they may show other hours.
      if end <= span.range.upperBound { return ends(hours, at: end, zone) }
      instant = span.range.upperBound
    }
    return Instant(milliseconds: instant)
  }

  /// At the very end the clocks may change too, back into the quiet hours.
  private static func ends(_ hours: QuietHours, at end: Int64, _ zone: ZoneOffsets) -> Instant {
    let local = end + zone.span(at: end).offset
    guard let left = left(of: hours, atLocal: local) else { return Instant(milliseconds: end) }
    return Instant(milliseconds: end + left)
  }

  /// How long until the end by a clock that shows that local time; nil outside the quiet hours.
  private static func left(of hours: QuietHours, atLocal local: Int64) -> Int64? {
    let time = ((local % day) + day) % day
    let (start, end) = (Int64(hours.startsAt.minutes) * minute, Int64(hours.endsAt.minutes) * minute)
    let isQuiet = start < end ? (start..<end).contains(time) : time >= start || time < end
    guard isQuiet else { return nil }
    return end > time ? end - time : end + day - time
  }
}
