import Operations
import RewardsContract

/// What can be done with a redemption (REW-5).
enum RedemptionRules {
  /// Until when the code of an offer that is redeemed now can be used.
  static func end(of offer: Offer, redeemedAt now: Instant) -> Instant {
    offer.codeValidDays.map { now.adding(seconds: $0 * 86_400) } ?? offer.validUntil
  }

  /// Refuses what needs a valid code.
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
