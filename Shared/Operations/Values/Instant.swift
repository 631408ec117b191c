#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A point in time, to the millisecond. Travels as RFC 3339 in UTC: `2026-11-21T08:43:00.000Z`; an offset is accepted on the way in.
public struct Instant: TextValue, Comparable {
  /// Since 1970-01-01T00:00:00Z, leap seconds not counted.
  public let milliseconds: Int64

  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// The system's clock. Services take a ``Clock`` instead.
  public static var now: Instant {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Instant(milliseconds: Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000)
  }

  public init(text: String) throws(FieldRule) {
    var reader = DigitReader(text)
    guard let year = reader.digits(4), reader.take("-"), let month = reader.digits(2), reader.take("-"),
      let day = reader.digits(2),
      let date = LocalDay(year: year, month: month, day: day), reader.take("T") || reader.take("t") || reader.take(" "),
      let hour = reader.digits(2), hour < 24, reader.take(":"), let minute = reader.digits(2), minute < 60, reader.take(":"),
      let second = reader.digits(2), second < 60
    else { throw FieldRule("not_an_instant") }
    var milliseconds = 0
    if reader.take(".") {
      var weight = 100
      var any = false
      while let digit = reader.digits(1) {
        milliseconds += digit * weight
        weight /= 10
        any = true
      }
      guard any else { throw FieldRule("not_an_instant") }
    }
    var offset = 0
    if !(reader.take("Z") || reader.take("z")) {
      let sign: Int
      if reader.take("+") { sign = 1 } else if reader.take("-") { sign = -1 } else { throw FieldRule("not_an_instant") }
      guard let hours = reader.digits(2), hours < 24, reader.take(":"), let minutes = reader.digits(2), minutes < 60 else {
        throw FieldRule("not_an_instant")
      }
      offset = sign * (hours * 60 + minutes)
    }
    guard reader.isAtEnd else { throw FieldRule("not_an_instant") }
    let seconds = Int64(date.daysSinceEpoch) * 86400 + Int64(hour * 3600 + minute * 60 + second - offset * 60)
    self.milliseconds = seconds * 1000 + Int64(milliseconds)
  }

  public var description: String {
    let days = milliseconds >= 0 ? milliseconds / 86_400_000 : (milliseconds - 86_399_999) / 86_400_000
    let rest = Int(milliseconds - days * 86_400_000)
    let day = LocalDay(daysSinceEpoch: Int32(truncatingIfNeeded: days))
    var text = day.description
    text.reserveCapacity(24)
    text.append("T")
    appendPadded(rest / 3_600_000, 2, to: &text)
    text.append(":")
    appendPadded(rest / 60000 % 60, 2, to: &text)
    text.append(":")
    appendPadded(rest / 1000 % 60, 2, to: &text)
    text.append(".")
    appendPadded(rest % 1000, 3, to: &text)
    text.append("Z")
    return text
  }

  public static func < (left: Instant, right: Instant) -> Bool { left.milliseconds < right.milliseconds }

  /// The instant that many seconds later (earlier if negative).
  public func adding(seconds: Int) -> Instant { Instant(milliseconds: milliseconds + Int64(seconds) * 1000) }

  /// The instant that many milliseconds later (earlier if negative).
  public func adding(milliseconds more: Int64) -> Instant { Instant(milliseconds: milliseconds + more) }

  public static let placeholder = Instant(milliseconds: 0)

  public static let schema: JSON = ["type": "string", "format": "date-time", "examples": ["2026-11-21T08:43:00.000Z"]]
}

/// Where services take the time from; tests pass one that they move.
public struct Clock: Sendable {
  private let read: @Sendable () -> Instant

  public init(_ read: @escaping @Sendable () -> Instant) { self.read = read }

  public var now: Instant { read() }

  /// The machine's clock.
  public static let system = Clock { Instant.now }
}

/// Reads digits and punctuation from ASCII text.
struct DigitReader {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = Substring(text).utf8 }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func digits(_ count: Int) -> Int? {
    var value = 0
    var copy = rest
    for _ in 0..<count {
      guard let byte = copy.popFirst(), (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    rest = copy
    return value
  }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard let first = rest.first, UInt32(first) == character.value else { return false }
    rest.removeFirst()
    return true
  }
}

func appendPadded(_ value: Int, _ width: Int, to text: inout String) {
  let digits = String(value)
  for _ in 0..<max(0, width - digits.utf8.count) { text.append("0") }
  text.append(digits)
}
