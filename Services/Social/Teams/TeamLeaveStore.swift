import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// What is still to be done for accounts that have left a team, or were removed from it: a team may have so many tasks and recurring tasks
/// that others' writes would wait for all of it.
///
/// The account takes part in none of them from the transaction on in which it left. What follows is that each task is settled and published
/// (``TaskStore/settle(_:by:left:_:)``), and that the account's rows of the recurring tasks go, which nobody reads any more.
enum TeamLeaveStore {
  /// How many tasks are settled in the transaction that ends a membership; the others follow in steps.
  static let tasksAtOnce = 10
  /// How many recurring tasks are left in the time of one task, which is published for each participant.
  static let seriesPerTask = 20

  static func migration(_ number: Int) -> Migration {
    Migration(number, "leaving teams in steps") { database in
      try database.execute(
        sql: """
          -- Accounts that have left a team, until all that follows is done.
          CREATE TABLE team_leavers (
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            team_id BLOB NOT NULL CHECK (length(team_id) = 16),
            -- another each time that the account leaves
            leave_id BLOB NOT NULL CHECK (length(leave_id) = 16),
            -- of the team's recurring tasks, those with smaller sequence numbers are still to be left
            before_series INTEGER NOT NULL,
            PRIMARY KEY (account_id, team_id)
          ) STRICT, WITHOUT ROWID;
          -- Tasks that are still to be settled for them.
          CREATE TABLE team_task_leavers (
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            task_id BLOB NOT NULL REFERENCES tasks (task_id) ON DELETE CASCADE,
            PRIMARY KEY (account_id, task_id)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX team_task_leavers_by_task ON team_task_leavers (task_id);
          -- Participants who were enrolled anew after leaving the series's team, until the series is done with; nearly always empty.
          CREATE TABLE task_series_returners (
            series_id BLOB NOT NULL CHECK (length(series_id) = 16),
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            -- after which leaving
            leave_id BLOB NOT NULL CHECK (length(leave_id) = 16),
            PRIMARY KEY (series_id, account_id),
            FOREIGN KEY (series_id, account_id) REFERENCES task_series_participants (series_id, account_id) ON DELETE CASCADE
          ) STRICT, WITHOUT ROWID;
          """)
    }
  }

  /// In SQL, whether the row of a participant `p` of the series `s` has outlived the account's leaving the series's team.
  static let hasLeftSeries = """
    EXISTS (SELECT 1 FROM team_leavers l WHERE l.account_id = p.account_id AND l.team_id = s.team_id
      AND s.sequence < l.before_series AND s.creator_account IS NOT p.account_id
      AND NOT EXISTS (SELECT 1 FROM task_series_returners r
        WHERE r.series_id = p.series_id AND r.account_id = p.account_id AND r.leave_id = l.leave_id))
    """

  /// Notes what follows from an account's leaving a team.
  ///
  /// - Parameter tasks: those that are to be settled.
  static func add(_ account: AccountID, _ team: ID<Team>, tasks: [ID<SharedTask>], _ transaction: Transaction) throws {
    let database = transaction.database
    // Series made later are not the former member's, even if it has come back meanwhile.
    try database.run(
      """
      INSERT INTO team_leavers (account_id, team_id, leave_id, before_series)
      VALUES (?, ?, randomblob(16), (SELECT ifnull(max(sequence), 0) + 1 FROM task_series))
      ON CONFLICT (account_id, team_id) DO UPDATE SET leave_id = excluded.leave_id, before_series = excluded.before_series
      """, .id(account), .id(team))
    for task in tasks {
      try database.run(
        "INSERT INTO team_task_leavers (account_id, task_id) VALUES (?, ?) ON CONFLICT DO NOTHING", .id(account), .id(task))
    }
  }

  /// Does some of what is left for an account.
  ///
  /// - Parameter count: how many tasks are settled at most.
  /// - Returns: whether nothing is left.
  static func settle(_ account: AccountID, count: Int, _ transaction: Transaction) throws -> Bool {
    let database = transaction.database
    let settled = try settleTasks(of: account, limit: count, transaction)
    if settled < count, let (team, before) = try next(of: account, in: database) {
      let limit = (count - settled) * seriesPerTask
      if let last = try TaskSeriesStore.leave(team, account, before: before, limit: limit, transaction) {
        try database.run(
          "UPDATE team_leavers SET before_series = ? WHERE account_id = ? AND team_id = ?", .integer(last), .id(account),
          .id(team))
      } else {
        try database.run("DELETE FROM team_leavers WHERE account_id = ? AND team_id = ?", .id(account), .id(team))
      }
    }
    return try next(of: account, in: database) == nil
  }

  /// A team whose recurring tasks the account is still to leave, and before which of them.
  private static func next(of account: AccountID, in database: Database) throws -> (team: ID<Team>, before: Int64)? {
    try database.first(
      "SELECT team_id, before_series FROM team_leavers WHERE account_id = ? ORDER BY team_id LIMIT 1", .id(account)
    ) { (team: try $0.id(0), before: Int64($0.number(1))) }
  }

  /// Settles some of the tasks that are left for an account; see `ErasedTable.Preparation`.
  @Sendable
  static func settleTasks(of account: AccountID, limit: Int, _ transaction: Transaction) throws -> Int {
    let statement = try transaction.database.cachedStatement(
      sql: "SELECT task_id FROM team_task_leavers WHERE account_id = ? LIMIT ?")
    let tasks = try ID<SharedTask>.fetchAll(statement, arguments: [account, limit])
    for task in tasks { try settle(task, of: account, transaction) }
    return tasks.count
  }

  /// Settles a task, and publishes that the account has left it, unless it takes part again.
  private static func settle(_ task: ID<SharedTask>, of account: AccountID, _ transaction: Transaction) throws {
    let database = transaction.database
    try database.run("DELETE FROM team_task_leavers WHERE account_id = ? AND task_id = ?", .id(account), .id(task))
    // Who ended the membership is not notified if that completes the task: the account itself, or the team's owner.
    let actor: AccountID? = try database.first(
      """
      SELECT iif(p.has_opted_out, p.account_id, coalesce(o.account_id, p.account_id))
      FROM task_participants p JOIN tasks t ON t.task_id = p.task_id
      LEFT JOIN team_members o ON o.team_id = t.team_id AND o.is_owner = 1
      WHERE p.task_id = ? AND p.account_id = ? AND p.state = 'left' AND p.left_revision IS NULL
      """, .id(task), .id(account)
    ) { try $0.id(0) }
    try TaskStore.settle(task, by: actor, left: actor == nil ? nil : account, transaction)
  }
}
