import ActivityContract
import ImportFormats
import Operations
import Storage

/// Turns habits of another program into activities, and their checkmarks into entries.
enum HabitImport {
  /// Takes a habit; one that was taken before is recognised by its key.
  static func take(
    _ habit: ImportedHabit, _ record: ImportedRecord, of account: AccountID, today: LocalDay, _ outcome: inout ImportOutcome,
    _ transaction: Transaction
  ) throws {
    if let known = try ImportStore.activity(of: habit.key, account, in: transaction.database) {
      if let firstDay = habit.firstDay { try open(known, of: account, from: firstDay, today: today, transaction) }
      outcome.repeated += 1
      return
    }
    do {
      let reminders = habit.reminder.map { [$0] } ?? []
      let isExcess = try ReminderStore.excess(reminders, of: account, in: transaction.database) != nil
      let id = try add(habit, isExcess ? [] : reminders, of: account, today: today, transaction)
      if isExcess { outcome.problems.append(.init(record, .tooManyReminders)) }
      try ImportStore.keep(habit.key, as: id, of: account, transaction)
      outcome.taken += 1
    } catch let failure as Failure where failure.code == ActivityFailure.tooMany.rawValue {
      outcome.problems.append(.init(record, .tooManyActivities))
    }
  }

  /// Takes a habit's start from a file that does not contain the habit itself.
  static func begin(
    _ habit: String, on day: LocalDay?, asLimit dayAsLimit: LocalDay, of account: AccountID, today: LocalDay,
    _ transaction: Transaction
  ) throws {
    guard let known = try ImportStore.activity(of: habit, account, in: transaction.database) else { return }
    let isLimit = try ActivityStore.find(known, of: account, in: transaction.database).goal.direction == .atMost
    guard let day = isLimit ? dayAsLimit : day else { return }
    try open(known, of: account, from: day, today: today, transaction)
  }

  /// Skips a day on which a habit was excused. A day for which the account has recorded something itself stays as it is.
  static func skip(
    _ habit: String, on day: LocalDay, _ record: ImportedRecord, of account: AccountID, today: LocalDay,
    _ outcome: inout ImportOutcome, _ transaction: Transaction
  ) throws {
    try write(habit, on: day, record, of: account, today: today, &outcome, transaction) { goal in
      guard !goal.isSkipped else { return false }
      let entry = try EntryStore.find(goal.activity, day, in: transaction.database)
      guard (entry?.progress ?? 0) == 0 else { return false }
      guard goal.isPlanned else { throw EntryFailure.notPlanned.with(["day": .text(day.description)]) }
      try goal.requireUnpaused()
      try SkipStore.put(Skip(activityID: goal.activity, day: day), transaction)
      return true
    }
  }

  /// Takes a note of a day as the comment of its entry. An existing comment stays.
  static func take(
    note: String, of habit: String, on day: LocalDay, _ record: ImportedRecord, of account: AccountID, today: LocalDay,
    _ outcome: inout ImportOutcome, _ transaction: Transaction
  ) throws {
    try write(habit, on: day, record, of: account, today: today, &outcome, transaction) { goal in
      let entry = try EntryStore.find(goal.activity, day, in: transaction.database)
      guard entry?.comment == nil else { return false }
      let write = EntryWrite(comment: .set(note))
      guard !write.isRemoval else { return false }
      try goal.requireOpen(to: write, today: today)
      try EntryStore.write(write, over: entry, goal, of: account, transaction)
      return true
    }
  }

  /// - Parameter body: returns whether it changed anything.
  private static func write(
    _ habit: String, on day: LocalDay, _ record: ImportedRecord, of account: AccountID, today: LocalDay,
    _ outcome: inout ImportOutcome, _ transaction: Transaction, _ body: (PlannedGoal) throws -> Bool
  ) throws {
    guard let activity = try ImportStore.activity(of: habit, account, in: transaction.database) else {
      outcome.problems.append(.init(record, .unknownHabit))
      return
    }
    do {
      let goal = try ActivityStore.goal(activity, of: account, on: day, today: today, in: transaction.database)
      if try body(goal) {
        outcome.taken += 1
        outcome.days.insert(day)
      } else {
        outcome.repeated += 1
      }
    } catch let failure as Failure {
      guard let reason = reason(failure) else { throw failure }
      outcome.problems.append(.init(record, reason))
    }
  }

  /// Takes a checkmark. It never lowers what the account has recorded itself.
  static func take(
    _ mark: ImportedMark, _ record: ImportedRecord, of account: AccountID, today: LocalDay, _ outcome: inout ImportOutcome,
    _ transaction: Transaction
  ) throws {
    try write(mark.habit, on: mark.day, record, of: account, today: today, &outcome, transaction) { goal in
      var isNew = false
      _ = try EntryStore.change(goal, of: account, today: today, transaction) { measure, progress in
        let (marked, written) = (progressOf(mark.progress, by: measure), progress ?? 0)
        isNew = marked > written
        return max(written, marked)
      }
      return isNew
    }
  }

  private static func progressOf(_ progress: ImportedMark.Progress, by measure: GoalMeasure) -> Int {
    switch progress {
    case .done: measure.target
    case .amount(let amount):
      switch measure.kind {
      case .check: amount > 0 ? 1 : 0
      case .quantity: min(measure.maximum, Amounts.thousandths(amount))
      case .duration: min(measure.maximum, Int(min(amount, Double(Amounts.maxSeconds)).rounded()))
      }
    }
  }

  private static func reason(_ failure: Failure) -> ImportProblemReason? {
    switch failure.code {
    case EntryFailure.notPlanned.rawValue: .notPlanned
    case EntryFailure.paused.rawValue: .paused
    case EntryFailure.skipped.rawValue: .skipped
    case ActivityFailure.archived.rawValue: .archived
    case EntryFailure.inFuture.rawValue: .inFuture
    case ActivityFailure.notFound.rawValue: .unknownHabit
    default: nil
    }
  }

  /// Creates the activity. Where the other program asks for any one day of n, that applies to the past, so that every checkmark falls on a
  /// planned day; from today on the activity is planned every n-th day. A habit that is archived there is archived from today on.
  private static func add(
    _ habit: ImportedHabit, _ reminders: [ReminderTime], of account: AccountID, today: LocalDay, _ transaction: Transaction
  ) throws -> ActivityID {
    var schedule = Schedule.daily
    var later: Schedule?
    switch habit.frequency {
    case .daily: break
    case .timesAWeek(let times): schedule = .timesAWeek(times)
    case .everyDays(let days):
      schedule = .timesAWeek(max(1, min(7, Int((7 / Double(days)).rounded()))))
      later = .everyNDays(days)
    }
    let firstDay = min(habit.firstDay ?? today, later == nil ? today : today.advanced(by: -1))
    let activity = Activity(
      id: ActivityID(), title: habit.title, reason: habit.reason, category: .other, goal: habit.goal, schedule: schedule,
      startDay: firstDay, reminders: reminders, createdAt: transaction.now)
    try ActivityStore.add(activity, of: account, transaction)
    if let later {
      let edit = UpdateActivity.Input(activityID: activity.id, schedule: .set(later))
      _ = try ActivityStore.update(edit, of: account, today: today, transaction)
    }
    if habit.isArchived { _ = try ActivityStore.archive(activity.id, of: account, today: today, transaction) }
    return activity.id
  }

  /// Moves the activity's start to an earlier day, if it starts later.
  private static func open(
    _ activity: ActivityID, of account: AccountID, from day: LocalDay, today: LocalDay, _ transaction: Transaction
  ) throws {
    guard try ActivityStore.find(activity, of: account, in: transaction.database).startDay > day else { return }
    let edit = UpdateActivity.Input(activityID: activity, startDay: .set(day))
    _ = try ActivityStore.update(edit, of: account, today: today, transaction)
  }
}
