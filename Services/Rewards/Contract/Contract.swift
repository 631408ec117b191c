import CRewardsWords
public import Operations

extension Contract {
  /// The operations and events that rewards offers to other services and to clients.
  public static let rewards = Contract(
    .rewards,
    operations: [
      GetBalance.self, ListTransfers.self, AdjustCoins.self, ReadCoinWeeks.self,
      ListOffers.self, GetOffer.self, GetOfferPicture.self, CreateOffer.self, ReadExpiringOffers.self,
      RegisterPartner.self, GetOwnPartner.self, GetPartner.self, UpdatePartner.self, ListPartners.self, DecidePartner.self,
      PutPartnerLogo.self, DeletePartnerLogo.self, GetPartnerLogo.self,
      ListPartnerMembers.self, AddPartnerMember.self, RemovePartnerMember.self, LeavePartner.self,
      AddPartnerPlace.self, UpdatePartnerPlace.self, RemovePartnerPlace.self,
      CreatePartnerOffer.self, UpdatePartnerOffer.self, PausePartnerOffer.self, ResumePartnerOffer.self,
      WithdrawPartnerOffer.self, ListPartnerOffers.self, PutOfferPicture.self, DeleteOfferPicture.self, GetOfferStatistics.self,
      RedeemOffer.self, ListRedemptions.self, GetRedemption.self, PresentRedemption.self, VoidRedemption.self,
      CheckCode.self, UseCode.self, ListPartnerRedemptions.self, VoidPartnerRedemption.self,
      ListLeaderboard.self, GetLeaderboardVisibility.self, SetLeaderboardVisibility.self, ReadFriendRanks.self,
      ListChallenges.self, ListCompletedChallenges.self, CreateChallenge.self, UpdateChallenge.self, RetireChallenge.self,
      ListChallengeDefinitions.self, ListAchievements.self,
      RevokeChallenge.self, GrantChallenge.self, ListChallengeCorrections.self,
      ListBadges.self, ListFriendsBadges.self, GetBadgeVisibility.self, SetBadgeVisibility.self, ReadBadgeProfilePart.self,
    ],
    events: [
      CoinsEarned.self, CoinsCorrected.self, OfferRedeemed.self, CoinsRefunded.self, CoinsRewarded.self,
      CoinsRewardTakenBack.self, CoinsAdjusted.self, CoinsExpired.self, CoinsEnding.self, LedgerFailed.self,
      PartnerDecided.self, PartnerOwnerLost.self, RedemptionUsed.self, RedemptionVoided.self,
      ChallengeCompleted.self, ChallengeTakenBack.self, BadgeAwarded.self, ChallengeCorrected.self,
    ],
    words: [.init(en: [UInt8](rewards_words_en), es: [UInt8](rewards_words_es))])
}
