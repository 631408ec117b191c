import GRDB
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// The inbox: listed, counted, caught up with, marked as read, deleted from.
enum InboxHandlers {
  static func serve(_ service: inout ServiceDefinition) {
    service.serve(ListNotifications.self, read: list)
    service.serve(CountUnreadNotifications.self, read: count)
    service.serve(NotificationsSince.self, read: since)
    service.serve(MarkNotificationRead.self, write: markRead)
    service.serve(MarkNotificationsRead.self, write: markAllRead)
    service.serve(DeleteNotification.self, write: delete)
  }

  private static func list(_ input: ListNotifications.Input, _ call: Call, _ database: Database) throws -> Page<Notification> {
    try InboxStore.list(
      of: call.account, unread: input.unread, withLogins: call.caller.isInDoubt != true, call.page(input), call.language,
      in: database)
  }

  private static func count(_ input: Empty, _ call: Call, _ database: Database) throws -> CountUnreadNotifications.Output {
    CountUnreadNotifications.Output(unreadCount: try InboxStore.unreadCount(of: call.account, in: database))
  }

  private static func since(
    _ input: NotificationsSince.Input, _ call: Call, _ database: Database
  ) throws -> NotificationsSince.Output {
    try InboxStore.since(
      input.after, of: call.account, withLogins: call.caller.isInDoubt != true, limit: input.limit ?? 100, call.language,
      in: database)
  }

  private static func markRead(
    _ input: MarkNotificationRead.Input, _ call: Call, _ transaction: Transaction
  ) throws -> CountUnreadNotifications.Output {
    guard try InboxStore.markRead(input.notificationID, of: call.account, transaction) else {
      throw Failure(RequestFailure.notFound)
    }
    return try count(Empty(), call, transaction.database)
  }

  private static func markAllRead(
    _ input: MarkNotificationsRead.Input, _ call: Call, _ transaction: Transaction
  ) throws -> CountUnreadNotifications.Output {
    try InboxStore.markRead(upTo: input.upTo, of: call.account, transaction)
    return try count(Empty(), call, transaction.database)
  }

  private static func delete(_ input: DeleteNotification.Input, _ call: Call, _ transaction: Transaction) throws -> Empty {
    guard try InboxStore.delete(input.notificationID, of: call.account, transaction) else {
      throw Failure(RequestFailure.notFound)
    }
    return Empty()
  }
}
