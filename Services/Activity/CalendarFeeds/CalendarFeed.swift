import ActivityContract
import Crypto
import Operations
import ServiceKit

/// An account's activities as iCalendar (RFC 5545).
struct CalendarFeed: Sendable {
  /// The maximum size of a feed in bytes: activities that do not fit are left out, the last in the account's order first. The thousand
  /// activities that an account may have fit, unless they are full of alarms, pauses and long texts.
  static let maxBytes = 700_000
  /// How many days ahead to list changes of the zone's offset; a program that has not fetched the feed again by then shows wrong hours.
  private static let zoneDays = 3660

  let zone: FeedZone
  let events: [CalendarEvent]

  /// - Parameter name: the feed's title in calendar programs.
  func file(named name: String, today: LocalDay) -> MediaFile {
    var body = ICalendarText()
    var isTimed = false
    for event in events {
      let text = event.text(zone)
      guard body.bytes.count + text.bytes.count <= CalendarFeed.maxBytes else { continue }
      body.append(text)
      isTimed = isTimed || !event.activity.reminders.isEmpty
    }
    var text = ICalendarText()
    text.line("BEGIN:VCALENDAR")
    text.line("VERSION:2.0")
    text.line("PRODID:-//Racha//Activities//EN")
    text.line("CALSCALE:GREGORIAN")
    text.line("METHOD:PUBLISH")
    text.line("NAME:\(ICalendarText.escaped(name))")
    text.line("X-WR-CALNAME:\(ICalendarText.escaped(name))")
    text.line("REFRESH-INTERVAL;VALUE=DURATION:PT1H")
    text.line("X-PUBLISHED-TTL:PT1H")
    if isTimed, let first = events.map(\.first).min() {
      let range = first.advanced(by: -2)..<max(first, today).advanced(by: CalendarFeed.zoneDays)
      text.append(ZoneDefinition(zone.name, zone.offsets, over: range.milliseconds).text)
    }
    text.append(body)
    text.line("END:VCALENDAR")
    let tag = Base64URL.encode(Array(SHA256.hash(data: text.bytes).prefix(16)))
    return MediaFile(mediaType: GetCalendarFeed.mediaType, tag: tag, content: Base64Bytes(text.bytes))
  }
}

extension Range where Bound == LocalDay {
  /// The days as a range of milliseconds since 1970, in UTC.
  fileprivate var milliseconds: Range<Int64> {
    Int64(lowerBound.daysSinceEpoch) * LocalCalendar.dayLength..<Int64(upperBound.daysSinceEpoch) * LocalCalendar.dayLength
  }
}
