public import ActivityContract
public import GRDB
import Operations
import ServiceKit
import Storage

/// The versions of each activity. A day is evaluated by the version that applied then, whatever was changed since.
enum ActivityVersionStore {
  /// The calendar's first day: the first version of each activity applies from it on.
  static let beginning = LocalDay(daysSinceEpoch: -719_162)
  /// All days.
  static let allDays = beginning...LocalDay(daysSinceEpoch: .max)

  /// The columns that ``ActivityVersion/init(_:)`` reads.
  static let columns = """
    activity_versions.from_day, activity_versions.goal_kind, activity_versions.goal_target, activity_versions.goal_unit,
    activity_versions.goal_direction, activity_versions.schedule_kind, activity_versions.schedule_code,
    activity_versions.anchor_day, activity_versions.start_day, activity_versions.end_day
    """

  /// Stores the first version of an activity.
  static func begin(_ activity: Activity, of account: AccountID, _ transaction: Transaction) throws {
    let terms = ActivityTerms(
      goal: activity.goal, schedule: activity.schedule, startDay: activity.startDay, endDay: activity.endDay)
    try put(ActivityVersion(terms, from: beginning, anchor: activity.startDay), of: activity.id, account, transaction)
  }

  /// Start and end day were versioned too, so that the shown ones did not apply to all days. The ones shown last now apply to all versions,
  /// widened to include every entry.
  static func boundsMigration(_ number: Int) -> Migration {
    Migration(number, "activities' start and end for all of their days") { database in
      try database.execute(
        sql: """
          UPDATE activity_versions SET
            start_day = min(newest.start_day, coalesce(
              (SELECT min(day) FROM entries WHERE entries.activity_id = activity_versions.activity_id), newest.start_day)),
            end_day = max(newest.end_day, coalesce(
              (SELECT max(day) FROM entries WHERE entries.activity_id = activity_versions.activity_id), newest.end_day))
          FROM (SELECT activity_id, max(from_day), start_day, end_day FROM activity_versions GROUP BY activity_id) AS newest
          WHERE newest.activity_id = activity_versions.activity_id
          """)
    }
  }

  /// Changes the terms of an activity; see ``VersionRules``. Today's entry is evaluated by a new goal, and published where its result
  /// changes.
  ///
  /// - Parameter terms: must not exclude a day of ``recorded(_:in:)``.
  static func change(
    _ activity: ActivityID, of account: AccountID, to terms: ActivityTerms, today: LocalDay, _ transaction: Transaction
  ) throws {
    let database = transaction.database
    let before = try list(of: activity, in: database)
    guard let last = before.last, last.terms != terms else { return }
    let begun = try begun(activity, from: today, in: database)
    let after = VersionRules.change(before, to: terms, today: today, begun: begun)
    try database.run("DELETE FROM activity_versions WHERE activity_id = ?", .id(activity))
    for version in after { try put(version, of: activity, account, transaction) }
    // The version shown until now is not necessarily the one by which today's entry was evaluated.
    let (held, holds) = (Plan(before), Plan(after))
    let changed = begun.filter { held.version(on: $0).measure != holds.version(on: $0).measure }
    guard let first = changed.min() else { return }
    try EntryStore.reevaluate(activity, of: account, from: first, today: today, transaction)
  }

  /// The days from the given one on that have an entry or a timer.
  static func begun(_ activity: ActivityID, from day: LocalDay, in database: Database) throws -> Set<LocalDay> {
    var days = Set(try EntryStore.days(of: activity, from: day, in: database))
    if let day = try TimerStore.day(of: activity, from: day, in: database) { days.insert(day) }
    return days
  }

  /// The first and the last day with an entry, or with the timer that becomes one. Entries are only on planned days, so none may be before
  /// the start or after the end. Nil where there are none.
  static func recorded(_ activity: ActivityID, in database: Database) throws -> ClosedRange<LocalDay>? {
    let days = [
      try EntryStore.firstDay(of: activity, in: database), try EntryStore.lastDay(of: activity, from: beginning, in: database),
      try TimerStore.day(of: activity, from: beginning, in: database),
    ].compactMap(\.self)
    guard let first = days.min(), let last = days.max() else { return nil }
    return first...last
  }

  /// All versions, oldest first.
  static func list(of activity: ActivityID, in database: Database) throws -> [ActivityVersion] {
    let statement = try database.cachedStatement(
      sql: "SELECT \(columns) FROM activity_versions WHERE activity_id = ? ORDER BY from_day")
    return try Row.fetchAll(statement, arguments: [activity]).map(ActivityVersion.init)
  }

  private static func put(
    _ version: ActivityVersion, of activity: ActivityID, _ account: AccountID, _ transaction: Transaction
  ) throws {
    let statement = try transaction.database.cachedStatement(
      sql: """
        INSERT INTO activity_versions (activity_id, from_day, account_id, goal_kind, goal_target, goal_unit, goal_direction,
          schedule_kind, schedule_code, anchor_day, start_day, end_day)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    let (measure, planned) = (version.measure, version.planned)
    try statement.execute(arguments: [
      activity, version.fromDay, account, measure.kind, measure.target, version.unit, measure.direction, planned.kind,
      planned.code, planned.anchor, version.startDay, version.endDay,
    ])
  }
}

extension ActivityVersion {
  init(_ terms: ActivityTerms, from day: LocalDay, anchor: LocalDay) {
    fromDay = day
    planned = PlannedDays(terms.schedule, anchor: anchor)
    startDay = terms.startDay
    endDay = terms.endDay
    measure = GoalMeasure(terms.goal)
    unit = terms.goal.unit
  }

  /// Creates a version from the columns of ``ActivityVersionStore/columns``.
  init(_ row: Row) {
    fromDay = row["from_day"]
    planned = PlannedDays(kind: row["schedule_kind"], code: row["schedule_code"], anchor: row["anchor_day"])
    startDay = row["start_day"]
    endDay = row["end_day"]
    measure = GoalMeasure(kind: row["goal_kind"], target: row["goal_target"], direction: row["goal_direction"])
    unit = row["goal_unit"]
  }

  /// Creates a version from the columns after the given one.
  init(_ row: Columns, behind column: Int32) throws {
    fromDay = row.day(column + 1)
    measure = GoalMeasure(
      kind: try row.choice(column + 2), target: row.number(column + 3), direction: try row.choice(column + 5))
    unit = row.isNull(column + 4) ? nil : row.text(column + 4)
    planned = PlannedDays(kind: try row.choice(column + 6), code: row.number(column + 7), anchor: row.day(column + 8))
    startDay = row.day(column + 9)
    endDay = row.isNull(column + 10) ? nil : row.day(column + 10)
  }
}

extension Goal.Kind: DatabaseValueConvertible {}
extension Goal.Direction: DatabaseValueConvertible {}
