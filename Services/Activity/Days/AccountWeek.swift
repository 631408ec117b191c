import ActivityContract
import GRDB
import Operations
import Storage

/// What a week has come to for an account's activities of so many times a week; read for all of them when it is asked for the first, since
/// whoever has one has several.
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

  /// What it has come to for an activity; nil where it is too short for so many times.
  ///
  /// - Parameter version: of the activity, the one that holds on the week's day.
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

/// What an account's activities do not ask for on each day of a stretch alike.
private struct PlanChanges {
  /// Those that hold on any of the days, of activities of which one begins within them; of the others one holds on all.
  var versions: [ActivityID: [ActivityVersion]] = [:]
  var pauses: [ActivityID: [ClosedRange<LocalDay>]] = [:]
  var skips: [ActivityID: Set<LocalDay>] = [:]
}

extension Plan {
  /// What a week has come to in which so many days were to be kept.
  func outcome(of week: ClosedRange<LocalDay>, _ progress: [DayProgress], today: LocalDay) -> EvaluatedDay.Outcome? {
    var evaluated = EvaluatedWeek()
    evaluate(progress, from: week.lowerBound, to: week.upperBound, today: today) { day in
      if let times = day.timesAWeek { evaluated.add(day, times: times) }
    }
    return evaluated.outcome(isOver: week.upperBound < today)
  }
}

extension PlanStore {
  static let versionsOver = """
    SELECT activity_id, \(ActivityVersionStore.columns) FROM activity_versions
    WHERE account_id = ?1 AND from_day <= ?3 AND from_day >= (SELECT max(from_day) FROM activity_versions AS first
      WHERE first.activity_id = activity_versions.activity_id AND first.from_day <= ?2)
      AND activity_id IN (SELECT activity_id FROM activity_versions AS begun
        WHERE begun.account_id = ?1 AND begun.from_day > ?2 AND begun.from_day <= ?3)
    ORDER BY activity_id, from_day
    """

  static let pausesOver = """
    SELECT activity_id, first_day, last_day FROM activities JOIN activity_pauses USING (activity_id)
    WHERE account_id = ?1 AND first_day <= ?3 AND last_day >= ?2 ORDER BY activity_id, first_day
    """

  static let skipsOver = """
    SELECT activity_id, day FROM activities JOIN activity_skips USING (activity_id)
    WHERE account_id = ?1 AND day BETWEEN ?2 AND ?3
    """

  /// What decides about some days beside what each activity asks for on all of them.
  fileprivate static func changes(
    of account: AccountID, over days: ClosedRange<LocalDay>, in database: Database
  ) throws -> PlanChanges {
    let (account, first, last) = (Bound.id(account), Bound.day(days.lowerBound), Bound.day(days.upperBound))
    var changes = PlanChanges()
    try database.each(versionsOver, account, first, last) { row in
      changes.versions[try row.id(0), default: []].append(try ActivityVersion(row, behind: 0))
      return true
    }
    try database.each(pausesOver, account, first, last) { row in
      changes.pauses[try row.id(0), default: []].append(row.day(1)...row.day(2))
      return true
    }
    try database.each(skipsOver, account, first, last) { row in
      changes.skips[try row.id(0), default: []].insert(row.day(1))
      return true
    }
    return changes
  }
}

extension EntryStore {
  static let progressOver = """
    SELECT entries.activity_id, day, progress FROM activities JOIN entries ON entries.activity_id = activities.activity_id
    WHERE activities.account_id = ?1 AND day BETWEEN ?2 AND ?3 ORDER BY activities.activity_id, day
    """

  /// The progress of each day that has an entry, oldest first, of all activities of an account.
  fileprivate static func progress(
    ofAll account: AccountID, over days: ClosedRange<LocalDay>, in database: Database
  ) throws -> [ActivityID: [DayProgress]] {
    var progress: [ActivityID: [DayProgress]] = [:]
    try database.each(progressOver, .id(account), .day(days.lowerBound), .day(days.upperBound)) { row in
      progress[try row.id(0), default: []].append(DayProgress(day: row.day(1), progress: row.number(2)))
      return true
    }
    return progress
  }
}
