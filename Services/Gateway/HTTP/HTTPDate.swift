import Operations
import Synchronization

/// The `Date` header (RFC 9110, section 5.6.7), written once a second.
final class HTTPDate: Sendable {
  private let clock: Clock
  private let last = Mutex<(second: Int64, text: String)>((-1, ""))

  init(_ clock: Clock) { self.clock = clock }

  var text: String {
    let second = clock.now.milliseconds / 1000
    return last.withLock { last in
      if last.second != second { last = (second, HTTPDate.text(of: second)) }
      return last.text
    }
  }

  private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// - Parameter second: since 1970; not before it.
  static func text(of second: Int64) -> String {
    // `2026-11-21T08:43:00.000Z`
    let instant = Instant(milliseconds: second * 1000).description
    let year = instant.prefix(4)
    let month = Int(instant.dropFirst(5).prefix(2)).map { months[$0 - 1] } ?? ""
    let day = instant.dropFirst(8).prefix(2)
    let time = instant.dropFirst(11).prefix(8)
    return "\(weekdays[Int(second / 86400 % 7)]), \(day) \(month) \(year) \(time) GMT"
  }
}
