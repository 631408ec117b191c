import IdentityContract
import Operations
import RewardsContract

extension OperationRound {
  static let rewards = [
    OperationRound("coins and badges") { try await $0.coins() },
    OperationRound("redemptions") { try await $0.redemptions() },
    OperationRound("a partner") { try await $0.partner() },
    // Each is counted for every account that there is.
    OperationRound("definitions of challenges", .seldom) { try await $0.definitions() },
  ]
}

extension RoundWorker {
  func coins() async throws {
    try await ana(GetBalance.self, .init())
    try await ana(ListTransfers.self, .init())
    try await administrator(AdjustCoins.self, .init(accountID: ana.id, coins: 10, reason: "A present."))
    try await ana(ListLeaderboard.self, .init(metric: .steps))
    try await ana(ListLeaderboard.self, .init(metric: .coins, period: .allTime))
    try await ana(SetLeaderboardVisibility.self, .init(isVisible: true))
    try await ana(GetLeaderboardVisibility.self, .init())
    try await ana(ListChallenges.self, .init())
    try await ana(ListCompletedChallenges.self, .init())
    try await ana(ListAchievements.self, .init())
    try await ana(ListBadges.self, .init())
    try await ana(SetBadgeVisibility.self, .init(isVisibleToFriends: true, isVisibleOnPublicProfile: true))
    try await ana(GetBadgeVisibility.self, .init())
    try await ana(ListFriendsBadges.self, .init(accountID: ben.id))
  }

  func redemptions() async throws {
    try await administrator(AdjustCoins.self, .init(accountID: ana.id, coins: 10, reason: "A present."))
    try await ana(ListOffers.self, .init())
    try await ana(GetOffer.self, .init(offerID: cast.offer))
    try await ana(GetOfferPicture.self, .init(offerID: cast.offer))
    let used = try await ana(RedeemOffer.self, .init(offerID: cast.offer))
    try await ana(GetRedemption.self, .init(redemptionID: used.id))
    let payload = try await ana(PresentRedemption.self, .init(redemptionID: used.id)).payload
    try await ana(ListRedemptions.self, .init())
    try await shop(CheckCode.self, .init(code: payload))
    try await shop(UseCode.self, .init(code: payload))
    try await shop(ListPartnerRedemptions.self, .init())
    let voided = try await ana(RedeemOffer.self, .init(offerID: cast.offer))
    try await shop(VoidPartnerRedemption.self, .init(redemptionID: voided.id, reason: "Sold out."))
    let other = try await ana(RedeemOffer.self, .init(offerID: cast.offer))
    try await administrator(VoidRedemption.self, .init(redemptionID: other.id, reason: "Sold out."))
    let now = Instant.now
    try await administrator(
      CreateOffer.self,
      .init(
        title: "Round \(name)", reward: "One coffee", partnerName: "Café Elcano", costCoins: 1000, stock: 10,
        validFrom: now.adding(seconds: -3600), validUntil: now.adding(seconds: 3600)))
  }

  /// A company from its registration to the leaving of its owner.
  func partner() async throws {
    let own = try await ana(
      RegisterPartner.self, .init(name: "Round \(name)", about: "Coffee.", contact: "hello@cafe.example")
    ).partner.id
    try await ana(GetOwnPartner.self, .init())
    try await administrator(ListPartners.self, .init())
    try await administrator(DecidePartner.self, .init(partnerID: own, decision: .approve))
    try await ana(UpdatePartner.self, .init(about: .set("Tea.")))
    try await ana(PutPartnerLogo.self, .init(content: GrowthCast.picture))
    try await ben(GetPartnerLogo.self, .init(partnerID: own))
    try await ben(GetPartner.self, .init(partnerID: own))
    try await ana(DeletePartnerLogo.self, .init())
    try await ana(AddPartnerMember.self, .init(username: cora.username, role: .clerk))
    try await cora(ListPartnerMembers.self, .init())
    try await ana(RemovePartnerMember.self, .init(accountID: cora.id))
    let place = try await ana(
      CreatePartnerPlace.self, .init(address: "Calle Mayor 2", latitude: 40.4, longitude: -3.7)
    ).id
    try await ana(UpdatePartnerPlace.self, .init(placeID: place, address: .set("Calle Mayor 3")))
    let now = Instant.now
    let offer = try await ana(
      CreatePartnerOffer.self,
      .init(
        title: "Tea", reward: "One tea", category: .drinks, costCoins: 5, stock: 10, validFrom: now.adding(seconds: -60),
        validUntil: now.adding(seconds: 3600))
    ).offer.id
    try await ana(UpdatePartnerOffer.self, .init(offerID: offer, title: .set("Green tea")))
    try await ana(PutOfferPicture.self, .init(offerID: offer, content: GrowthCast.picture))
    try await ana(DeleteOfferPicture.self, .init(offerID: offer))
    try await ana(PausePartnerOffer.self, .init(offerID: offer))
    try await ana(ResumePartnerOffer.self, .init(offerID: offer))
    try await ana(ListPartnerOffers.self, .init())
    try await ana(GetOfferStatistics.self, .init(from: day(-1), to: day(1)))
    try await ana(WithdrawPartnerOffer.self, .init(offerID: offer))
    try await ana(DeletePartnerPlace.self, .init(placeID: place))
    try await ana(LeavePartner.self, .init())
  }

  func definitions() async throws {
    let text = ChallengeText(title: "Round \(name)", description: "Walk very far.", badge: "Far")
    let texts = ChallengeTexts(en: text, es: text)
    let terms = ChallengeTerms(
      rule: ChallengeRule(metric: .steps, window: .day), threshold: 900_000_000, coins: 1, icon: .placeholder, texts: texts)
    let id = try await administrator(CreateChallenge.self, terms).id
    try await administrator(
      UpdateChallenge.self, .init(challengeID: id, threshold: .set(800_000_000), coins: .set(1), texts: .set(texts)))
    try await administrator(ListChallengeDefinitions.self, .init())
    try await administrator(GrantChallengeCompletion.self, .init(challengeID: id, accountID: ana.id, reason: "A present."))
    try await administrator(RevokeChallengeCompletion.self, .init(challengeID: id, accountID: ana.id, reason: "A mistake."))
    try await administrator(ListChallengeCorrections.self, .init(accountID: ana.id))
    try await administrator(RetireChallenge.self, .init(challengeID: id))
  }
}
