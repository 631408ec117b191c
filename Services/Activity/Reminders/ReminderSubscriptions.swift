import ActivityContract
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// Applies answers to reminders (NOT-2).
struct ReminderSubscriptions: Sendable {
  let calendars: AccountCalendars

  func answered(_ event: ReminderAnswered, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    guard try !transaction.database.isErased(event.accountID) else { return }
    switch event.answer {
    case .done: try complete(event, transaction)
    case .again:
      guard let instant = event.remindAt else { return }
      try ReminderStore.again(
        event.activityID, event.time, on: event.day, of: event.accountID, at: instant, transaction)
    }
  }

  /// Completes the day as its owner would; where an entry may not be written, nothing is.
  private func complete(_ event: ReminderAnswered, _ transaction: Transaction) throws {
    let (account, database) = (event.accountID, transaction.database)
    let today = try calendars.day(of: transaction.now, account, in: database)
    do {
      let goal = try ActivityStore.goal(event.activityID, of: account, on: event.day, today: today, in: database)
      _ = try EntryStore.change(goal, of: account, today: today, transaction) { measure, progress in
        try measure.set(
          progress ?? 0, to: RecordEntry.Input(activityID: event.activityID, day: .day(event.day), isDone: true))
      }
    } catch {
      // The activity was deleted, or the day may not be written: the rules of entries decide before anything is written.
      guard Failure(error).status < RequestFailure.internalError.status else { throw error }
    }
  }
}
