import Operations
import RewardsContract

/// What can be done with a redemption (REW-5).
enum RedemptionRules {
  /// Until when the code of an offer that is redeemed now can be used.
  static func end(of offer: Offer, redeemedAt now: Instant) -> Instant {
    offer.codeValidDays.map { now.adding(seconds: $0 * 86_400) } ?? offer.validUntil
  }

  /// Refuses what takes a code that is good.
  ///
  /// - Throws: `code_used`, `code_voided`, `code_ended`.
  static func expectUsable(_ state: RedemptionState, until end: Instant?, usedAt: Instant?, at now: Instant) throws(Failure) {
    switch state {
    case .used: throw RedemptionFailure.used.with(["at": .text(usedAt?.description ?? "")])
    case .voided: throw RedemptionFailure.voided.with()
    case .open: if let end, end <= now { throw RedemptionFailure.ended.with(["at": .text(end.description)]) }
    }
  }

  /// Refuses a further redemption of an offer that one account may redeem no more.
  ///
  /// - Parameters: how many it has redeemed, in all and today, without those that were voided.
  static func expectWithinLimits(_ offer: Offer, redeemed: Int, today: Int) throws(Failure) {
    if let limit = offer.limitPerAccount, redeemed >= limit {
      throw OfferFailure.limitReached.with(["reason": .text("limit_in_all"), "max": .number(limit)])
    }
    if let limit = offer.limitPerDay, today >= limit {
      throw OfferFailure.limitReached.with(["reason": .text("limit_per_day"), "max": .number(limit)])
    }
  }
}

/// How many wrong codes a partner's people may give: ten in a row, and one a minute after that.
///
/// It is one number, as in the gateway's limits (the generic cell rate algorithm): when all are forgotten.
enum WrongCodeRules {
  static let burst = 10
  static let secondsEach = 60

  /// Whole seconds until a code is looked at again; 0 where it is now.
  static func waitSeconds(_ forgottenAt: Instant, now: Instant) -> Int {
    let free = forgottenAt.adding(seconds: -(burst - 1) * secondsEach)
    return free <= now ? 0 : Int((free.milliseconds - now.milliseconds + 999) / 1000)
  }

  /// When all are forgotten, with one more.
  static func adding(to forgottenAt: Instant, now: Instant) -> Instant { max(forgottenAt, now).adding(seconds: secondsEach) }
}
