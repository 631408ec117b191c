public import ActivityContract
public import GRDB
import Operations
import ServiceKit
import Storage

/// What each activity asked for and when. A day is judged by the version that held then, whatever was changed since.
enum ActivityVersions {
  /// The calendar's first day: from it on holds the first version of each activity.
  static let beginning = LocalDay(daysSinceEpoch: -719_162)

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

  /// Lets an activity ask for something else from today on; days that are over stay as they were.
  ///
  /// - A day that has an entry or a timer which the new terms could not have (another kind of goal or unit, or none planned) stays as it
  ///   is, and the change holds from the next day on: what has begun can be ended. Otherwise today's entry is judged by the new goal, and
  ///   told where that changes it.
  /// - An earlier start day opens the days from then on, by the terms that held first.
  /// - Where no day was planned yet, nothing of the former terms remains.
  static func change(
    _ activity: ActivityID, of account: AccountID, to terms: ActivityTerms, today: LocalDay, _ transaction: Transaction
  ) throws {
    let versions = try list(of: activity, in: transaction.database)
    guard let first = versions.first, let last = versions.last, last.terms != terms else { return }
    let hasBegun = versions.contains { $0.startDay < today }
    var fromDay = hasBegun ? today : beginning
    var next = ActivityVersion(terms, from: fromDay, anchor: last.anchor(of: terms, from: fromDay))
    let begun = [
      try Entries.lastDay(of: activity, from: today, in: transaction.database),
      try Timers.day(of: activity, from: today, in: transaction.database),
    ].compactMap(\.self)
    if let day = begun.filter({ !next.isPlanned(on: $0) || !next.countsLike(last) }).max() {
      fromDay = day.advanced(by: 1)
      next = ActivityVersion(terms, from: fromDay, anchor: last.anchor(of: terms, from: fromDay))
    }
    if fromDay > beginning, terms.startDay < first.startDay {
      var opened = first
      opened.startDay = terms.startDay
      try put(opened, of: activity, account, transaction)
    }
    try transaction.database.run(
      "DELETE FROM activity_versions WHERE activity_id = ? AND from_day >= ?", .id(activity), .day(fromDay))
    try put(next, of: activity, account, transaction)
    try Entries.judgeAnew(activity, of: account, from: fromDay, today: today, transaction)
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
        ON CONFLICT (activity_id, from_day) DO UPDATE SET start_day = excluded.start_day
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

  /// Columns ``ActivityVersions/columns``.
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

  /// From which day the schedule of the next version counts: as before if it is the same, else from its own beginning.
  fileprivate func anchor(of terms: ActivityTerms, from day: LocalDay) -> LocalDay {
    let isSame = terms.startDay == startDay && PlannedDays(terms.schedule, anchor: planned.anchor) == planned
    return isSame ? planned.anchor : max(day, terms.startDay)
  }

  /// Whether both count the same thing, so that the progress of one is one of the other.
  fileprivate func countsLike(_ other: ActivityVersion) -> Bool { measure.kind == other.measure.kind && unit == other.unit }
}

extension Goal.Kind: DatabaseValueConvertible {}
extension Goal.Direction: DatabaseValueConvertible {}
extension Schedule.Kind: DatabaseValueConvertible {}
