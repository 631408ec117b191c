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

/// The offsets of one time zone. A query to Foundation costs microseconds, so the offsets of UTC days that were asked for are kept.
public final class ZoneOffsets: Sendable {
  private static let dayLength: Int64 = 86_400_000

  private let zone: TimeZone
  private let known = Mutex(KnownOffsets())

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
    let start = milliseconds.floorDivided(by: ZoneOffsets.dayLength) * ZoneOffsets.dayLength
    let day = start..<start + ZoneOffsets.dayLength
    let found = known.withLock { known in
      if let span = known.span(at: milliseconds) { return span }
      let spans = look(day)
      for span in spans { known.add(span) }
      return spans.first { $0.range.contains(milliseconds) } ?? spans[0]
    }
    return OffsetSpan(range: found.range.clamped(to: day), offset: found.offset)
  }

  /// How many spans are kept.
  var keptSpans: Int { known.withLock { $0.spans.count } }

  /// Finds the change by halving. Zones change on whole seconds, and none ever changed twice within one UTC day since 1970.
  private func look(_ day: Range<Int64>) -> [OffsetSpan] {
    let (start, end) = (day.lowerBound, day.upperBound)
    let before = offset(start)
    let after = offset(end - 1000)
    guard before != after else { return [OffsetSpan(range: day, offset: before)] }
    var low = start / 1000
    var high = end / 1000 - 1
    while high - low > 1 {
      let middle = (low + high) / 2
      if offset(middle * 1000) == before { low = middle } else { high = middle }
    }
    let change = high * 1000
    return [OffsetSpan(range: start..<change, offset: before), OffsetSpan(range: change..<end, offset: after)]
  }

  private func offset(_ milliseconds: Int64) -> Int64 {
    Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(milliseconds) / 1000))) * 1000
  }
}

/// The known offsets of a time zone: spans in order, of which close ones that have the same offset are one. So years take a span for each
/// change of the offset, however many days were asked for.
struct KnownOffsets {
  /// How many spans are kept, several times as many as any zone has had since 1970; beyond that, all are forgotten.
  static let maxSpans = 512
  /// Six days in milliseconds. Since 1970, no zone has had an offset for so short a time so far.
  static let maxGap: Int64 = 6 * 86_400_000

  private(set) var spans: [OffsetSpan] = []

  /// The span that holds an instant; nil where it is unknown.
  func span(at milliseconds: Int64) -> OffsetSpan? {
    let index = firstIndex(after: milliseconds)
    guard index > 0, spans[index - 1].range.contains(milliseconds) else { return nil }
    return spans[index - 1]
  }

  /// Adds a span, which may be part of one that is known.
  mutating func add(_ new: OffsetSpan) {
    var span = new
    var index = firstIndex(after: new.range.lowerBound)
    if index < spans.count, let joined = span.joined(to: spans[index]) {
      spans.remove(at: index)
      span = joined
    }
    if index > 0, let joined = spans[index - 1].joined(to: span) {
      spans[index - 1] = joined
      return
    }
    if spans.count == KnownOffsets.maxSpans {
      spans.removeAll(keepingCapacity: true)
      index = 0
    }
    spans.insert(span, at: index)
  }

  /// The index of the first span that begins after an instant.
  private func firstIndex(after milliseconds: Int64) -> Int {
    var (low, high) = (0, spans.count)
    while low < high {
      let middle = (low + high) / 2
      if spans[middle].range.lowerBound > milliseconds { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension OffsetSpan {
  /// One span of this one and the following one; nil where the offset changes, or may have changed in between and back.
  fileprivate func joined(to next: OffsetSpan) -> OffsetSpan? {
    guard offset == next.offset, next.range.lowerBound - range.upperBound <= KnownOffsets.maxGap else { return nil }
    return OffsetSpan(range: range.lowerBound..<max(range.upperBound, next.range.upperBound), offset: offset)
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
