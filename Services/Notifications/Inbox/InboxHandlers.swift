import GRDB
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// The inbox: listed, counted, caught up with, marked as read, deleted from.
struct InboxHandlers: Sendable {
  let signal: WakeSignal

  static func list(_ input: ListNotifications.Input, _ call: AccountCall, _ database: Database) throws -> Page<Notification> {
    try InboxStore.list(
      of: call.account, unread: input.isUnread, category: input.category, withLogins: call.caller.isInDoubt != true,
      call.page(input), call.language,
      in: database)
  }

  static func count(_ input: Empty, _ call: AccountCall, _ database: Database) throws -> CountUnreadNotifications.Output {
    let counts = try UnreadCountStore.counts(of: call.account, in: database)
    let withLogins = call.caller.isInDoubt != true
    return CountUnreadNotifications.Output(
      unreadCount: counts.values.reduce(0, +),
      byCategory: counts.sorted { $0.key < $1.key }.compactMap { name, count in
        guard let category = NotificationCategory(rawValue: name), withLogins || category != .logins else { return nil }
        return NotificationCount(category: category, unreadCount: count)
      })
  }

  static func since(
    _ input: ListNotificationsSince.Input, _ call: AccountCall, _ database: Database
  ) throws -> ListNotificationsSince.Output {
    let (withLogins, limit) = (call.caller.isInDoubt != true, input.limit ?? 100)
    var output = try InboxStore.since(
      input.after, of: call.account, withLogins: withLogins, limit: limit, call.language, in: database)
    output.lastChange = try InboxStore.lastChange(of: call.account, in: database)
    guard let change = input.changesAfter else { return output }
    let changes = try InboxStore.changes(
      after: change, upTo: input.after, of: call.account, withLogins: withLogins, limit: limit, call.language, in: database)
    (output.changed, output.removed, output.lastChange) = (changes.changed, changes.removed, changes.lastChange)
    return output
  }

  static func markRead(
    _ input: MarkNotificationRead.Input, _ call: AccountCall, _ transaction: Transaction
  ) throws -> CountUnreadNotifications.Output {
    guard try InboxStore.markRead(input.notificationID, of: call.account, transaction) else {
      throw Failure(RequestFailure.notFound)
    }
    return try count(Empty(), call, transaction.database)
  }

  func markAllRead(
    _ input: MarkAllNotificationsRead.Input, _ call: AccountCall, _ transaction: Transaction
  ) throws -> CountUnreadNotifications.Output {
    if try InboxStore.markRead(upTo: input.upTo, of: call.account, transaction) {
      transaction.afterCommit { [signal] in signal.send() }
    }
    return try Self.count(Empty(), call, transaction.database)
  }

  static func delete(_ input: DeleteNotification.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    guard try InboxStore.delete(input.notificationID, of: call.account, transaction) else {
      throw Failure(RequestFailure.notFound)
    }
    return Empty()
  }
}
