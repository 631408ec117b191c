import ActivityContract
import IdentityContract
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// Reminders of activities (NOT-2): each can be answered once, from the push, the mail or the inbox. When they are due the activity service
/// decides.
struct ReminderFeature: Feature {
  /// How long a reminder is kept after its end, so that its link can say that it is over.
  private static let keptSeconds = 7 * 86_400

  let environment: ServiceEnvironment
  let links: ReminderLinks
  let dispatch: DeliveryDispatch

  let migrations = [ReminderStore.migration(22)]
  let tables: [ErasedTable] = [.rows("reminders", "account_id = :account", .notifications)]
  let retention = [RetentionRule("reminders", key: "reminder_id", after: "ends_at", seconds: ReminderFeature.keptSeconds)]

  func register(in service: inout ServiceDefinition) {
    let handlers = ReminderHandlers(links: links, dispatch: dispatch)
    service.serve(GetReminder.self, read: handlers.get)
    service.serve(AnswerReminderByLink.self, write: handlers.answerByLink)
    service.serve(AnswerReminder.self, write: handlers.answer)
    let lateMinutes = environment.settings.int("racha.reminders.lateMinutes", default: 30, in: 1...1440)
    let subscriptions = ReminderSubscriptions(dispatch: dispatch, lateSeconds: lateMinutes * 60)
    service.subscribe(to: ReminderDue.self, needsState: false, subscriptions.due)
    service.subscribe(to: ReminderWithdrawn.self, needsState: false, subscriptions.withdrawn)
  }
}
