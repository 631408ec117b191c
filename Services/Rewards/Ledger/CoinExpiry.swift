import Operations
import ServiceKit

/// How long coins can be spent (REW-2). By default for ever.
struct CoinExpiry: Sendable, Hashable {
  /// How many days coins last from when they came; nil: for ever.
  var days: Int?
  /// How many days before the end its owner is told.
  var noticeDays = 7

  /// A lot that had ended when coins came back to it lives so many days more.
  static let revivedDays = 30

  /// When coins end that come now.
  func end(from now: Instant) -> Instant { days.map { now.adding(seconds: $0 * 86_400) } ?? .endOfTime }

  /// When coins end that come back now into a lot that ends, or ended, then.
  static func end(of end: Instant, refundedAt now: Instant) -> Instant {
    end > now ? end : now.adding(seconds: revivedDays * 86_400)
  }
}

extension CoinExpiry {
  /// As configured under `racha.coins`. What was promised holds: coins that came under another setting end when that said.
  init(_ settings: Settings) {
    let days = settings.int("racha.coins.expireAfterDays", default: 0, in: 0...36_500)
    self.days = days > 0 ? days : nil
    noticeDays = settings.int("racha.coins.expiryNoticeDays", default: noticeDays, in: 0...365)
  }
}
