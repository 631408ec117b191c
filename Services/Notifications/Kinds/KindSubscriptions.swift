import IdentityContract
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// Creates the declared notifications for each event, in the transaction that moves the subscriber's cursor.
///
/// An empty store begins with empty inboxes: repeating the past of every account would be no news, and what waits for an answer has its own
/// list. Identity's snapshot is an exception, since people wait for its mails: its events are links that still work, alerts without an
/// answer and reports that were not delivered, and a lost store does not know which of them were mailed.
struct KindSubscriptions: Sendable {
  let kinds: [NotificationSpec]
  let dispatch: DeliveryDispatch

  func subscribe(_ service: inout ServiceDefinition) {
    for (_, kinds) in Dictionary(grouping: kinds, by: { $0.event?.spec.name }) {
      if let event = kinds[0].event { subscribe(to: event, kinds, &service) }
    }
    for retraction in NotificationRetraction.all { subscribe(to: retraction.event, retraction, &service) }
  }

  private func subscribe<E: Event>(to event: E.Type, _ retraction: NotificationRetraction, _ service: inout ServiceDefinition) {
    service.subscribe(to: event, needsState: false) { event, _, transaction in
      guard let source = retraction.source(event) else { return }
      try dispatch.retract(source, keepsInbox: retraction.keepsInbox, transaction)
    }
  }

  private func subscribe<E: Event>(to event: E.Type, _ kinds: [NotificationSpec], _ service: inout ServiceDefinition) {
    service.subscribe(to: event, needsState: E.spec.publisher == .identity) { event, logged, transaction in
      let drafts = kinds.compactMap { kind in kind.make(event).map { (kind: kind, draft: $0) } }
      // A publisher whose store was restored may report the same again: that supersedes nothing.
      let same = Set(drafts.compactMap { $0.draft.inbox?.source })
      for source in Set(kinds.compactMap { $0.superseded(event) }) {
        try InboxStore.deleteAll(from: source.text, except: same, of: source.accountID, transaction)
        try DeliveryStore.withdraw(from: source.text, except: same, of: source.accountID, transaction)
      }
      for (kind, draft) in drafts { try dispatch.deliver(kind, draft, at: logged.at, transaction) }
    }
  }

  /// Adds the notification, or changes the existing one, and publishes it for live delivery, in the account's language; in English until
  /// identity's event about the account arrives. The inbox itself is always in its reader's language.
  ///
  /// - Returns: the notification that was added or changed; nil where there is none to change, or it is in the inbox already.
  @discardableResult
  static func notify(
    _ account: AccountID, _ item: InboxItem, _ transaction: Transaction, in known: Language? = nil
  ) throws -> ID<NotificationsContract.Notification>? {
    // Nothing comes late into the inbox of an erased account, or into another's that names it.
    for named in item.accounts.union([account]) where try transaction.database.isErased(named) { return nil }
    let language = try known ?? Accounts.find(account, in: transaction.database)?.language ?? .english
    if item.isAmendment {
      guard let changed = try InboxStore.amend(item, of: account, language, transaction) else { return nil }
      try transaction.publish(NotificationChanged(accountID: account, number: changed.number, notification: changed))
      return changed.id
    }
    guard let notification = try InboxStore.add(item, to: account, language, transaction) else { return nil }
    try transaction.publish(NotificationCreated(accountID: account, number: notification.number, notification: notification))
    return notification.id
  }
}
