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
  private var read: (plans: [ActivityID: Plan], progress: [ActivityID: [DayProgress]])?

  /// The week of a day.
  init(of days: AccountDays, around day: LocalDay, in database: Database) {
    self.days = days
    week = day.monday...day.sunday
    self.database = database
  }

  /// What it has come to for an activity; nil where it is too short for so many times.
  mutating func outcome(_ activity: ActivityID) throws -> JudgedDay.Outcome? {
    let (plans, progress) =
      try read
      ?? (
        Plans.list(of: days.account, over: week, lostDays: days.lost, in: database),
        Entries.progress(ofAll: days.account, over: week, in: database)
      )
    read = (plans, progress)
    return plans[activity]?.outcome(of: week, progress[activity] ?? [], today: days.today)
  }
}

extension Plan {
  /// What a week has come to in which so many days were to be kept.
  func outcome(of week: ClosedRange<LocalDay>, _ progress: [DayProgress], today: LocalDay) -> JudgedDay.Outcome? {
    var judged = JudgedWeek()
    judge(progress, from: week.lowerBound, to: week.upperBound, today: today) { day in
      if let times = day.timesAWeek { judged.add(day, times: times) }
    }
    return judged.outcome(isOver: week.upperBound < today)
  }
}

extension Plans {
  static let versionsOver = """
    SELECT activity_id, \(ActivityVersions.columns) FROM activity_versions
    WHERE account_id = ?1 AND from_day <= ?3 AND from_day >= (SELECT max(from_day) FROM activity_versions AS first
      WHERE first.activity_id = activity_versions.activity_id AND first.from_day <= ?2)
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

  /// The plans of all activities of an account, as far as they decide about some days.
  fileprivate static func list(
    of account: AccountID, over days: ClosedRange<LocalDay>, lostDays: Set<LocalDay>, in database: Database
  ) throws -> [ActivityID: Plan] {
    let (account, first, last) = (Bound.id(account), Bound.day(days.lowerBound), Bound.day(days.upperBound))
    var versions: [ActivityID: [ActivityVersion]] = [:]
    try database.each(versionsOver, account, first, last) { row in
      versions[try row.id(0), default: []].append(try ActivityVersion(row, behind: 0))
      return true
    }
    var pauses: [ActivityID: [ClosedRange<LocalDay>]] = [:]
    try database.each(pausesOver, account, first, last) { row in
      pauses[try row.id(0), default: []].append(row.day(1)...row.day(2))
      return true
    }
    var skips: [ActivityID: Set<LocalDay>] = [:]
    try database.each(skipsOver, account, first, last) { row in
      skips[try row.id(0), default: []].insert(row.day(1))
      return true
    }
    return versions.reduce(into: [:]) { plans, item in
      plans[item.key] = Plan(
        item.value, pauses: pauses[item.key] ?? [], skips: skips[item.key] ?? [], lostDays: lostDays)
    }
  }
}

extension Entries {
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
