import ActivityContract
import Operations
import ServiceKit
import Storage

/// Skips: created and removed.
struct SkipHandlers: Sendable {
  let calendars: AccountCalendars

  func create(_ input: CreateSkip.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Skip {
    let account = call.account
    let today = try calendars.today(of: account, transaction)
    let day = input.day.resolved(today: today)
    let goal = try ActivityStore.goal(input.activityID, of: account, on: day, today: today, in: transaction.database)
    let last = today.advanced(by: SkipInput.maxDaysAhead)
    guard day <= last else {
      throw Failure.field(
        "day", FieldRule("out_of_range", ["min": .text(goal.startDay.description), "max": .text(last.description)]))
    }
    guard goal.isPlanned else { throw EntryFailure.notPlanned.with(["day": .text(day.description)]) }
    try goal.requireUnpaused()
    let skip = Skip(activityID: input.activityID, day: day)
    try SkipStore.put(skip, transaction)
    try ReminderStore.withdraw(skip.activityID, day...day, of: account, transaction)
    return skip
  }

  func delete(_ input: DeleteSkip.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    let account = call.account
    try ActivityStore.require(input.activityID, of: account, in: transaction.database)
    let today = try calendars.today(of: account, transaction)
    let day = input.day.resolved(today: today)
    guard try SkipStore.delete(Skip(activityID: input.activityID, day: day), transaction) else { return Empty() }
    try MovementTieStore.takeUp(day...day, input.activityID, of: account, today: today, transaction)
    return Empty()
  }
}
