import Operations
import RewardsContract

/// What partners and those who redeem at them have (REW-3 to REW-5).
extension AccessTable {
  /// What is for a partner's people is refused to all others, whether it is there or not.
  private static let outside = Outcome.refused(403, "forbidden")

  mutating func addPartners() {
    let noRedemption = Outcome.refused(404, "redemption_not_found")
    owned(GetRedemption.self, others: noRedemption) { things, _ in .init(redemptionID: things.redemption) }
    owned(PresentRedemption.self, others: noRedemption) { things, _ in .init(redemptionID: things.redemption) }
    addPartnerOffers()
    owned(AddPartnerMember.self, others: Self.outside) { things, _ in .init(username: things.username, role: .owner) }
    owned(UpdatePartnerPlace.self, others: Self.outside) { things, _ in
      .init(placeID: things.partnerPlace, address: .set("Taken"))
    }
    owned(VoidPartnerRedemption.self, others: Self.outside) { things, _ in
      .init(redemptionID: things.redemption, reason: "Taken")
    }
    owned(DeletePartnerPlace.self, others: Self.outside) { things, _ in .init(placeID: things.partnerPlace) }
    owned(RemovePartnerMember.self, others: Self.outside) { things, _ in .init(accountID: things.friend) }
    owned(WithdrawPartnerOffer.self, others: Self.outside) { things, _ in .init(offerID: things.partnerOffer) }
  }

  private mutating func addPartnerOffers() {
    let picture = Base64Bytes([UInt8](Picture.noise(width: 8, height: 8)))
    owned(GetOfferStatistics.self, others: Self.outside) { things, _ in
      .init(offerID: things.partnerOffer, from: things.day(-1), to: things.day(1))
    }
    owned(CreatePartnerOffer.self, others: Self.outside) { things, _ in
      .init(
        title: "Taken", reward: "Taken", category: .other, costCoins: 1, stock: 1, validFrom: .now,
        validUntil: .now.adding(seconds: 3600), placeIDs: [things.partnerPlace])
    }
    owned(UpdatePartnerOffer.self, others: Self.outside) { things, _ in
      .init(offerID: things.partnerOffer, title: .set("Taken"))
    }
    owned(PausePartnerOffer.self, others: Self.outside) { things, _ in .init(offerID: things.partnerOffer) }
    owned(ResumePartnerOffer.self, others: Self.outside) { things, _ in .init(offerID: things.partnerOffer) }
    owned(PutOfferPicture.self, others: Self.outside) { things, _ in .init(offerID: things.partnerOffer, content: picture) }
    owned(DeleteOfferPicture.self, others: Self.outside) { things, _ in .init(offerID: things.partnerOffer) }
  }

  /// What everybody sees of a partner and its offers; its clerk changes nothing.
  mutating func addOpenPartners() {
    let everybody: [Role: Outcome] = [.stranger: .done, .formerFriend: .done, .blocked: .done, .friend: .done]
    open(GetPartner.self, everybody) { things, _ in .init(partnerID: things.partner) }
    open(GetPartnerLogo.self, everybody) { things, _ in .init(partnerID: things.partner) }
    open(GetOfferPicture.self, everybody) { things, _ in .init(offerID: things.partnerOffer) }
    open(ListOffers.self, everybody, evaluate: { $0.items.isEmpty ? .nothing : .done }) { things, _ in
      .init(partnerID: things.partner)
    }
    let clerk: [Role: Outcome] = [.friend: Self.outside]
    open(UpdatePartnerOffer.self, clerk) { things, _ in .init(offerID: things.partnerOffer) }
    open(VoidPartnerRedemption.self, clerk) { things, _ in .init(redemptionID: things.redemption, reason: "Mine") }
    open(RemovePartnerMember.self, clerk) { things, _ in .init(accountID: things.account) }
    open(GetOfferStatistics.self, [.friend: .done]) { things, _ in
      .init(offerID: things.partnerOffer, from: things.day(-1), to: things.day(1))
    }
  }
}
