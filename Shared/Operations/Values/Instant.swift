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
    var text = text
    guard let milliseconds = text.withUTF8(Instant.milliseconds) else { throw FieldRule("not_an_instant") }
    self.milliseconds = milliseconds
  }

  public init(utf8: UnsafeBufferPointer<UInt8>) throws(FieldRule) {
    guard let milliseconds = Instant.milliseconds(utf8) else { throw FieldRule("not_an_instant") }
    self.milliseconds = milliseconds
  }

  private static func milliseconds(_ utf8: UnsafeBufferPointer<UInt8>) -> Int64? {
    var reader = DigitReader(utf8)
    guard let year = reader.digits(4), reader.take("-"), let month = reader.digits(2), reader.take("-"),
      let day = reader.digits(2),
      let date = LocalDay(year: year, month: month, day: day), reader.take("T") || reader.take("t") || reader.take(" "),
      let hour = reader.digits(2), hour < 24, reader.take(":"), let minute = reader.digits(2), minute < 60, reader.take(":"),
      let second = reader.digits(2), second < 60
    else { return nil }
    var milliseconds = 0
    if reader.take(".") {
      var weight = 100
      var any = false
      while let digit = reader.digits(1) {
        milliseconds += digit * weight
        weight /= 10
        any = true
      }
      guard any else { return nil }
    }
    var offset = 0
    if !(reader.take("Z") || reader.take("z")) {
      let sign: Int
      if reader.take("+") { sign = 1 } else if reader.take("-") { sign = -1 } else { return nil }
      guard let hours = reader.digits(2), hours < 24, reader.take(":"), let minutes = reader.digits(2), minutes < 60 else {
        return nil
      }
      offset = sign * (hours * 60 + minutes)
    }
    guard reader.isAtEnd else { return nil }
    let seconds = Int64(date.daysSinceEpoch) * 86400 + Int64(hour * 3600 + minute * 60 + second - offset * 60)
    // An offset may lead outside the years that have four digits.
    guard (-62_135_596_800...253_402_300_799).contains(seconds) else { return nil }
    return seconds * 1000 + Int64(milliseconds)
  }

  public var description: String {
    let days = milliseconds >= 0 ? milliseconds / 86_400_000 : (milliseconds - 86_399_999) / 86_400_000
    let rest = Int(milliseconds - days * 86_400_000)
    let day = LocalDay(daysSinceEpoch: Int32(truncatingIfNeeded: days))
    return String(unsafeUninitializedCapacity: 24) { buffer in
      var writer = DigitWriter(buffer)
      day.write(to: &writer)
      writer.put("T")
      writer.put(rest / 3_600_000, 2)
      writer.put(":")
      writer.put(rest / 60000 % 60, 2)
      writer.put(":")
      writer.put(rest / 1000 % 60, 2)
      writer.put(".")
      writer.put(rest % 1000, 3)
      writer.put("Z")
      return writer.count
    }
  }

  public static func < (left: Instant, right: Instant) -> Bool { left.milliseconds < right.milliseconds }

  /// The instant that many seconds later (earlier if negative).
  public func adding(seconds: Int) -> Instant { Instant(milliseconds: milliseconds + Int64(seconds) * 1000) }

  /// The instant that many milliseconds later (earlier if negative).
  public func adding(milliseconds more: Int64) -> Instant { Instant(milliseconds: milliseconds + more) }

  public static let placeholder = Instant(milliseconds: 0)

  /// 9999-12-31T23:59:59.999Z, the last instant that RFC 3339 can write; as an end it means for ever.
  public static let endOfTime = Instant(milliseconds: 253_402_300_799_999)

  public static let schema: JSON = ["type": "string", "format": "date-time", "examples": ["2026-11-21T08:43:00.000Z"]]
}

/// The source of time for services; tests pass one that they control.
public struct Clock: Sendable {
  private let read: @Sendable () -> Instant

  public init(_ read: @escaping @Sendable () -> Instant) { self.read = read }

  public var now: Instant { read() }

  /// The machine's clock.
  public static let system = Clock { Instant.now }
}

/// Reads digits and punctuation from ASCII text.
struct DigitReader {
  private let text: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(_ text: UnsafeBufferPointer<UInt8>) { self.text = text }

  var isAtEnd: Bool { position == text.count }

  mutating func digits(_ count: Int) -> Int? {
    guard text.count - position >= count else { return nil }
    var value = 0
    for index in position..<position + count {
      let digit = text[index] &- 0x30
      guard digit < 10 else { return nil }
      value = value * 10 + Int(digit)
    }
    position += count
    return value
  }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard position < text.count, UInt32(text[position]) == character.value else { return false }
    position += 1
    return true
  }
}

/// Writes digits and punctuation as ASCII text.
struct DigitWriter {
  private let buffer: UnsafeMutableBufferPointer<UInt8>
  private(set) var count = 0

  init(_ buffer: UnsafeMutableBufferPointer<UInt8>) { self.buffer = buffer }

  mutating func put(_ character: Unicode.Scalar) {
    buffer[count] = UInt8(truncatingIfNeeded: character.value)
    count += 1
  }

  /// A number that is not negative, with leading zeros.
  mutating func put(_ value: Int, _ width: Int) {
    var rest = value
    for index in stride(from: count + width - 1, through: count, by: -1) {
      buffer[index] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    count += width
  }
}
