import Operations
import ServiceKit
import SocialContract
import Storage

/// What the read model of blocks learns from social.
struct BlockSubscriptions: Sendable {
  let signal: WakeSignal

  /// Whoever blocks another sees none of its notifications that name the other any more. The blocked one keeps its own: it is not to notice
  /// anything.
  func relationChanged(_ event: RelationChanged, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    guard try BlockStore.keep(event, transaction), event.relation.isBlocked else { return }
    if try BlockedNotificationStore.begin(event.accountID, from: event.otherAccountID, transaction) {
      transaction.afterCommit { [signal] in signal.send() }
    }
    try DeliveryStore.withdraw(naming: event.otherAccountID, of: event.accountID, transaction)
  }
}
