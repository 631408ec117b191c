import CRewardsWords
public import Operations

extension Contract {
  /// What rewards shows the other services and the clients.
  public static let rewards = Contract(
    .rewards,
    operations: [
      GetBalance.self, ListTransfers.self, AdjustCoins.self, ListOffers.self, GetOffer.self, CreateOffer.self, RedeemOffer.self,
      ListRedemptions.self,
      ListChallenges.self, ListCompletedChallenges.self, CreateChallenge.self, EditChallenge.self, RetireChallenge.self,
      ListChallengeDefinitions.self, ListAchievements.self,
      ListBadges.self, ListFriendsBadges.self, GetBadgeVisibility.self, SetBadgeVisibility.self, ReadBadgeProfilePart.self,
    ],
    events: [
      CoinsEarned.self, CoinsCorrected.self, OfferRedeemed.self, CoinsRefunded.self, CoinsRewarded.self,
      CoinsRewardTakenBack.self, CoinsAdjusted.self, CoinsExpired.self, CoinsEnding.self, LedgerFailed.self,
      ChallengeCompleted.self, ChallengeTakenBack.self, BadgeAwarded.self,
    ],
    words: [.init(en: [UInt8](rewards_words_en), es: [UInt8](rewards_words_es))])
}
