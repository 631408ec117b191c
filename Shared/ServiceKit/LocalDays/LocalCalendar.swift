public import Operations

/// An account's way of counting days: its time zone and the hour at which its day starts.
public struct LocalCalendar: Sendable {
  /// In milliseconds.
  public static let dayLength: Int64 = 86_400_000

  /// The offsets of the time zone.
  public let offsets: ZoneOffsets
  /// When the day starts after local midnight, in milliseconds.
  public let dayStart: Int64

  /// - Parameter dayStartHour: 0 to 6.
  public init(_ offsets: ZoneOffsets, dayStartHour: Int) {
    self.offsets = offsets
    dayStart = Int64(dayStartHour) * 3_600_000
  }

  /// The local day that holds an instant.
  public func day(of instant: Instant) -> LocalDay { LocalCalendar.day(local(instant)) }

  /// About when a day ends: a clock change in its last hours may move the end.
  public func end(of day: LocalDay) -> Instant {
    let local = (Int64(day.daysSinceEpoch) + 1) * LocalCalendar.dayLength + dayStart
    return Instant(milliseconds: local - offsets.span(at: local).offset)
  }

  /// About when an hour of a calendar day begins, 0 to 23, regardless of when the account's day starts: a clock change within hours of it
  /// may move it.
  public func instant(hour: Int, on day: LocalDay) -> Instant {
    let local = Int64(day.daysSinceEpoch) * LocalCalendar.dayLength + Int64(hour) * 3_600_000
    return Instant(milliseconds: local - offsets.span(at: local).offset)
  }

  /// The local time of an instant, in milliseconds, with days that begin at the account's hour.
  public func local(_ instant: Instant) -> Int64 {
    instant.milliseconds + offsets.span(at: instant.milliseconds).offset - dayStart
  }

  /// The day of a local time, in milliseconds after 1970-01-01's start.
  public static func day(_ local: Int64) -> LocalDay {
    LocalDay(daysSinceEpoch: Int32(truncatingIfNeeded: local.floorDivided(by: dayLength)))
  }
}
