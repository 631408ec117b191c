public import ActivityContract
public import GRDB
import Operations
import ServiceKit
import Storage

/// The activities of all accounts.
enum ActivityStore {
  /// The maximum number of activities per account.
  static let maximum = 1000

  static func migration(_ number: Int) -> Migration {
    Migration(number, "activities") { database in
      try database.execute(
        sql: """
          CREATE TABLE activities (
            activity_id BLOB NOT NULL PRIMARY KEY CHECK (length(activity_id) = 16),
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            title TEXT NOT NULL CHECK (title <> ''),
            reason TEXT CHECK (reason <> ''),
            category TEXT NOT NULL,
            goal_kind TEXT NOT NULL CHECK (goal_kind IN ('check', 'quantity', 'duration')),
            -- 1 for a check, thousandths for a quantity, seconds for a duration
            goal_target INTEGER NOT NULL CHECK (goal_target >= 1),
            goal_unit TEXT CHECK (goal_unit <> ''),
            schedule_kind TEXT NOT NULL CHECK (schedule_kind IN ('daily', 'weekdays', 'monthDays')),
            -- bit n: weekday n, or day n of the month
            schedule_bits INTEGER NOT NULL,
            start_day INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            CHECK (goal_kind <> 'check' OR goal_target = 1),
            CHECK ((goal_kind = 'quantity') = (goal_unit IS NOT NULL)),
            CHECK (CASE schedule_kind
              WHEN 'daily' THEN schedule_bits = 0
              WHEN 'weekdays' THEN schedule_bits BETWEEN 2 AND 254 AND schedule_bits & 1 = 0
              ELSE schedule_bits BETWEEN 2 AND 4294967294 AND schedule_bits & 1 = 0 END)
          ) STRICT, WITHOUT ROWID;
          CREATE UNIQUE INDEX activities_by_account ON activities (account_id, activity_id);
          """)
    }
  }

  /// Throws where the account has reached the maximum number of activities.
  static func requireRoom(of account: AccountID, in database: Database) throws {
    let count = try Int.fetchOne(
      database.cachedStatement(sql: "SELECT count(*) FROM activities WHERE account_id = ?"), arguments: [account])
    guard (count ?? 0) < maximum else { throw ActivityFailure.tooMany.with(["max": .number(maximum)]) }
  }

  /// Stores a new activity and publishes it.
  ///
  /// - Parameter isBounded: whether to refuse it where the account has reached the maximum.
  static func add(_ activity: Activity, of account: AccountID, isBounded: Bool = true, _ transaction: Transaction) throws {
    let database = transaction.database
    if isBounded { try requireRoom(of: account, in: database) }
    let statement = try database.cachedStatement(
      sql: """
        INSERT INTO activities (activity_id, account_id, title, title_key, reason, category, position, revision, created_at, changed_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)
        """)
    try statement.execute(arguments: [
      activity.id, account, activity.title, TitleKey.text(activity.title), activity.reason, activity.category,
      try lastPosition(of: account, in: database), activity.revision, activity.createdAt,
    ])
    try ActivityVersionStore.begin(activity, of: account, transaction)
    try keep(activity.reminders, of: activity.id, transaction)
    try keep(activity.tags, of: activity.id, transaction)
    try transaction.publish(ActivityChanged(accountID: account, activity: activity))
  }

  /// The columns that ``Activity/init(_:)`` reads, with goal and schedule of each activity's newest version.
  static let current = """
    SELECT activities.*, \(ActivityVersionStore.columns),
      (SELECT group_concat(minute, ' ') FROM activity_reminders
        WHERE activity_reminders.activity_id = activities.activity_id) AS reminders,
      (SELECT group_concat(tag, char(10)) FROM activity_tags WHERE activity_tags.activity_id = activities.activity_id) AS tags,
      (SELECT kind FROM activity_ties WHERE activity_ties.activity_id = activities.activity_id) AS tie_kind
    FROM activities JOIN activity_versions ON activity_versions.activity_id = activities.activity_id
      AND activity_versions.from_day =
        (SELECT max(from_day) FROM activity_versions AS newest WHERE newest.activity_id = activities.activity_id)
    """

  /// Returns the account's activity with that id; another account's activity is not found either.
  static func find(_ id: ActivityID, of account: AccountID, in database: Database) throws -> Activity {
    let statement = try database.cachedStatement(
      sql: "\(current) WHERE activities.activity_id = ? AND activities.account_id = ?")
    guard let row = try Row.fetchOne(statement, arguments: [id, account]) else { throw ActivityFailure.notFound }
    return Activity(row)
  }

  /// Throws where the account has no activity with that id.
  static func require(_ id: ActivityID, of account: AccountID, in database: Database) throws {
    let found = try database.first(
      "SELECT 1 FROM activities WHERE activity_id = ? AND account_id = ?", .id(id), .id(account)
    ) { _ in true }
    guard found != nil else { throw ActivityFailure.notFound }
  }

  /// What an entry of that day depends on: the version of the account's activity that applies then.
  static func goal(
    _ id: ActivityID, of account: AccountID, on day: LocalDay, today: LocalDay, in database: Database
  ) throws -> PlannedGoal {
    let found = try database.first(
      """
      SELECT goal_kind, goal_target, goal_direction, schedule_kind, schedule_code, anchor_day, start_day, end_day,
        (SELECT max(is_archive) FROM activity_pauses WHERE activity_id = ?1 AND first_day <= ?3 AND last_day >= ?3),
        EXISTS (SELECT 1 FROM activity_skips WHERE activity_id = ?1 AND day = ?3)
      FROM activity_versions WHERE activity_id = ?1 AND from_day <= ?3 AND account_id = ?2 ORDER BY from_day DESC LIMIT 1
      """, .id(id), .id(account), .day(day)
    ) { columns in
      PlannedGoal(
        activity: id, day: day,
        measure: GoalMeasure(kind: try columns.choice(0), target: columns.number(1), direction: try columns.choice(2)),
        planned: PlannedDays(kind: try columns.choice(3), code: columns.number(4), anchor: columns.day(5)),
        startDay: columns.day(6), endDay: columns.isNull(7) ? nil : columns.day(7), isPaused: !columns.isNull(8),
        isArchived: columns.truth(8), isSkipped: columns.truth(9), isOver: day < today)
    }
    guard let found else { throw ActivityFailure.notFound }
    return found
  }

  /// All activities as events; see `SnapshotParts`.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let rows = try Row.fetchAll(
      database, sql: "\(current) WHERE activities.activity_id > ? ORDER BY activities.activity_id LIMIT ?",
      arguments: [try key.map(ActivityID.init(text:)) ?? .placeholder, SnapshotParts.pageSize])
    let activities = rows.map(Activity.init)
    let events = zip(rows, activities).map { ActivityChanged(accountID: $0["account_id"], activity: $1) }
    return SnapshotParts.page(events, of: activities, key: \.id)
  }
}

extension Activity {
  /// Creates an activity from the columns of ``ActivityStore/current``.
  init(_ row: Row) {
    let minutes = (row["reminders"] as String?)?.split(separator: " ").compactMap { Int($0) } ?? []
    let tags =
      (row["tags"] as String?)?.split(separator: "\n").compactMap { Tag.fromDatabaseValue(String($0).databaseValue) } ?? []
    let version = ActivityVersion(row)
    let terms = version.terms
    self.init(
      id: row["activity_id"], title: row["title"], reason: row["reason"], category: row["category"], goal: terms.goal,
      schedule: terms.schedule, startDay: terms.startDay, endDay: terms.endDay,
      holdsFrom: version.fromDay == ActivityVersionStore.beginning ? nil : version.fromDay,
      reminders: minutes.compactMap(ReminderTime.init(minutes:)).sorted(), tags: tags.sorted(),
      tie: row["tie_kind"],
      isArchived: (row["archived_day"] as LocalDay?) != nil, revision: row["revision"], createdAt: row["created_at"])
  }
}

extension ActivityCategory: DatabaseValueConvertible {}
extension Tag: DatabaseValueConvertible {}
