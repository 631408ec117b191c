import IdentityContract
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// Lets each event make what the kinds of it declare, in the transaction that moves the subscriber's cursor.
struct KindSubscriptions: Sendable {
  let kinds: [NotificationSpec]
  /// Wakes the worker of mails.
  let signal: WakeSignal

  func subscribe(_ service: inout ServiceDefinition) {
    for (_, kinds) in Dictionary(grouping: kinds, by: { $0.event.spec.name }) { subscribe(to: kinds[0].event, kinds, &service) }
    for retraction in NotificationRetraction.all { subscribe(to: retraction.event, retraction, &service) }
  }

  private func subscribe<E: Event>(to event: E.Type, _ retraction: NotificationRetraction, _ service: inout ServiceDefinition) {
    service.subscribe(to: event) { event, _, transaction in
      guard let source = retraction.source(event) else { return }
      try InboxStore.deleteAll(from: source.text, of: source.accountID, transaction)
    }
  }

  private func subscribe<E: Event>(to event: E.Type, _ kinds: [NotificationSpec], _ service: inout ServiceDefinition) {
    service.subscribe(to: event) { event, logged, transaction in
      for source in Set(kinds.compactMap { $0.superseded(event) }) {
        try InboxStore.deleteAll(from: source.text, of: source.accountID, transaction)
      }
      for draft in kinds.compactMap({ $0.make(event) }) { try deliver(draft, at: logged.at, transaction) }
    }
  }

  private func deliver(_ draft: NotificationDraft, at instant: Instant, _ transaction: Transaction) throws {
    // Nothing of one reaches the other of two of whom one has blocked the other; what was taken back is gone all the same, and names stay
    // those by which the two knew each other.
    if let item = draft.inbox, try BlockStore.isApart(draft.accountID, fromAnyOf: item.accounts, in: transaction.database) {
      if item.isAmendment { _ = try InboxStore.amend(item, of: draft.accountID, .english, keepsName: true, transaction) }
      return
    }
    if let item = draft.inbox { try KindSubscriptions.notify(draft.accountID, item, transaction) }
    if let mail = draft.mail {
      try MailStore.add(mail, to: draft.accountID, at: instant, transaction)
      transaction.afterCommit { signal.send() }
    }
  }

  /// Adds the notification, or changes the one that there is, and publishes it for live delivery, in the account's language; in English while identity's event about the
  /// account has not arrived. The inbox itself is always in the language of its reader.
  static func notify(_ account: AccountID, _ item: InboxItem, _ transaction: Transaction) throws {
    // Nothing comes late into the inbox of an erased account, or into another's that names it.
    for named in item.accounts.union([account]) where try transaction.database.isErased(named) { return }
    let language = try Accounts.find(account, in: transaction.database)?.language ?? .english
    if item.isAmendment {
      guard let changed = try InboxStore.amend(item, of: account, language, transaction) else { return }
      try transaction.publish(NotificationChanged(accountID: account, number: changed.number, notification: changed))
      return
    }
    guard let notification = try InboxStore.add(item, to: account, language, transaction) else { return }
    try transaction.publish(NotificationCreated(accountID: account, number: notification.number, notification: notification))
  }
}
