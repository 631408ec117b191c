import GRDB
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// The inbox: listed, counted, caught up with, marked as read, deleted from.
enum InboxHandlers {
  static func serve(_ service: inout ServiceDefinition) {
    service.serve(ListNotifications.self) { input, call, database in
      try InboxStore.list(
        of: call.account, unread: input.unread, PageRequest(limit: input.limit, cursor: input.cursor), call.language, in: database)
    }
    service.serve(CountUnreadNotifications.self) { _, call, database in
      CountUnreadNotifications.Output(unreadCount: try InboxStore.unreadCount(of: call.account, in: database))
    }
    service.serve(NotificationsSince.self) { input, call, database in
      try InboxStore.since(input.after, of: call.account, limit: input.limit ?? 100, call.language, in: database)
    }
    service.serve(MarkNotificationRead.self) { input, call, transaction in
      guard try InboxStore.markRead(input.notificationID, of: call.account, transaction) else {
        throw Failure(RequestFailure.notFound)
      }
      return try unreadCount(call, transaction)
    }
    service.serve(MarkNotificationsRead.self) { input, call, transaction in
      try InboxStore.markRead(upTo: input.upTo, of: call.account, transaction)
      return try unreadCount(call, transaction)
    }
    service.serve(DeleteNotification.self) { input, call, transaction in
      guard try InboxStore.delete(input.notificationID, of: call.account, transaction) else {
        throw Failure(RequestFailure.notFound)
      }
      return Empty()
    }
  }

  private static func unreadCount(_ call: Call, _ transaction: Transaction) throws -> CountUnreadNotifications.Output {
    CountUnreadNotifications.Output(unreadCount: try InboxStore.unreadCount(of: call.account, in: transaction.database))
  }
}
