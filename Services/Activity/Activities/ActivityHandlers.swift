import ActivityContract
import GRDB
import Operations
import ServiceKit
import Storage

/// Activities: made, read, changed, ordered, archived and deleted.
struct ActivityHandlers: Sendable {
  let calendars: AccountCalendars
  let deletions: WakeSignal
  private let words = Words(Contract.activity.words)

  init(calendars: AccountCalendars, deletions: WakeSignal) {
    self.calendars = calendars
    self.deletions = deletions
  }

  func create(_ input: CreateActivity.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Activity {
    let account = call.account
    let today = try calendars.today(of: account, transaction)
    let startDay = input.startDay ?? today
    var findings = FieldFindings(input.found)
    if let endDay = input.endDay, endDay < startDay, input.found.areRight("startDay", "endDay") {
      findings.add("endDay", PlannableDays.mayNotEndBefore(startDay))
    }
    let reminders = (input.reminders ?? []).canonical
    if let excess = try ReminderStore.excess(reminders, of: account, in: transaction.database) {
      findings.add("reminders", excess)
    }
    try findings.end()
    let activity = Activity(
      id: ActivityID(), title: input.title.trimmed,
      reason: input.reason.map(\.trimmed).flatMap { $0.isEmpty ? nil : $0 },
      category: input.category, goal: GoalMeasure(input.goal).goal(unit: input.goal.unit),
      schedule: PlannedDays(input.schedule, anchor: startDay).schedule, startDay: startDay, endDay: input.endDay,
      reminders: reminders, tags: (input.tags ?? []).canonical, tie: input.tie,
      createdAt: transaction.now)
    try ActivityStore.add(activity, of: account, transaction)
    try MovementTieStore.set(activity.tie, activity.id, of: account, today: today, transaction)
    return activity
  }

  func list(_ input: ListActivities.Input, _ call: AccountCall, _ database: Database) throws -> ActivityList {
    let days = try calendars.days(of: call.account, now: call.now, in: database)
    let page = try call.page(input)
    let items = try ActivityStore.list(of: days, input, page, in: database)
    let message = input.cursor == nil && items.items.isEmpty ? input.emptyMessage(words, call.language) : nil
    return ActivityList(items, message: message)
  }

  func get(_ input: GetActivity.Input, _ call: AccountCall, _ database: Database) throws -> ActivityDetails {
    let account = call.account
    let activity = try ActivityStore.find(input.activityID, of: account, in: database)
    let days = try calendars.days(of: account, now: call.now, in: database)
    let (streak, strength) = StreakRules.record(
      try PlanStore.find(activity.id, lostDays: days.lost, in: database), try EntryStore.progress(of: activity.id, in: database),
      today: days.today)
    return ActivityDetails(
      activity: activity, streak: streak, strength: strength.rounded(toPlaces: 3),
      pauses: try PauseStore.list(of: activity.id, in: database))
  }

  func update(_ input: UpdateActivity.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Activity {
    try input.found.require("activityID")
    let today = try calendars.today(of: call.account, transaction)
    return try ActivityStore.update(input, of: call.account, today: today, transaction)
  }

  func delete(_ input: DeleteActivity.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    if try ActivityStore.delete(input.activityID, of: call.account, transaction) {
      transaction.afterCommit { [deletions] in deletions.send() }
    }
    return Empty()
  }

  func archive(_ input: ArchiveActivity.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Activity {
    let today = try calendars.today(of: call.account, transaction)
    return try ActivityStore.archive(input.activityID, of: call.account, today: today, transaction)
  }

  func unarchive(_ input: UnarchiveActivity.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Activity {
    let today = try calendars.today(of: call.account, transaction)
    return try ActivityStore.unarchive(input.activityID, of: call.account, today: today, transaction)
  }

  func reorder(_ input: ReorderActivity.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    try ActivityStore.move(input.activityID, behind: input.after, of: call.account, transaction)
    return Empty()
  }
}

extension ListActivities.Input {
  /// The text that a client shows for an empty list.
  fileprivate func emptyMessage(_ words: Words, _ language: Language) -> String? {
    let hasFilter = tag != nil || category != nil || TitleKey.search(title) != nil
    let key = hasFilter ? "activities_none_found" : isArchived == true ? "activities_none_archived" : "activities_empty"
    return words.text("list.\(key)", language)
  }
}
