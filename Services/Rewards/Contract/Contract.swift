import CRewardsWords
public import Operations

extension Contract {
  /// What rewards shows the other services and the clients.
  public static let rewards = Contract(
    .rewards,
    operations: [
      GetBalance.self, ListTransfers.self, AdjustCoins.self, ListOffers.self, GetOffer.self, CreateOffer.self, RedeemOffer.self,
      ListRedemptions.self, ListLeaderboard.self, GetLeaderboardVisibility.self, SetLeaderboardVisibility.self,
    ],
    events: [
      CoinsEarned.self, CoinsCorrected.self, OfferRedeemed.self, CoinsRefunded.self, CoinsRewarded.self,
      CoinsRewardTakenBack.self, CoinsAdjusted.self, CoinsExpired.self, CoinsEnding.self, LedgerFailed.self,
    ],
    words: [.init(en: [UInt8](rewards_words_en), es: [UInt8](rewards_words_es))])
}
