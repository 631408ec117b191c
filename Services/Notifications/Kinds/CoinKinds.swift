import NotificationsContract
import Operations
import RewardsContract

extension NotificationSpec {
  static let ofCoins: [NotificationSpec] = [coinsEarned, offerRedeemed]

  private static let coinsEarned = NotificationSpec(
    "coinsEarned", .rewards, on: CoinsEarned.self, about: { $0.transferID }, to: { $0.accountID },
    inbox: .init(
      values: [.number("coins") { $0.coins }, .number("balance") { $0.balance }],
      total: { InboxTotal(parameter: "coins", at: $0.at) }),
    delivery: DeliverySpec(defaults: [.inbox], urgency: .low))

  private static let offerRedeemed = NotificationSpec(
    "offerRedeemed", .rewards, on: OfferRedeemed.self, about: { $0.redemptionID }, to: { $0.accountID },
    inbox: .init(
      values: [.text("offer") { $0.title }, .number("coins") { $0.coins }, .number("balance") { $0.balance }],
      links: { NotificationLinks(offerID: ID(linking: $0.offerID), redemptionID: ID(linking: $0.redemptionID)) }))
}
