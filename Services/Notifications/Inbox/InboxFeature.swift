import IdentityContract
import NotificationsContract
import ServiceKit
import SocialContract
import Storage

/// The inbox: what happened to an account, numbered, listed and delivered live (NOT-1, NOT-4).
struct InboxFeature: Feature {
  let settings: DeliverySettings
  /// Wakes the worker that settles read marks.
  let signal = WakeSignal()
  /// The same for those of conversations that were read.
  let conversations = WakeSignal()

  let migrations = [
    InboxStore.migration(2), InboxStore.causeMigration(7), InboxStore.accountsMigration(11), InboxStore.changesMigration(18),
    ReadMarkStore.migration(29), ReadConversationStore.migration(31), UnreadCountStore.migration(35),
    UnreadCountStore.markMigration(38), InboxStore.presentMigration(40),
  ]
  let tables: [ErasedTable] = [
    // What others were notified of that names the account, then its own inbox.
    .changed(
      "notifications",
      """
      account_id = :account
      OR notification_id IN (SELECT notification_id FROM notification_accounts WHERE account_id = :account)
      """, .notifications, by: InboxStore.erasedChanges, InboxStore.erasedContents, InboxStore.erasedNames,
      InboxStore.erasedInbox, steps: InboxStore.erasureSteps),
    .following("notification_accounts", "notifications"),
    .rows("read_marks", "account_id = :account", .notifications),
    .rows("read_conversations", "account_id = :account", .notifications),
    .rows("unread_counts", "account_id = :account", .notifications).uncounted,
    .rows("inboxes", "account_id = :account", .notifications),
  ]

  /// Those that were read long ago go, and what is left of deleted ones.
  var retention: [RetentionRule] {
    ["read_at", "deleted_at"].map {
      RetentionRule("notifications", key: "notification_id", after: $0, seconds: settings.readKeptDays * 86_400)
    }
  }

  func register(in service: inout ServiceDefinition) {
    service.serve(ListNotifications.self, read: InboxHandlers.list)
    service.serve(CountUnreadNotifications.self, read: InboxHandlers.count)
    service.serve(ListNotificationsSince.self, read: InboxHandlers.since)
    service.serve(MarkNotificationRead.self, write: InboxHandlers.markRead)
    service.serve(MarkAllNotificationsRead.self, write: InboxHandlers(signal: signal).markAllRead)
    service.serve(DeleteNotification.self, write: InboxHandlers.delete)
    service.subscribe(
      to: ConversationRead.self, needsState: false, InboxSubscriptions(signal: conversations).conversationRead)
    service.run { [signal] store in
      RoundRobinWorker(
        "read marks", of: "read_marks", by: "account_id", limits: StepLimits(first: 50, max: 2_000), store: store, signal: signal
      ) { account, count, transaction in
        try ReadMarkStore.settle(account, limit: count, transaction)
      }
    }
    service.run { [conversations] store in
      RoundRobinWorker(
        "read conversations", of: "read_conversations", by: "account_id", limits: StepLimits(first: 50, max: 2_000),
        store: store, signal: conversations
      ) { account, count, transaction in
        try ReadConversationStore.settle(account, limit: count, transaction)
      }
    }
  }
}
