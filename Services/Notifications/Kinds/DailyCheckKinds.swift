import NotificationsContract
import Operations
import RewardsContract

/// The kinds of the daily check, only for accounts that switch them on; no event causes them (NOT-5).
extension NotificationSpec {
  static let ofDailyChecks: [NotificationSpec] = [offerEnding, leaderboardPositionsLost]

  static let offerEnding = NotificationSpec(
    "offerEnding", .rewards, values: ["offer", "partner", "coins", "until"], delivery: DeliverySpec(defaults: [], urgency: .low))

  static let leaderboardPositionsLost = NotificationSpec(
    "leaderboardPositionsLost", .social, values: ["before", "rank"], delivery: DeliverySpec(defaults: [], urgency: .low))
}

extension NotificationDraft {
  /// Once for each offer.
  static func ending(_ offer: ExpiringOffer, for account: AccountID) -> NotificationDraft {
    NotificationDraft(
      accountID: account, subject: ID(linking: offer.offerID),
      inbox: InboxItem(
        kind: "offerEnding",
        content: NotificationContent(
          parameters: [
            "offer": .text(offer.title), "partner": .text(offer.partnerName), "coins": .number(offer.costCoins),
            "until": .text(MailContent.minute(offer.endsAt)),
          ], links: NotificationLinks(offerID: ID(linking: offer.offerID))),
        // Stores have it under the name that it had once.
        source: "endingOffers/\(offer.offerID)", accounts: []), mail: nil, end: .instant(offer.endsAt))
  }

  /// Once for each day.
  static func positionsLost(from before: Int, to rank: Int, of account: AccountID, on day: LocalDay) -> NotificationDraft {
    NotificationDraft(
      accountID: account, subject: ID(),
      inbox: InboxItem(
        kind: "leaderboardPositionsLost",
        content: NotificationContent(
          parameters: ["before": .number(before), "rank": .number(rank)], links: NotificationLinks()),
        // Stores have it under the name that it had once.
        source: "friendPlaces/\(day)", accounts: []), mail: nil)
  }
}
