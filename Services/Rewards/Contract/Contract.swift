import CRewardsWords
public import Operations

extension Contract {
  /// The operations and events that rewards offers to other services and to clients.
  public static let rewards = Contract(
    .rewards,
    features: [
      .coins, .ledger, .adjustments, .coinWeeks, .offers, .expiringOffers, .partners, .partnerMembers, .partnerPlaces,
      .partnerOffers, .offerViews, .redemptions, .partnerRedemptions, .leaderboards, .friendRanks, .challenges,
      .challengeDefinitions, .achievements, .challengeCorrections, .badges,
    ],
    words: [.init(en: [UInt8](rewards_words_en), es: [UInt8](rewards_words_es))])
}
