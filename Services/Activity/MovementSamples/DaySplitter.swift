import Operations
import ServiceKit

/// Splits samples by local day.
struct DaySplitter {
  private let calendar: LocalCalendar
  /// The span used last: samples of a batch are close together.
  private var span: OffsetSpan

  init(_ calendar: LocalCalendar) {
    self.calendar = calendar
    span = calendar.offsets.span(at: 0)
  }

  /// Spreads a sample; `start` is not after `end`. A sample without duration becomes one of one millisecond.
  mutating func spread(_ amount: Int, start: Instant, end: Instant) -> Spread {
    let from = start.milliseconds
    let until = max(end.milliseconds, from + 1)
    let first = piece(from: from)
    guard until > first.end else { return Spread(amount: amount, from: from, until: until, day: first.day, pieces: []) }
    var parts = [(day: first.day, from: from, until: first.end)]
    var position = first.end
    while position < until {
      let next = piece(from: position)
      let end = min(next.end, until)
      if next.day == parts[parts.count - 1].day {
        parts[parts.count - 1].until = end
      } else {
        parts.append((next.day, position, end))
      }
      position = end
    }
    // Where clocks are put back across the start of a day, the previous day occurs again.
    parts.sort { ($0.day, $0.from) < ($1.day, $1.from) }
    guard parts.count > 1 else { return Spread(amount: amount, from: from, until: until, day: first.day, pieces: []) }
    var elapsed: Int64 = 0
    let pieces = parts.map { part in
      defer { elapsed += part.until - part.from }
      return Spread.Piece(day: part.day, from: part.from, until: part.until, elapsed: elapsed)
    }
    return Spread(amount: amount, from: from, until: until, day: pieces[0].day, pieces: pieces)
  }

  /// The day at an instant, and the end of the span in which neither it nor the offset changes.
  private mutating func piece(from position: Int64) -> (day: LocalDay, end: Int64) {
    if !span.range.contains(position) { span = calendar.offsets.span(at: position) }
    let shift = span.offset - calendar.dayStart
    let day = LocalCalendar.day(position + shift)
    let dayEnd = (Int64(day.daysSinceEpoch) + 1) * LocalCalendar.dayLength - shift
    return (day, min(dayEnd, span.range.upperBound))
  }
}
