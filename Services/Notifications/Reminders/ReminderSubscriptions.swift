import ActivityContract
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// Stores activity's reminders. Those that are due then go on like any kind of notification.
struct ReminderSubscriptions: Sendable {
  let dispatch: DeliveryDispatch
  /// What comes so late is not sent any more.
  let lateSeconds: Int

  /// Stores a reminder that can be answered. A newer one replaces all others of its activity; a missed one is logged, and alerts nobody.
  func due(_ event: ReminderDue, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    guard try !transaction.database.isErased(event.accountID) else { return }
    guard !event.isMissed, transaction.now < event.dueAt.adding(seconds: lateSeconds) else {
      // As after a restore of activity's store.
      guard try !ReminderStore.isKnown(event, in: transaction.database) else { return }
      return try dispatch.log(
        .reminderDue, .late, of: event.accountID, about: ID(linking: event.reminderID),
        source: "\(ReminderDue.spec.originalName)/\(event.source)", at: event.dueAt, transaction)
    }
    guard try ReminderStore.add(event, transaction) else { return }
    let older = NotificationSource.reminders(of: event.activityID, of: event.accountID)
    try InboxStore.deleteAll(from: older.text, of: event.accountID, transaction)
    // On devices, the older ones are replaced by the new push, under the same topic.
    try DeliveryStore.withdraw(from: older.text, of: event.accountID, transaction)
  }

  func withdrawn(_ event: ReminderWithdrawn, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    guard try !transaction.database.isErased(event.accountID) else { return }
    try ReminderStore.end(event.activityID, event.day, of: event.accountID, transaction)
    try dispatch.retract(.reminders(of: event.activityID, event.day, of: event.accountID), transaction)
  }
}
