import ActivityContract
import Operations
import ServiceKit
import Storage

/// Pauses: made, changed and deleted.
struct PauseHandlers: Sendable {
  let calendars: AccountCalendars

  func create(_ input: CreatePause.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Pause {
    let account = call.account
    try ActivityStore.require(input.activityID, of: account, in: transaction.database)
    let firstDay = try input.firstDay ?? calendars.today(of: account, transaction)
    let pause = Pause(id: PauseID(), activityID: input.activityID, firstDay: firstDay, lastDay: input.lastDay)
    try pause.checkOrder()
    try PauseStore.put(pause, transaction)
    try ReminderStore.withdraw(pause.activityID, pause.days, of: account, transaction)
    return pause
  }

  func update(_ input: UpdatePause.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Pause {
    let account = call.account
    try ActivityStore.require(input.activityID, of: account, in: transaction.database)
    let before = try PauseStore.find(input.pauseID, of: input.activityID, in: transaction.database)
    var pause = before
    pause.firstDay = input.firstDay.applied(to: pause.firstDay)
    pause.lastDay = input.lastDay.applied(to: pause.lastDay)
    try pause.checkOrder()
    try PauseStore.put(pause, transaction)
    try ReminderStore.withdraw(pause.activityID, pause.days, of: account, transaction)
    try MovementTieStore.takeUp(
      before.days, input.activityID, of: account, today: calendars.today(of: account, transaction), transaction)
    return pause
  }

  func delete(_ input: DeletePause.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    let account = call.account
    try ActivityStore.require(input.activityID, of: account, in: transaction.database)
    let pause = try PauseStore.find(input.pauseID, of: input.activityID, in: transaction.database)
    try PauseStore.delete(pause, transaction)
    try MovementTieStore.takeUp(
      pause.days, input.activityID, of: account, today: calendars.today(of: account, transaction), transaction)
    return Empty()
  }
}

extension Pause {
  /// The days on which the activity is paused.
  fileprivate var days: ClosedRange<LocalDay> { firstDay...lastDay }

  /// Refuses a pause that ends before it begins; the input cannot check that where it leaves out one of the days.
  fileprivate func checkOrder() throws(Failure) {
    guard lastDay >= firstDay else { throw Failure.field("lastDay", PlannableDays.mayNotEndBefore(firstDay)) }
  }
}
