import Operations
import SocialContract
import Storage

/// What the read model of blocks learns from social.
enum BlockSubscriptions {
  /// Whoever blocks another sees none of its notifications that name the other any more. The blocked one keeps its own: it is not to notice
  /// anything.
  static func relationChanged(_ event: RelationChanged, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    guard try BlockStore.keep(event, transaction), event.relation.isBlocked else { return }
    try InboxStore.deleteAll(naming: event.otherAccountID, of: event.accountID, transaction)
    try DeliveryStore.withdraw(naming: event.otherAccountID, of: event.accountID, transaction)
  }
}
