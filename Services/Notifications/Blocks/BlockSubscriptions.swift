import Operations
import ServiceKit
import SocialContract
import Storage

/// What the read model of blocks learns from social.
struct BlockSubscriptions: Sendable {
  let notifications: WakeSignal
  let deliveries: WakeSignal

  /// Hides from the blocker all its notifications that name the blocked account, and sends it none of those that wait. The blocked account
  /// keeps its own: it must not notice the block.
  func relationChanged(_ event: RelationChanged, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    guard try BlockStore.keep(event, transaction), event.relation.isBlocked else { return }
    if try BlockedNotificationStore.begin(event.accountID, from: event.otherAccountID, transaction) {
      transaction.afterCommit { [notifications] in notifications.send() }
    }
    if try BlockedDeliveryStore.begin(event.accountID, from: event.otherAccountID, transaction) {
      transaction.afterCommit { [deliveries] in deliveries.send() }
    }
  }
}
