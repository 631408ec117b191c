import Operations
import ServiceKit

/// A builder for text of RFC 5545.
struct ICalendarText: Sendable {
  /// The maximum number of octets per line, without its end (section 3.1).
  static let maxOctets = 75

  private(set) var bytes: [UInt8] = []

  /// Adds a line and folds it where it is too long, but never inside a character's bytes.
  mutating func line(_ text: String) {
    var octets = 0
    for scalar in text.unicodeScalars {
      let width = UTF8.width(scalar)
      if octets + width > ICalendarText.maxOctets {
        bytes += [0x0D, 0x0A, 0x20]
        octets = 1
      }
      bytes += UTF8.encode(scalar).map(Array.init) ?? []
      octets += width
    }
    bytes += [0x0D, 0x0A]
  }

  /// Appends finished lines.
  mutating func append(_ other: ICalendarText) { bytes += other.bytes }

  /// A text as a value (section 3.3.11).
  static func escaped(_ text: String) -> String {
    var result = ""
    for character in text.unicodeScalars {
      switch character {
      case "\\", ";", ",": result += "\\\(character)"
      case "\n": result += "\\n"
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }

  /// A day as a value: `20261121`.
  static func text(_ day: LocalDay) -> String {
    let (year, month, day) = day.parts
    return digits(year, 4) + digits(month, 2) + digits(day, 2)
  }

  /// A local time, in milliseconds after 1970-01-01's start, as a value: `20261121T073000`.
  static func text(local milliseconds: Int64) -> String {
    let day = LocalCalendar.day(milliseconds)
    let seconds = Int((milliseconds - Int64(day.daysSinceEpoch) * LocalCalendar.dayLength) / 1000)
    return "\(text(day))T\(digits(seconds / 3600, 2))\(digits(seconds / 60 % 60, 2))\(digits(seconds % 60, 2))"
  }

  /// An instant as a value: `20261121T063000Z`.
  static func text(utc instant: Instant) -> String { "\(text(local: instant.milliseconds))Z" }

  /// An offset from UTC, in milliseconds, as a value: `+0100`.
  static func text(offset: Int64) -> String {
    let seconds = Int(abs(offset) / 1000)
    let rest = seconds % 60 == 0 ? "" : digits(seconds % 60, 2)
    return "\(offset < 0 ? "-" : "+")\(digits(seconds / 3600, 2))\(digits(seconds / 60 % 60, 2))\(rest)"
  }

  private static func digits(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
}
