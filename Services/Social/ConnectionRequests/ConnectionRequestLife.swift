import Operations
import ServiceKit

/// How long a request waits for an answer before it expires.
struct ConnectionRequestLife: Sendable, Hashable {
  /// Whole days of 24 hours.
  var days = 90

  /// A request that was sent then, or before, is over.
  func end(at now: Instant) -> Instant { now.adding(seconds: -days * 86_400) }
}

extension ConnectionRequestLife {
  /// As configured by `racha.social.requestDays`.
  init(_ settings: Settings) {
    days = settings.int("racha.social.requestDays", default: ConnectionRequestLife().days, in: 1...3650)
  }
}
