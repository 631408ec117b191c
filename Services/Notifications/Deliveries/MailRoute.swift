import GRDB
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// The mail channel: a single notification has its kind's own mail, or the common one; those that waited together are one mail, except for
/// summaries, which do not fit into a line of it.
struct MailRoute: DeliveryRoute {
  let channel = NotificationChannel.email
  /// Wakes the worker of mails.
  let signal: WakeSignal

  func isOpen(to account: AccountID, in database: Database) -> Bool { true }

  func enqueue(_ deliveries: [Delivery], to account: AccountID, _ transaction: Transaction) throws {
    transaction.afterCommit { [signal] in signal.send() }
    for delivery in deliveries where Self.isSummary(delivery) { try enqueue(delivery, transaction) }
    try enqueueTogether(deliveries.filter { !Self.isSummary($0) }, to: account, transaction)
  }

  private static func isSummary(_ delivery: Delivery) -> Bool { delivery.kind == NotificationSpec.weeklySummary.name }

  private func enqueueTogether(_ deliveries: [Delivery], to account: AccountID, _ transaction: Transaction) throws {
    guard deliveries.count > 1 else {
      for delivery in deliveries { try enqueue(delivery, transaction) }
      return
    }
    // By the first one's id no second mail is made of the same.
    let draft = MailDraft(spec: .digest, subject: ID(linking: deliveries[0].id))
    guard let mail = try MailStore.add(draft, to: account, at: transaction.now, transaction) else { return }
    for delivery in deliveries { try DeliveryStore.carry(delivery, by: mail, transaction) }
  }

  private func enqueue(_ delivery: Delivery, _ transaction: Transaction) throws {
    let own = NotificationSpec.named(delivery.kind)?.mail
    let draft = MailDraft(spec: own ?? .notification, subject: own == nil ? ID(linking: delivery.id) : delivery.subject)
    guard let mail = try MailStore.add(draft, to: delivery.account, at: delivery.createdAt, transaction) else {
      // There is a mail about the same.
      return try DeliveryStore.finish(
        delivery.id, of: delivery.account, .silent, reason: SilenceReason.obsolete.rawValue, transaction)
    }
    try DeliveryStore.carry(delivery, by: mail, transaction)
  }
}
