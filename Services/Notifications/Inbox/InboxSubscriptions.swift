import ActivityContract
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract
import ServiceKit
import SocialContract
import Storage

/// Which events come into the inbox: one notification each, in the transaction that moves the listener's cursor.
enum InboxSubscriptions {
  static func subscribe(_ service: inout ServiceDefinition) {
    service.subscribe(to: FriendRequestSent.self) { event, _, transaction in try notify(NotificationDraft(event), transaction) }
    service.subscribe(to: FriendRequestAccepted.self) { event, _, transaction in try notify(NotificationDraft(event), transaction)
    }
    service.subscribe(to: FollowRequestSent.self) { event, _, transaction in try notify(NotificationDraft(event), transaction) }
    service.subscribe(to: FollowRequestAccepted.self) { event, _, transaction in try notify(NotificationDraft(event), transaction)
    }
    service.subscribe(to: MessageSent.self) { event, _, transaction in try notify(NotificationDraft(event), transaction) }
    service.subscribe(to: OfferRedeemed.self) { event, _, transaction in try notify(NotificationDraft(event), transaction) }
    service.subscribe(to: ImportProgressed.self) { event, _, transaction in try follow(event, transaction) }
    service.subscribe(to: CoinsEarned.self) { event, _, transaction in try notify(NotificationDraft(event), transaction) }
    service.subscribe(to: AccountVerified.self) { event, _, transaction in try notify(NotificationDraft(event), transaction) }
  }

  /// How an import comes on: each time in place of the last, so that an inbox has one notification of it however long it takes.
  static func follow(_ event: ImportProgressed, _ transaction: Transaction) throws {
    try InboxStore.deleteAll(from: NotificationDraft.source(of: event) + "/", of: event.accountID, transaction)
    if let draft = NotificationDraft(event) { try notify(draft, transaction) }
  }

  /// Adds the notification and tells it for live delivery, in the account's language; in English while identity's event about the
  /// account has not arrived. The inbox itself is always in the language of its reader.
  static func notify(_ draft: NotificationDraft, _ transaction: Transaction) throws {
    // Nothing comes late into the inbox of an erased account, or into another's from it.
    for account in [draft.accountID, draft.content.links.accountID].compactMap({ $0 })
    where try transaction.database.isErased(account) { return }
    let language = try Accounts.find(draft.accountID, in: transaction.database)?.language ?? .english
    guard let notification = try InboxStore.add(draft, language, transaction) else { return }
    try transaction.publish(
      NotificationCreated(accountID: draft.accountID, number: notification.number, notification: notification))
  }
}
