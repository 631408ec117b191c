import ActivityContract
import GRDB
import Operations
import RewardsContract
import ServiceKit
import SocialContract
import Storage

/// The facts of activities, tasks and teams.
extension ChallengeFactStore {
  /// The maximum number of teams stored per account; further ones do not count.
  static let maxTeams = 1000

  /// The number of days in a block of entries, one bit each.
  private static let blockDays = 56

  /// Records whether an activity's goal was reached on a day.
  ///
  /// - Returns: the day's change; nil where that was recorded before.
  static func noteEntry(
    _ activity: ActivityID, on day: LocalDay, isDone: Bool, of account: AccountID, in database: Database
  ) throws -> DayChange? {
    let block = Int(Int64(day.daysSinceEpoch).floorDivided(by: Int64(blockDays)))
    let bit = 1 << (Int(day.daysSinceEpoch) - block * blockDays)
    guard try setEntry(activity, block, bit, isDone: isDone, of: account, in: database) else { return nil }
    return try change(\.entries, by: isDone ? 1 : -1, on: day, of: account, in: database)
  }

  /// Sets or clears the bit of a day.
  ///
  /// - Returns: whether the bit changed.
  private static func setEntry(
    _ activity: ActivityID, _ block: Int, _ bit: Int, isDone: Bool, of account: AccountID, in database: Database
  ) throws -> Bool {
    if isDone {
      try database.run(
        """
        INSERT INTO challenge_entries (account_id, activity_id, block, days) VALUES (?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET days = days | excluded.days WHERE days & excluded.days = 0
        """, .id(account), .id(activity), .number(block), .number(bit))
      return database.changesCount > 0
    }
    let name = "account_id = ?1 AND activity_id = ?2 AND block = ?3"
    let days = try database.first(
      "SELECT days FROM challenge_entries WHERE \(name)", .id(account), .id(activity), .number(block)
    ) { $0.number(0) }
    guard let days, days & bit != 0 else { return false }
    if days == bit {
      try database.run("DELETE FROM challenge_entries WHERE \(name)", .id(account), .id(activity), .number(block))
    } else {
      try database.run(
        "UPDATE challenge_entries SET days = ?4 WHERE \(name)", .id(account), .id(activity), .number(block), .number(days & ~bit))
    }
    return true
  }

  /// Records that an activity exists.
  ///
  /// - Returns: whether it is new.
  static func noteActivity(_ activity: ActivityID, of account: AccountID, in database: Database) throws -> Bool {
    try database.run(
      "INSERT INTO challenge_activities (account_id, activity_id) VALUES (?, ?) ON CONFLICT DO NOTHING", .id(account),
      .id(activity))
    guard database.changesCount > 0 else { return false }
    try ensureTotals(of: account, in: database)
    return true
  }

  /// Records an activity's streak, unless a newer one is known.
  ///
  /// - Returns: whether it was recorded.
  static func noteStreak(_ event: StreakChanged, in database: Database) throws -> Bool {
    let days = event.streak.unit == .weeks ? 7 : 1
    _ = try noteActivity(event.activityID, of: event.accountID, in: database)
    try database.run(
      """
      UPDATE challenge_activities SET streak = ?, longest = ?, revision = ?
      WHERE account_id = ? AND activity_id = ? AND revision < ?
      """, .number(event.streak.current * days), .number(max(event.streak.current, event.streak.longest) * days),
      .number(event.revision), .id(event.accountID), .id(event.activityID), .number(event.revision))
    return database.changesCount > 0
  }

  /// Deletes the facts of an activity that its owner has deleted.
  static func removeActivity(_ activity: ActivityID, of account: AccountID, in database: Database) throws {
    var blocks: [(block: Int, days: Int)] = []
    try database.each(
      "SELECT block, days FROM challenge_entries WHERE account_id = ? AND activity_id = ?", .id(account), .id(activity)
    ) {
      blocks.append(($0.number(0), $0.number(1)))
      return true
    }
    // A statement for each block, since there may be thousands of days.
    for (block, days) in blocks {
      try database.run(
        """
        UPDATE challenge_days SET entries = entries - 1
        WHERE account_id = ?1 AND day BETWEEN ?2 AND ?3 AND ((?4 >> (day - ?2)) & 1) = 1
        """, .id(account), .number(block * blockDays), .number((block + 1) * blockDays - 1), .number(days))
    }
    let count = blocks.reduce(0) { $0 + $1.days.nonzeroBitCount }
    try database.run("UPDATE challenge_totals SET entries = entries - ? WHERE account_id = ?", .number(count), .id(account))
    for table in ["challenge_entries", "challenge_activities"] {
      try database.run("DELETE FROM \(table) WHERE account_id = ? AND activity_id = ?", .id(account), .id(activity))
    }
  }

  /// Records the day on which a task counts as confirmed or helped with; nil where it does not count.
  ///
  /// - Returns: the days that changed.
  static func noteTask(
    _ task: ID<SharedTask>, _ fact: TaskFact, on day: LocalDay?, of account: AccountID, in database: Database
  ) throws -> [DayChange] {
    let before =
      try database.first(
        "SELECT \(fact.column) FROM challenge_tasks WHERE account_id = ? AND task_id = ?", .id(account), .id(task)
      ) { $0.isNull(0) ? nil : $0.day(0) } ?? nil
    // Later events of the task do not change the day for which it counts.
    guard (before == nil) != (day == nil) else { return [] }
    try database.run(
      """
      INSERT INTO challenge_tasks (account_id, task_id, \(fact.column)) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET \(fact.column) = excluded.\(fact.column)
      """, .id(account), .id(task), day.map { .day($0) } ?? .null)
    if let day { return [try change(fact.path, by: 1, on: day, of: account, in: database)] }
    try database.run(
      "DELETE FROM challenge_tasks WHERE account_id = ? AND task_id = ? AND confirmed_day IS NULL AND helped_day IS NULL",
      .id(account), .id(task))
    return try before.map { [try change(fact.path, by: -1, on: $0, of: account, in: database)] } ?? []
  }

  /// The facts of a task that count.
  enum TaskFact {
    case confirmed, helped

    var column: String { self == .confirmed ? "confirmed_day" : "helped_day" }
    var path: WritableKeyPath<DayFacts, Int> { self == .confirmed ? \.tasks : \.helps }
  }

  /// Records that an account is in a team.
  ///
  /// - Returns: whether it was never in that team before.
  static func noteTeam(_ team: ID<Team>, of account: AccountID, in database: Database) throws -> Bool {
    guard try amount(of: .teams, account, isPresent: true, in: database) < maxTeams else { return false }
    try database.run(
      "INSERT INTO challenge_teams (account_id, team_id) VALUES (?, ?) ON CONFLICT DO NOTHING", .id(account), .id(team))
    guard database.changesCount > 0 else { return false }
    try ensureTotals(of: account, in: database)
    return true
  }

  /// Returns the amount of a metric that is not counted by day.
  ///
  /// - Parameter isPresent: whether to return the present streak rather than the longest.
  static func amount(
    of metric: ChallengeMetric, _ account: AccountID, isPresent: Bool, in database: Database
  ) throws -> Int {
    let sql: String? =
      switch metric {
      case .activityStreak:
        "SELECT coalesce(max(\(isPresent ? "streak" : "longest")), 0) FROM challenge_activities WHERE account_id = ?"
      case .activities: "SELECT count(*) FROM challenge_activities WHERE account_id = ?"
      case .teams: "SELECT count(*) FROM challenge_teams WHERE account_id = ?"
      case .friends: "SELECT count(*) FROM relations WHERE account_id = ? AND is_friend = 1 AND is_apart = 0"
      case .steps, .walkingMeters, .runningMeters, .cyclingMeters, .daysInARow, .entries, .tasksConfirmed, .helpGiven: nil
      }
    guard let sql else { return 0 }
    return try database.first(sql, .id(account)) { $0.number(0) } ?? 0
  }
}
