import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The tasks of teams, among all tasks.
enum TeamTaskStore {
  /// The most open tasks of one team: in all of them the part of a member who leaves the team ends in one transaction.
  static let maxOpen = 100

  static func migration(_ number: Int) -> Migration {
    Migration(number, "teams' own tasks") { database in
      try database.execute(
        sql: """
          -- The team that it belongs to; it may have ended.
          ALTER TABLE tasks ADD COLUMN team_id BLOB CHECK (length(team_id) = 16);
          CREATE INDEX tasks_of_team ON tasks (team_id, state, sequence) WHERE team_id IS NOT NULL;
          """)
    }
  }

  /// Refuses a further task of a team where as many are open as may.
  ///
  /// - Throws: `too_many_team_tasks`.
  static func checkCount(of team: ID<Team>, in database: Database) throws {
    guard try hasRoom(in: team, database) else { throw TeamTaskFailure.tooMany.with(["max": .number(maxOpen)]) }
  }

  /// Whether a team may have one more open task.
  static func hasRoom(in team: ID<Team>, _ database: Database) throws -> Bool {
    let count = try database.first("SELECT count(*) FROM tasks WHERE team_id = ? AND state = 'open'", .id(team)) { $0.number(0) }
    return count ?? 0 < maxOpen
  }

  /// The members whom a member enrols in a new task of the team: all others, except suspended ones and those separated from it by a block.
  ///
  /// - Throws: `not_found` where the account is not in the team.
  static func enrolled(
    in team: ID<Team>, by account: AccountID, at now: Instant, _ database: Database
  ) throws -> [AccountID] {
    _ = try TeamMemberStore.membership(of: account, in: team, database)
    return try TeamMemberStore.accounts(of: team, in: database).filter { other in
      guard other != account, try !database.isErased(other), let known = try Accounts.find(other, in: database) else {
        return false
      }
      return try !known.isSuspended(at: now) && !BlockStore.areApart(account, other, in: database)
    }
  }

  /// Ends an account's participation in a team's open tasks that it has neither confirmed nor created, and in the team's recurring tasks.
  /// Those that it created no longer belong to the team, but go on among their participants.
  ///
  /// - Parameter actor: the account that ends the membership: itself, or the team's owner.
  /// - Returns: whether nothing of what follows is left to do; see ``TeamLeaveStore``.
  static func leave(_ account: AccountID, _ team: ID<Team>, by actor: AccountID, _ transaction: Transaction) throws -> Bool {
    let database = transaction.database
    let statement = try database.cachedStatement(
      sql: """
        SELECT t.task_id FROM tasks t JOIN task_participants p ON p.task_id = t.task_id AND p.account_id = :account
        WHERE t.team_id = :team AND t.state = 'open' AND p.state = 'open' AND p.confirmed_at IS NULL
          AND t.creator_account IS NOT :account
        """)
    let tasks = try ID<SharedTask>.fetchAll(statement, arguments: ["account": account, "team": team])
    for task in tasks {
      try TaskParticipantStore.end(task, account, by: actor, transaction)
      // The rest is counted when the task is settled, which may complete it.
      try database.run(
        "UPDATE tasks SET participant_count = participant_count - 1 WHERE task_id = ? AND confirmed_count < participant_count - 1",
        .id(task))
    }
    let detached = try database.cachedStatement(
      sql: """
        UPDATE tasks SET team_id = NULL WHERE team_id = :team AND state = 'open' AND creator_account = :account RETURNING task_id
        """)
    let own = try ID<SharedTask>.fetchAll(detached, arguments: ["account": account, "team": team])
    try TeamLeaveStore.add(account, team, tasks: tasks + own, transaction)
    return try TeamLeaveStore.settle(account, count: TeamLeaveStore.tasksAtOnce, transaction)
  }
}

// MARK: - Reading

extension TeamTaskStore {
  /// What a member sees of the team's tasks: `:account` is in it.
  private static let isShown = """
    (p.account_id IS NOT NULL OR t.creator_account IS NULL
      OR NOT \(BlockStore.exists(by: ":account", of: "t.creator_account"))
        AND NOT \(BlockStore.exists(by: "t.creator_account", of: ":account")))
    """

  /// A task of a team that a member sees; nil for others.
  static func find(
    _ id: ID<SharedTask>, of team: ID<Team>, for account: AccountID, in database: Database
  ) throws -> TaskStore.Stored? {
    let isSeen = try database.cachedStatement(
      sql: """
        SELECT 1 FROM tasks t LEFT JOIN task_participants p
          ON p.task_id = t.task_id AND p.account_id = :account AND p.state <> 'left'
        WHERE t.task_id = :task AND t.team_id = :team AND \(isShown)
        """)
    guard try Row.fetchOne(isSeen, arguments: ["account": account, "task": id, "team": team]) != nil else { return nil }
    return try TaskStore.find(id, in: database)
  }

  /// How a page of the tasks in one state is found: by a walk along an index from the newest on.
  static let listSQL = """
    SELECT t.*, p.confirmed_at, p.account_id AS participant_id, coalesce(r.was_removed, 0) AS was_removed, a.account_id AS creator_id,
      iif(p.account_id IS NULL, 0, \(TaskStore.isResponsible("p", for: "t"))) AS can_edit,
      \(ShownPersonStore.columns(for: ":account"))
    FROM tasks t LEFT JOIN task_participants p ON p.task_id = t.task_id AND p.account_id = :account AND p.state <> 'left'
    LEFT JOIN task_participants r ON r.task_id = t.task_id AND r.account_id = :account
    LEFT JOIN accounts a ON a.account_id = t.creator_account
    WHERE t.team_id = :team AND t.state = :state AND t.sequence < :before AND \(isShown)
    ORDER BY t.sequence DESC LIMIT :limit
    """

  /// A team's tasks as one of the members sees them, newest first: those in a state, or those that are open and behind them those
  /// completed.
  static func list(
    of team: ID<Team>, for account: AccountID, state: TaskState?, _ page: PageRequest, in database: Database
  ) throws -> Page<TeamTask> {
    try TaskStore.page(state: state, page) { state, before, limit in
      try Row.fetchAll(
        database.cachedStatement(sql: listSQL),
        arguments: ["account": account, "team": team, "state": state, "before": before, "limit": limit])
    } item: { row in
      TeamTask(
        task: SharedTask(row, for: account), isParticipant: row["participant_id"] as AccountID? != nil,
        wasRemoved: row["was_removed"])
    }
  }
}
