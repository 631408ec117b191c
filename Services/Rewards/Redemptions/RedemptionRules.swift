import Operations
import RewardsContract

/// The rules for redemptions (REW-5).
enum RedemptionRules {
  /// The end of the code's validity, for an offer that is redeemed now.
  static func end(of offer: Offer, redeemedAt now: Instant) -> Instant {
    offer.codeValidDays.map { now.adding(seconds: $0 * 86_400) } ?? offer.validUntil
  }

  /// Throws where the code is not valid.
  ///
  /// - Throws: `code_used`, `code_voided`, `code_expired`.
  static func expectUsable(_ state: RedemptionState, until end: Instant?, usedAt: Instant?, at now: Instant) throws(Failure) {
    switch state {
    case .used: throw RedemptionFailure.used.with(["at": .text(usedAt?.description ?? "")])
    case .voided: throw RedemptionFailure.voided.with()
    case .open: if let end, end <= now { throw RedemptionFailure.expired.with(["at": .text(end.description)]) }
    }
  }

  /// Throws where the account may not redeem the offer again.
  ///
  /// - Parameters: the numbers of the account's redemptions, in all and today, without voided ones.
  static func expectWithinLimits(_ offer: Offer, redeemed: Int, today: Int) throws(Failure) {
    if let limit = offer.limitPerAccount, redeemed >= limit {
      throw OfferFailure.limitReached.with(["reason": .text("limit_in_all"), "max": .number(limit)])
    }
    if let limit = offer.limitPerDay, today >= limit {
      throw OfferFailure.limitReached.with(["reason": .text("limit_per_day"), "max": .number(limit)])
    }
  }
}
