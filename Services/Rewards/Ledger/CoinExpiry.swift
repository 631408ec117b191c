import Operations
import ServiceKit

/// How long coins can be spent (REW-2); without limit by default.
struct CoinExpiry: Sendable, Hashable {
  /// For how many days coins can be spent after they were credited; nil for no limit.
  var days: Int?
  /// How many days before the end the owner is notified.
  var noticeDays = 7

  /// For how many more days coins can be spent that are refunded to an expired lot.
  static let revivedDays = 30

  /// When coins expire that are credited now.
  func end(from now: Instant) -> Instant { days.map { now.adding(seconds: $0 * 86_400) } ?? .endOfTime }

  /// When coins expire that are refunded now to a lot with the given end.
  static func end(of end: Instant, refundedAt now: Instant) -> Instant {
    end > now ? end : now.adding(seconds: revivedDays * 86_400)
  }
}

extension CoinExpiry {
  /// The setting under `racha.coins`. Coins keep the end that applied when they were credited.
  init(_ settings: Settings) {
    let days = settings.int("racha.coins.expireAfterDays", default: 0, in: 0...36_500)
    self.days = days > 0 ? days : nil
    noticeDays = settings.int("racha.coins.expiryNoticeDays", default: noticeDays, in: 0...365)
  }
}
