public import ActivityContract
public import GRDB
import Operations
import ServiceKit
import Storage

/// The step goals of all accounts.
enum StepGoalStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "step goals") { database in
      try database.execute(
        sql: """
          CREATE TABLE step_goals (
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            period TEXT NOT NULL CHECK (period IN ('day', 'week')),
            -- NULL where it was cleared: the revision goes on
            goal INTEGER CHECK (goal >= 1),
            revision INTEGER NOT NULL,
            -- the local day on which it was first set since it was cleared
            since_day INTEGER NOT NULL,
            PRIMARY KEY (account_id, period)
          ) STRICT, WITHOUT ROWID;
          -- What was published about a day or week; only for the last two of each.
          CREATE TABLE step_goal_stages (
            account_id BLOB NOT NULL,
            period TEXT NOT NULL,
            first_day INTEGER NOT NULL,
            stage INTEGER NOT NULL CHECK (stage IN (1, 2)),
            PRIMARY KEY (account_id, period, first_day),
            FOREIGN KEY (account_id, period) REFERENCES step_goals ON DELETE CASCADE
          ) STRICT, WITHOUT ROWID;
          """)
    }
  }

  /// The goals that are set, the daily one first, with the account's progress today.
  static func list(of account: AccountID, today: LocalDay, in database: Database) throws -> [StepGoal] {
    try GoalPeriod.allCases.compactMap { period in
      guard let goal = try goal(period, of: account, in: database)?.goal else { return nil }
      return StepGoal(period: period, goal: goal, steps: try steps(in: period.days(around: today), of: account, in: database))
    }
  }

  /// Sets or clears a goal and publishes that; without a change nothing is published.
  static func set(
    _ goal: Int?, _ period: GoalPeriod, of account: AccountID, today: LocalDay, by rules: StepGoalRules,
    _ transaction: Transaction
  ) throws {
    let database = transaction.database
    let before = try self.goal(period, of: account, in: database)
    guard before?.goal != goal else { return }
    let revision = max((before?.revision ?? 0) + 1, Int(transaction.now.milliseconds))
    try database.run(
      """
      INSERT INTO step_goals (account_id, period, goal, revision, since_day) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (account_id, period) DO UPDATE
      SET since_day = iif(goal IS NULL, excluded.since_day, since_day), goal = excluded.goal, revision = excluded.revision
      """, .id(account), .text(period.rawValue), goal.map { .number($0) } ?? .null, .number(revision), .day(today))
    try transaction.publish(StepGoalChanged(accountID: account, period: period, goal: goal, revision: revision))
    try follow([today], of: account, today: today, by: rules, transaction)
  }

  /// Publishes goals that are near or reached on changed days. Late steps count for the preceding day and week too, but not for a period
  /// that ended before the goal was set.
  static func follow(
    _ days: some Sequence<LocalDay>, of account: AccountID, today: LocalDay, by rules: StepGoalRules,
    _ transaction: Transaction
  ) throws {
    let database = transaction.database
    for period in GoalPeriod.allCases {
      let present = period.days(around: today)
      let past = period.days(around: present.lowerBound.advanced(by: -1))
      let open = [past, present].filter { range in days.contains(where: range.contains) }
      guard !open.isEmpty, let set = try goal(period, of: account, in: database), let goal = set.goal else { continue }
      for range in open where range.upperBound >= set.sinceDay {
        let steps = try steps(in: range, of: account, in: database)
        let stage = rules.stage(steps: steps, goal: goal)
        guard stage > .begun, try note(stage, period, range.lowerBound, of: account, in: database) else { continue }
        try transaction.publish(
          StepGoalProgressed(
            accountID: account, period: period, firstDay: range.lowerBound, goal: goal, steps: steps,
            isReached: stage == .reached, isOver: range.upperBound < today))
        try database.run(
          "DELETE FROM step_goal_stages WHERE account_id = ? AND period = ? AND first_day < ?", .id(account),
          .text(period.rawValue), .day(past.lowerBound))
      }
    }
  }

  /// - Returns: whether the stage is further than the published one.
  private static func note(
    _ stage: GoalStage, _ period: GoalPeriod, _ first: LocalDay, of account: AccountID, in database: Database
  ) throws -> Bool {
    try database.run(
      """
      INSERT INTO step_goal_stages (account_id, period, first_day, stage) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET stage = excluded.stage WHERE stage < excluded.stage
      """, .id(account), .text(period.rawValue), .day(first), .number(stage.rawValue))
    return database.changesCount > 0
  }

  private static func goal(
    _ period: GoalPeriod, of account: AccountID, in database: Database
  ) throws -> (goal: Int?, revision: Int, sinceDay: LocalDay)? {
    try database.first(
      "SELECT goal, revision, since_day FROM step_goals WHERE account_id = ? AND period = ?", .id(account),
      .text(period.rawValue)
    ) { ($0.isNull(0) ? nil : $0.number(0), $0.number(1), $0.day(2)) }
  }

  private static func steps(in days: ClosedRange<LocalDay>, of account: AccountID, in database: Database) throws -> Int {
    try MovementDayStore.list(of: account, from: days.lowerBound, to: days.upperBound, in: database).reduce(0) { $0 + $1.steps }
  }

  /// All goals as events, also cleared ones, after the key `<account>/<period>`; see `SnapshotParts`.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let pieces = key?.split(separator: "/").map(String.init) ?? []
    let account = try pieces.first.map(AccountID.init(text:)) ?? .placeholder
    let rows = try Row.fetchAll(
      database,
      sql: "SELECT * FROM step_goals WHERE (account_id, period) > (?, ?) ORDER BY account_id, period LIMIT ?",
      arguments: [account, pieces.count == 2 ? pieces[1] : "", SnapshotParts.pageSize])
    let events = rows.map { row in
      StepGoalChanged(accountID: row["account_id"], period: row["period"], goal: row["goal"], revision: row["revision"])
    }
    return SnapshotParts.page(events, of: events) { "\($0.accountID)/\($0.period)" }
  }
}

extension GoalPeriod: DatabaseValueConvertible {}
