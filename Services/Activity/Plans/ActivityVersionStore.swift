public import ActivityContract
public import GRDB
import Operations
import ServiceKit
import Storage

/// What each activity asked for and when. A day is evaluated by the version that held then, whatever was changed since.
enum ActivityVersionStore {
  /// The calendar's first day: from it on holds the first version of each activity.
  static let beginning = LocalDay(daysSinceEpoch: -719_162)
  /// Whatever day it may be.
  static let allDays = beginning...LocalDay(daysSinceEpoch: .max)

  /// The columns that ``ActivityVersion/init(_:)`` reads.
  static let columns = """
    activity_versions.from_day, activity_versions.goal_kind, activity_versions.goal_target, activity_versions.goal_unit,
    activity_versions.goal_direction, activity_versions.schedule_kind, activity_versions.schedule_code,
    activity_versions.anchor_day, activity_versions.start_day, activity_versions.end_day
    """

  /// Keeps the first version of an activity.
  static func begin(_ activity: Activity, of account: AccountID, _ transaction: Transaction) throws {
    let terms = ActivityTerms(
      goal: activity.goal, schedule: activity.schedule, startDay: activity.startDay, endDay: activity.endDay)
    try put(ActivityVersion(terms, from: beginning, anchor: activity.startDay), of: activity.id, account, transaction)
  }

  /// Start and end day were versioned like the rest, so that what was shown of them did not hold for all days. Those shown last are
  /// everybody's, and leave no entry out.
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

  /// Lets an activity ask for something else; see ``VersionRules``. Today's entry is evaluated by a new goal, and published where that changes it.
  ///
  /// - Parameter terms: leave out no day that is ``recorded(_:in:)``.
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
    // What was shown until now need not be what today's entry was evaluated by.
    let (held, holds) = (Plan(before), Plan(after))
    let changed = begun.filter { held.version(on: $0).measure != holds.version(on: $0).measure }
    guard let first = changed.min() else { return }
    try EntryStore.reevaluate(activity, of: account, from: first, today: today, transaction)
  }

  /// The days from that one on that have an entry or a timer.
  static func begun(_ activity: ActivityID, from day: LocalDay, in database: Database) throws -> Set<LocalDay> {
    var days = Set(try EntryStore.days(of: activity, from: day, in: database))
    if let day = try TimerStore.day(of: activity, from: day, in: database) { days.insert(day) }
    return days
  }

  /// The first and the last day that has an entry, or the timer that becomes one: since entries are only on planned days, none may come
  /// to lie before the start or behind the end. Nil where none has.
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

  /// Columns ``ActivityVersionStore/columns``.
  init(_ row: Row) {
    fromDay = row["from_day"]
    planned = PlannedDays(kind: row["schedule_kind"], code: row["schedule_code"], anchor: row["anchor_day"])
    startDay = row["start_day"]
    endDay = row["end_day"]
    measure = GoalMeasure(kind: row["goal_kind"], target: row["goal_target"], direction: row["goal_direction"])
    unit = row["goal_unit"]
  }

  /// The same behind a column.
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
