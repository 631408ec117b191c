public import Foundation
import Operations
import Synchronization

/// A stretch of time in which a zone's offset from UTC stays the same.
public struct OffsetSpan: Sendable, Hashable {
  /// Milliseconds since 1970, end excluded.
  public let range: Range<Int64>
  /// What to add to UTC for local time, in milliseconds.
  public let offset: Int64
}

/// A moment at which a zone's offset from UTC changes, all in milliseconds.
public struct OffsetJump: Sendable, Hashable {
  public let at: Int64
  public let before: Int64
  public let after: Int64

  /// The jump from its parts.
  public init(at: Int64, before: Int64, after: Int64) {
    self.at = at
    self.before = before
    self.after = after
  }
}

/// The offsets of one time zone. A query to Foundation costs microseconds, so each UTC day's answer is kept.
public final class ZoneOffsets: Sendable {
  /// How many UTC days are kept, some eleven years; when full, all are forgotten.
  public static let maxDays = 4096

  private static let dayLength: Int64 = 86_400_000

  /// The offset at a UTC day's start, the moment it changes if it does, and the offset from then on.
  private struct Day {
    let before: Int64
    let change: Int64?
    let after: Int64
  }

  private let zone: TimeZone
  private let days = Mutex<[Int64: Day]>([:])

  /// When the zone went west to east over the date line, and so left a day out: such as Samoa on 2011-12-30.
  public let dateLineJumps: [OffsetJump]

  public init(_ zone: TimeZone) {
    self.zone = zone
    dateLineJumps = ZoneOffsets.dateLineJumps(of: zone)
  }

  /// A zone that crosses the date line stays there, so one check per year finds the years in which it happened.
  private static func dateLineJumps(of zone: TimeZone) -> [OffsetJump] {
    func offset(_ seconds: Int64) -> Int64 {
      Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
    }
    let year: Int64 = 365 * 86_400
    return stride(from: 0, to: 60 * year, by: Int(year)).compactMap { start in
      // More than any summer time, and less than a day.
      let leap: Int64 = 20 * 3600
      var (low, high) = (Int64(start), Int64(start) + year)
      guard offset(high) - offset(low) > leap else { return nil }
      let before = offset(low)
      while high - low > 1 {
        let middle = (low + high) / 2
        if offset(middle) - before > leap { high = middle } else { low = middle }
      }
      return OffsetJump(at: high * 1000, before: offset(low) * 1000, after: offset(high) * 1000)
    }
  }

  /// The stretch of constant offset around an instant, no longer than the UTC day that holds it.
  public func span(at milliseconds: Int64) -> OffsetSpan {
    let number = milliseconds.floorDivided(by: ZoneOffsets.dayLength)
    let start = number * ZoneOffsets.dayLength
    let end = start + ZoneOffsets.dayLength
    let day = days.withLock { days in
      if let known = days[number] { return known }
      if days.count == ZoneOffsets.maxDays { days.removeAll(keepingCapacity: true) }
      let day = look(start, end)
      days[number] = day
      return day
    }
    guard let change = day.change else { return OffsetSpan(range: start..<end, offset: day.before) }
    return milliseconds < change
      ? OffsetSpan(range: start..<change, offset: day.before) : OffsetSpan(range: change..<end, offset: day.after)
  }

  /// Finds the change by halving. Zones change on whole seconds, and none ever changed twice within one UTC day since 1970.
  private func look(_ start: Int64, _ end: Int64) -> Day {
    let before = offset(start)
    let after = offset(end - 1000)
    guard before != after else { return Day(before: before, change: nil, after: before) }
    var low = start / 1000
    var high = end / 1000 - 1
    while high - low > 1 {
      let middle = (low + high) / 2
      if offset(middle * 1000) == before { low = middle } else { high = middle }
    }
    return Day(before: before, change: high * 1000, after: after)
  }

  private func offset(_ milliseconds: Int64) -> Int64 {
    Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(milliseconds) / 1000))) * 1000
  }
}

/// The time zones in use, each with its offsets.
public final class TimeZones: Sendable {
  /// UTC, for accounts whose zone this machine does not know.
  private let utc = ZoneOffsets(.gmt)
  /// Bounded by the number of time zones: unknown names are not kept.
  private let known = Mutex<[String: ZoneOffsets]>([:])

  public init() {}

  /// The offsets of an IANA time zone; UTC's for an unknown name.
  public func offsets(_ name: String) -> ZoneOffsets {
    known.withLock { known in
      if let offsets = known[name] { return offsets }
      guard let zone = TimeZone(identifier: name) else { return utc }
      let offsets = ZoneOffsets(zone)
      known[name] = offsets
      return offsets
    }
  }
}
