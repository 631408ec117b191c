import NotificationsContract
import Operations
import RewardsContract

/// What is decided about partner companies, for their owners, and what administrators are to look at (REW-3).
extension NotificationSpec {
  static let ofPartners: [NotificationSpec] = [partnerApproved, partnerRefused, partnerSuspended, partnerOwnerLost]

  private static let partnerApproved = decision("partnerApproved", .approved, .info)
  private static let partnerRefused = decision("partnerRefused", .refused, .warning)
  private static let partnerSuspended = decision("partnerSuspended", .suspended, .warning)

  private static func decision(
    _ name: String, _ state: PartnerState, _ severity: NotificationSeverity
  ) -> NotificationSpec {
    let reason: [NotificationValue<PartnerDecided>] =
      state == .approved ? [] : [.text("reason") { Excerpt.of($0.reason ?? "") }]
    return NotificationSpec(
      name, .rewards, severity, on: PartnerDecided.self, when: { $0.state == state }, about: { $0.noticeID },
      to: { $0.accountID },
      inbox: .init(
        values: [.text("partner") { $0.name }] + reason, links: { NotificationLinks(partnerID: ID(linking: $0.partnerID)) }),
      delivery: DeliverySpec(defaults: [.inbox, .push]))
  }

  /// To each administrator; nothing about it is so urgent that it would end quiet hours.
  private static let partnerOwnerLost = NotificationSpec(
    "partnerOwnerLost", .administration, .warning, on: PartnerOwnerLost.self, about: { $0.noticeID }, to: { $0.accountID },
    inbox: .init(
      values: [.text("partner") { $0.name }], links: { NotificationLinks(partnerID: ID(linking: $0.partnerID)) }),
    delivery: DeliverySpec(defaults: [.inbox, .push], required: [.inbox]))
}
