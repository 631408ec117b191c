import Operations

/// Spreads the steps of samples over the local days in which they were made.
///
/// Steps are taken as evenly spread over a sample's time. Of a sample that reaches over several days, the days up to each border
/// get the whole part of their share, so that the days' steps always add up to the sample's.
struct DaySplitter {
  private let calendar: LocalCalendar
  /// The offset that answered last: samples of a batch lie close together.
  private var span: OffsetSpan

  init(_ calendar: LocalCalendar) {
    self.calendar = calendar
    span = calendar.offsets.span(at: 0)
  }

  /// The days of a sample with their steps, in order; `start` is not after `end`.
  ///
  /// - Parameter more: called for each day after the first.
  /// - Returns: the first day and its steps.
  mutating func split(
    start: Instant, end: Instant, steps: Int, more: (LocalDay, Int) -> Void
  ) -> (day: LocalDay, steps: Int) {
    let first = piece(from: start.milliseconds)
    guard end.milliseconds > first.end else { return (first.day, steps) }
    var weights = [(day: first.day, length: first.end - start.milliseconds)]
    var position = first.end
    while position < end.milliseconds {
      let next = piece(from: position)
      let length = min(next.end, end.milliseconds) - position
      // Clocks put back over midnight bring the day before once more.
      if let known = weights.firstIndex(where: { $0.day == next.day }) {
        weights[known].length += length
      } else {
        weights.append((next.day, length))
      }
      position += length
    }
    weights.sort { $0.day < $1.day }
    let whole = end.milliseconds - start.milliseconds
    var elapsed: Int64 = 0
    var given = 0
    let shares = weights.map { day, length in
      elapsed += length
      // At most 1,000,000 steps times the milliseconds of a day: far from overflow.
      let upToHere = Int(Int64(steps) * elapsed / whole)
      defer { given = upToHere }
      return (day: day, steps: upToHere - given)
    }
    for share in shares.dropFirst() { more(share.day, share.steps) }
    return shares[0]
  }

  /// The day at an instant, and until when neither it nor the offset changes.
  private mutating func piece(from position: Int64) -> (day: LocalDay, end: Int64) {
    if !span.range.contains(position) { span = calendar.offsets.span(at: position) }
    let shift = span.offset - calendar.dayStart
    let day = LocalCalendar.day(position + shift)
    let dayEnd = (Int64(day.daysSinceEpoch) + 1) * LocalCalendar.dayLength - shift
    return (day, min(dayEnd, span.range.upperBound))
  }
}
