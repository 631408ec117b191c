import ActivityContract
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// Reminders of activities (NOT-2): when they are due, and how answers to them are applied. Notifications sends them.
struct ReminderFeature: Feature {
  let calendars: AccountCalendars
  let environment: ServiceEnvironment

  let migrations = [ReminderStore.migration(46)]
  let tables: [ErasedTable] = [
    .following("due_reminders", "activities"),
    .following("reminded_activities", "activities"),
  ]

  func register(in service: inout ServiceDefinition) {
    service.subscribe(to: ReminderAnswered.self, ReminderSubscriptions(calendars: calendars).answered)
    let (calendars, clock) = (calendars, environment.clock)
    let lateSeconds = environment.settings.int("racha.reminders.lateMinutes", default: 30, in: 1...1440) * 60
    service.run { store in
      ReminderWorker(store: store, calendars: calendars, lateSeconds: lateSeconds, clock: clock)
    }
  }

  func accountMoved(_ move: AccountMove, _ transaction: Transaction) throws {
    try ReminderStore.recheck(of: move.account, transaction)
  }
}
