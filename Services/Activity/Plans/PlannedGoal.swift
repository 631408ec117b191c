import ActivityContract
import GRDB
import Operations
import ServiceKit
import Storage

/// The goal of an activity on a day.
struct PlannedGoal: Hashable, Sendable {
  let activity: ActivityID
  let day: LocalDay
  let measure: GoalMeasure
  let planned: PlannedDays
  let startDay: LocalDay
  let endDay: LocalDay?
  let isPaused: Bool
  /// Whether the pause is the archive's own.
  let isArchived: Bool
  let isSkipped: Bool
  /// Whether the day is over for the account.
  let isOver: Bool

  /// Whether that progress reaches the goal; for a limit this is only known once the day is over.
  func isDone(_ progress: Int) -> Bool { measure.isDone(progress, isOver: isOver) }

  /// Whether the day is planned, regardless of pauses and skipped days.
  var isPlanned: Bool { day >= startDay && endDay.map { day <= $0 } ?? true && planned.contains(day) }

  /// Refuses a day on which nothing may be written. An earlier entry stays, and may be deleted.
  func requireOpen(today: LocalDay) throws(Failure) {
    guard isPlanned else { throw EntryFailure.notPlanned.with(named) }
    guard day <= today else { throw EntryFailure.inFuture.with(named) }
    try requireUnpaused()
    guard !isSkipped else { throw EntryFailure.skipped.with(named) }
  }

  /// Checks a write; one that only removes values is accepted on any day.
  func requireOpen(to write: EntryWrite, today: LocalDay) throws(Failure) {
    if !write.isRemoval { try requireOpen(today: today) }
  }

  /// Refuses a day on which the activity is paused.
  func requireUnpaused() throws(Failure) {
    guard !isArchived else { throw Failure(ActivityFailure.archived) }
    guard !isPaused else { throw EntryFailure.paused.with(named) }
  }

  private var named: [String: Parameter] { ["day": .text(day.description)] }
}

extension AccountCalendars {
  /// The goal of the caller's activity on a day that it names.
  func goal(_ activity: ActivityID, _ day: DayName, _ call: AccountCall, in database: Database) throws -> PlannedGoal {
    let today = try calendar(of: call.account, in: database).day(of: call.now)
    return try ActivityStore.goal(activity, of: call.account, on: day.resolved(today: today), today: today, in: database)
  }

  /// The same for a write, with the caller's present day.
  func goal(
    _ activity: ActivityID, _ day: DayName, _ call: AccountCall, _ transaction: Transaction
  ) throws -> (goal: PlannedGoal, today: LocalDay) {
    let today = try today(of: call.account, transaction)
    let day = day.resolved(today: today)
    return (try ActivityStore.goal(activity, of: call.account, on: day, today: today, in: transaction.database), today)
  }
}
