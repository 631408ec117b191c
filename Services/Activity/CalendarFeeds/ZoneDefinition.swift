import Operations
import ServiceKit

/// A time zone as RFC 5545 defines it (section 3.6.5): by the times at which its offset changes.
struct ZoneDefinition: Sendable {
  /// The interval at which the zone is sampled, in days: no zone ever changed back in so short a time.
  private static let step: Int64 = 7

  let name: String
  /// The offset at the beginning.
  let first: Int64
  let changes: [OffsetJump]

  /// Samples the zone over a range of milliseconds since 1970; after its end the last offset is assumed to stay.
  init(_ name: String, _ offsets: ZoneOffsets, over range: Range<Int64>) {
    var changes: [OffsetJump] = []
    var position = range.lowerBound
    var offset = offsets.span(at: position).offset
    first = offset
    while position < range.upperBound {
      let next = position + ZoneDefinition.step * LocalCalendar.dayLength
      if offsets.span(at: next).offset != offset {
        var span = offsets.span(at: position)
        while span.range.upperBound <= next {
          let after = offsets.span(at: span.range.upperBound)
          if after.offset != span.offset {
            changes.append(OffsetJump(at: span.range.upperBound, before: span.offset, after: after.offset))
          }
          span = after
        }
        offset = span.offset
      }
      position = next
    }
    self.name = name
    self.changes = changes
  }

  /// The component: one part per kind of change, with all times of that kind.
  var text: ICalendarText {
    var text = ICalendarText()
    text.line("BEGIN:VTIMEZONE")
    text.line("TZID:\(name)")
    ZoneDefinition.part("STANDARD", before: first, after: first, at: [0], &text)
    for (kind, changes) in Dictionary(grouping: changes, by: { [$0.before, $0.after] }).sorted(by: {
      $0.value[0].at < $1.value[0].at
    }) {
      ZoneDefinition.part(
        kind[1] > kind[0] ? "DAYLIGHT" : "STANDARD", before: kind[0], after: kind[1], at: changes.map { $0.at + $0.before }, &text
      )
    }
    text.line("END:VTIMEZONE")
    return text
  }

  /// - Parameter times: local times before the change.
  private static func part(_ kind: String, before: Int64, after: Int64, at times: [Int64], _ text: inout ICalendarText) {
    text.line("BEGIN:\(kind)")
    text.line("DTSTART:\(ICalendarText.text(local: times[0]))")
    text.line("TZOFFSETFROM:\(ICalendarText.text(offset: before))")
    text.line("TZOFFSETTO:\(ICalendarText.text(offset: after))")
    if times.count > 1 { text.line("RDATE:\(times.dropFirst().map { ICalendarText.text(local: $0) }.joined(separator: ","))") }
    text.line("END:\(kind)")
  }
}

extension ZoneOffsets {
  /// The instant of a local time, in milliseconds: the first of two; for a time that the clocks skip, the instant by the offset before the
  /// gap (RFC 5545, section 3.3.5).
  func instant(ofLocal local: Int64) -> Int64 {
    let before = span(at: local - LocalCalendar.dayLength).offset
    let after = span(at: local + LocalCalendar.dayLength).offset
    guard before != after, span(at: local - before).offset != before, span(at: local - after).offset == after else {
      return local - before
    }
    return local - after
  }
}
