import ActivityContract
import GRDB
import Operations
import Storage

/// The outcome of one week for an account's activities of so many times a week. Data of all of them is read with the first request, since
/// an account with one such activity usually has several.
struct AccountWeek {
  private let days: AccountDays
  private let week: ClosedRange<LocalDay>
  private let database: Database
  private var read: (changes: PlanChanges, progress: [ActivityID: [DayProgress]])?

  /// The week of a day.
  init(of days: AccountDays, around day: LocalDay, in database: Database) {
    self.days = days
    week = day.monday...day.sunday
    self.database = database
  }

  /// Returns the week's outcome for an activity; nil where the week is too short for so many times.
  ///
  /// - Parameter version: the activity's version that applies on the week's day.
  mutating func outcome(_ activity: ActivityID, _ version: ActivityVersion) throws -> EvaluatedDay.Outcome? {
    let (changes, progress) =
      try read
      ?? (
        PlanStore.changes(of: days.account, over: week, in: database),
        EntryStore.progress(ofAll: days.account, over: week, in: database)
      )
    read = (changes, progress)
    let plan = Plan(
      changes.versions[activity] ?? [version], pauses: changes.pauses[activity] ?? [], skips: changes.skips[activity] ?? [],
      lostDays: days.lost)
    return plan.outcome(of: week, progress[activity] ?? [], today: days.today)
  }
}

extension Plan {
  /// Returns the outcome of a week in which so many days were to be kept.
  func outcome(of week: ClosedRange<LocalDay>, _ progress: [DayProgress], today: LocalDay) -> EvaluatedDay.Outcome? {
    var evaluated = EvaluatedWeek()
    evaluate(progress, from: week.lowerBound, to: week.upperBound, today: today) { day in
      if let times = day.timesAWeek { evaluated.add(day, times: times) }
    }
    return evaluated.outcome(isOver: week.upperBound < today)
  }
}
