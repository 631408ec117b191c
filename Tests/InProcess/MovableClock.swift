public import Operations
import Synchronization

/// A clock that stands still until it is moved, or shows the system's time until it is set.
public final class MovableClock: Sendable {
  private let time: Mutex<Instant?>

  /// - Parameter now: what it shows first; nil for the system's time.
  public init(_ now: Instant?) { time = Mutex(now) }

  /// For those who only look.
  public var clock: Clock { Clock { self.now } }

  /// The time it shows.
  public var now: Instant { time.withLock { $0 } ?? .now }

  /// Sets it.
  public func set(_ text: String) throws {
    let now = try Instant(text: text)
    time.withLock { $0 = now }
  }

  /// Sets it that much later than it shows.
  public func advance(days: Int) { advance(seconds: days * 86_400) }

  /// The same, in seconds.
  public func advance(seconds: Int) { time.withLock { $0 = ($0 ?? .now).adding(seconds: seconds) } }
}
