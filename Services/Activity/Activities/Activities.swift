public import ActivityContract
public import GRDB
import Operations
import ServiceKit
import Storage

/// The activities of all accounts.
enum Activities {
  /// How many an account may have.
  static let most = 1000

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

  /// Keeps a new activity and tells of it.
  static func add(_ activity: Activity, of account: AccountID, _ transaction: Transaction) throws {
    let database = transaction.database
    let count = try Int.fetchOne(
      database.cachedStatement(sql: "SELECT count(*) FROM activities WHERE account_id = ?"), arguments: [account])
    guard (count ?? 0) < most else { throw ActivityFailure.tooMany.with(["most": .number(most)]) }
    let planned = PlannedDays(activity.schedule)
    let statement = try database.cachedStatement(
      sql: """
        INSERT INTO activities (activity_id, account_id, title, reason, category, goal_kind, goal_target, goal_unit,
          schedule_kind, schedule_bits, start_day, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    try statement.execute(arguments: [
      activity.id, account, activity.title, activity.reason, activity.category, activity.goal.kind,
      GoalMeasure(activity.goal).target, activity.goal.unit, planned.kind, planned.bits, activity.startDay, activity.createdAt,
    ])
    try transaction.tell(ActivityCreated(accountID: account, activity: activity))
  }

  /// The account's activity of that id; another account's is not found either.
  static func find(_ id: ActivityID, of account: AccountID, in database: Database) throws -> Activity {
    let statement = try database.cachedStatement(sql: "SELECT * FROM activities WHERE activity_id = ? AND account_id = ?")
    guard let row = try Row.fetchOne(statement, arguments: [id, account]) else { throw ActivityFailure.notFound }
    return Activity(row)
  }

  /// What an entry depends on of the account's activity of that id.
  static func goal(_ id: ActivityID, of account: AccountID, in database: Database) throws -> PlannedGoal {
    let found = try database.first(
      """
      SELECT goal_kind, goal_target, schedule_kind, schedule_bits, start_day FROM activities
      WHERE activity_id = ? AND account_id = ?
      """, .id(id), .id(account)
    ) { columns in
      PlannedGoal(
        activity: id, measure: GoalMeasure(kind: try columns.choice(0), target: columns.number(1)),
        planned: PlannedDays(kind: try columns.choice(2), bits: columns.number(3)), startDay: columns.day(4))
    }
    guard let found else { throw ActivityFailure.notFound }
    return found
  }

  /// The account's activities, oldest first.
  static func list(of account: AccountID, _ page: PageRequest, in database: Database) throws -> Page<Activity> {
    let statement = try database.cachedStatement(
      sql: "SELECT * FROM activities WHERE account_id = ? AND activity_id > ? ORDER BY activity_id LIMIT ?")
    let found = try Row.fetchAll(
      statement, arguments: [account, page.place(ActivityID.init(text:)) ?? .placeholder, page.fetchLimit])
    return page.page(of: found, key: { $0["activity_id"] as ActivityID }, item: Activity.init)
  }

  /// All activities as events; see `SnapshotParts`.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> (events: [any Event], nextKey: String?) {
    let rows = try Row.fetchAll(
      database, sql: "SELECT * FROM activities WHERE activity_id > ? ORDER BY activity_id LIMIT ?",
      arguments: [try key.map(ActivityID.init(text:)) ?? .placeholder, SnapshotParts.pageSize])
    let activities = rows.map(Activity.init)
    let events = zip(rows, activities).map { ActivityCreated(accountID: $0["account_id"], activity: $1) }
    let isLast = rows.count < SnapshotParts.pageSize
    return (events, isLast ? nil : activities.last?.id.description)
  }
}

/// An activity's goal and the days on which it is due.
struct PlannedGoal: Hashable, Sendable {
  let activity: ActivityID
  let measure: GoalMeasure
  let planned: PlannedDays
  let startDay: LocalDay

  /// Whether anything is due on that day.
  func isPlanned(on day: LocalDay) -> Bool { day >= startDay && planned.contains(day) }
}

extension Activity {
  init(_ row: Row) {
    let kind: Goal.Kind = row["goal_kind"]
    let goal = GoalMeasure(kind: kind, target: row["goal_target"]).goal(unit: row["goal_unit"])
    self.init(
      id: row["activity_id"], title: row["title"], reason: row["reason"], category: row["category"], goal: goal,
      schedule: PlannedDays(kind: row["schedule_kind"], bits: row["schedule_bits"]).schedule, startDay: row["start_day"],
      createdAt: row["created_at"])
  }
}

extension ActivityCategory: DatabaseValueConvertible {}
extension Goal.Kind: DatabaseValueConvertible {}
extension Schedule.Kind: DatabaseValueConvertible {}
