import NotificationsContract
import Operations
import RewardsContract

extension NotificationSpec {
  static let ofCoins: [NotificationSpec] = [
    coinsEarned, coinsAdjusted, coinsExpiring, offerRedeemed, rewardUsed, rewardVoided,
    challengeCompleted, badgeAwarded, challengeRevoked, challengeGranted, achievementRevoked, achievementGranted,
  ]

  private static let coinsEarned = NotificationSpec(
    "coinsEarned", .rewards, on: CoinsEarned.self, about: { $0.transferID }, to: { $0.accountID },
    inbox: .init(
      values: [.number("coins") { $0.coins }, .number("balance") { $0.balance }],
      total: { InboxTotal(parameter: "coins", at: $0.at) }),
    delivery: DeliverySpec(defaults: [.inbox], urgency: .low))

  private static let coinsAdjusted = NotificationSpec(
    "coinsAdjusted", .rewards, on: CoinsAdjusted.self, about: { $0.transferID }, to: { $0.accountID },
    inbox: .init(
      values: [.number("coins") { $0.coins }, .text("reason") { $0.reason }, .number("balance") { $0.balance }]),
    delivery: DeliverySpec(defaults: [.inbox, .push])
  ).saying("reason")

  private static let coinsExpiring = NotificationSpec(
    "coinsExpiring", .rewards, on: CoinsExpiring.self, about: { $0.noticeID }, to: { $0.accountID },
    inbox: .init(values: [.number("coins") { $0.coins }, .text("until") { MailContent.minute($0.endsAt) }]),
    until: { .instant($0.endsAt) })

  private static let offerRedeemed = NotificationSpec(
    "offerRedeemed", .rewards, on: OfferRedeemed.self, about: { $0.redemptionID }, to: { $0.accountID },
    inbox: .init(
      values: [.text("offer") { $0.title }, .number("coins") { $0.coins }, .number("balance") { $0.balance }],
      links: { NotificationLinks(offerID: ID(linking: $0.offerID), redemptionID: ID(linking: $0.redemptionID)) }))

  private static let rewardUsed = NotificationSpec(
    "rewardUsed", .rewards, on: RedemptionUsed.self, about: { $0.redemptionID }, to: { $0.accountID },
    inbox: .init(
      values: [.text("offer") { $0.title }, .text("partner") { $0.partnerName }],
      links: { NotificationLinks(offerID: ID(linking: $0.offerID), redemptionID: ID(linking: $0.redemptionID)) }))

  private static let rewardVoided = NotificationSpec(
    "rewardVoided", .rewards, .warning, on: RedemptionVoided.self, about: { $0.redemptionID }, to: { $0.accountID },
    inbox: .init(
      values: [
        .text("offer") { $0.title }, .text("reason") { sentence($0.reason) }, .number("coins") { $0.coins },
        .number("balance") { $0.balance },
      ],
      links: { NotificationLinks(offerID: ID(linking: $0.offerID), redemptionID: ID(linking: $0.redemptionID)) }),
    delivery: DeliverySpec(defaults: [.inbox, .push]))

  /// What somebody wrote, with an end, so that another sentence can follow.
  private static func sentence(_ text: String) -> String { ended(Excerpt.of(text)) }

  private static func ended(_ text: String) -> String { text.last?.isPunctuation == true ? text : text + "." }

  private static let challengeCompleted = NotificationSpec(
    "challengeCompleted", .challenges, on: ChallengeCompleted.self, about: { $0.completionID }, to: { $0.accountID },
    inbox: .init(
      values: NotificationValue.translated("title") { $0.texts[$1].title }
        + NotificationValue.translated("badge") { $0.texts[$1].badge } + [.number("coins") { $0.coins }],
      links: { NotificationLinks(challengeID: ID(linking: $0.challengeID)) }))

  /// Of a tier of an achievement; the badge of a challenge is in the notification of its completion.
  private static let badgeAwarded = NotificationSpec(
    "badgeAwarded", .challenges, on: BadgeAwarded.self, when: { $0.tier != nil }, about: { $0.completionID },
    to: { $0.accountID },
    inbox: .init(
      values: NotificationValue.translated("title") { $0.texts[$1].title } + [.text("tier") { $0.tier?.rawValue ?? "" }],
      links: { NotificationLinks(challengeID: ID(linking: $0.challengeID)) }))

  private static let challengeRevoked = NotificationSpec(
    "challengeRevoked", .challenges, .warning, on: ChallengeCorrected.self, when: { $0.tier == nil && !$0.isGranted },
    about: { $0.correctionID }, to: { $0.accountID }, inbox: correction
  ).saying("reason")

  private static let challengeGranted = NotificationSpec(
    "challengeGranted", .challenges, on: ChallengeCorrected.self, when: { $0.tier == nil && $0.isGranted },
    about: { $0.correctionID }, to: { $0.accountID }, inbox: correction
  ).saying("reason")

  private static let achievementRevoked = NotificationSpec(
    "achievementRevoked", .challenges, .warning, on: ChallengeCorrected.self, when: { $0.tier != nil && !$0.isGranted },
    about: { $0.correctionID }, to: { $0.accountID }, inbox: correction
  ).saying("reason")

  private static let achievementGranted = NotificationSpec(
    "achievementGranted", .challenges, on: ChallengeCorrected.self, when: { $0.tier != nil && $0.isGranted },
    about: { $0.correctionID }, to: { $0.accountID }, inbox: correction
  ).saying("reason")

  /// Of a challenge or an achievement an inbox has the last correction alone: one of a tier may change others, too.
  private static let correction = InboxPart<ChallengeCorrected>(
    source: { "\($0.challengeID)/\($0.correctionID)" }, replacing: { "\($0.challengeID)" },
    values: NotificationValue.translated("title") { $0.texts[$1].title }
      + NotificationValue.translated("badge") { $0.texts[$1].badge }
      + [.text("tier") { $0.tier?.rawValue ?? "" }, .text("reason") { ended($0.reason) }, .number("coins") { $0.coins }],
    links: { NotificationLinks(challengeID: ID(linking: $0.challengeID)) })
}
