public import GRDB
import Operations
import ServiceKit
public import SocialContract
import Storage

extension TaskHelpKind: DatabaseValueConvertible {}

/// Requests for help and offers of it in all tasks, the thanks for them, and the help given by each account in each task.
enum TaskHelpStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "help in tasks") { try $0.execute(sql: schema) }
  }

  private static let schema = """
    CREATE TABLE task_help (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      help_id BLOB NOT NULL UNIQUE CHECK (length(help_id) = 16),
      task_id BLOB NOT NULL REFERENCES tasks (task_id) ON DELETE CASCADE,
      account_id BLOB NOT NULL CHECK (length(account_id) = 16),
      kind TEXT NOT NULL CHECK (kind IN ('request', 'offer')),
      created_at INTEGER NOT NULL,
      closed_at INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX task_help_open ON task_help (task_id, account_id, kind) WHERE closed_at IS NULL;
    CREATE INDEX task_help_by_task ON task_help (task_id, account_id, kind);
    CREATE INDEX task_help_by_account ON task_help (account_id);

    CREATE TABLE task_thanks (
      help_id BLOB NOT NULL REFERENCES task_help (help_id) ON DELETE CASCADE,
      -- who helped
      account_id BLOB NOT NULL CHECK (length(account_id) = 16),
      at INTEGER NOT NULL,
      PRIMARY KEY (help_id, account_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX task_thanks_by_account ON task_thanks (account_id);

    -- Stays when the task or the helped account is deleted.
    CREATE TABLE task_help_given (
      account_id BLOB NOT NULL CHECK (length(account_id) = 16),
      task_id BLOB NOT NULL CHECK (length(task_id) = 16),
      at INTEGER NOT NULL,
      PRIMARY KEY (account_id, task_id)
    ) STRICT, WITHOUT ROWID;

    ALTER TABLE task_comments ADD COLUMN help_id BLOB REFERENCES task_help (help_id) ON DELETE SET NULL;
    CREATE INDEX task_comments_by_help ON task_comments (help_id, account_id) WHERE help_id IS NOT NULL;
    """

  /// Whether a request or an offer of the account waits in the task.
  static func isOpen(
    _ kind: TaskHelpKind, of account: AccountID, in task: ID<SharedTask>, _ database: Database
  ) throws -> Bool {
    try database.first(
      "SELECT 1 FROM task_help WHERE task_id = ? AND account_id = ? AND kind = ? AND closed_at IS NULL", .id(task), .id(account),
      .text(kind.rawValue)
    ) { _ in true } ?? false
  }

  /// When the account has asked for help or offered it in the task, the last times, the newest first.
  static func lastTimes(of account: AccountID, in task: ID<SharedTask>, _ database: Database) throws -> [Instant] {
    let statement = try database.cachedStatement(
      sql: "SELECT created_at FROM task_help WHERE task_id = ? AND account_id = ? ORDER BY sequence DESC LIMIT ?")
    return try Instant.fetchAll(statement, arguments: [task, account, TaskHelpRules.maxPerDay])
  }

  /// Whether there is such a request or offer in the task.
  static func exists(_ id: ID<TaskHelp>, in task: ID<SharedTask>, _ database: Database) throws -> Bool {
    try database.first("SELECT 1 FROM task_help WHERE help_id = ? AND task_id = ?", .id(id), .id(task)) { _ in true } ?? false
  }

  /// Whether an account has answered a request, or offered help in its task.
  static func hasHelped(
    _ account: AccountID, _ id: ID<TaskHelp>, in task: ID<SharedTask>, _ database: Database
  ) throws -> Bool {
    try database.first(
      """
      SELECT EXISTS (SELECT 1 FROM task_comments WHERE help_id = ?1 AND account_id = ?3)
        OR EXISTS (SELECT 1 FROM task_help WHERE task_id = ?2 AND account_id = ?3 AND kind = 'offer')
      """, .id(id), .id(task), .id(account)
    ) { $0.truth(0) } ?? false
  }

  /// Keeps a request or an offer and publishes it.
  static func add(
    _ kind: TaskHelpKind, to task: TaskStore.Stored, by account: AccountID, _ transaction: Transaction
  ) throws -> ID<TaskHelp> {
    let id = ID<TaskHelp>()
    try transaction.database.run(
      "INSERT INTO task_help (help_id, task_id, account_id, kind, created_at) VALUES (?, ?, ?, ?, ?)", .id(id), .id(task.id),
      .id(account), .text(kind.rawValue), .instant(transaction.now))
    try publish(id, of: task.id, transaction)
    return id
  }

  /// Closes open requests and offers in a task, and publishes that.
  ///
  /// - Parameters:
  ///   - account: only this account's; nil for all, as when the task is no longer open.
  ///   - id: only this one; nil for all, as when the account leaves the task.
  static func close(
    of account: AccountID? = nil, in task: ID<SharedTask>, named id: ID<TaskHelp>? = nil, _ transaction: Transaction
  ) throws {
    let statement = try transaction.database.cachedStatement(
      sql: """
        UPDATE task_help SET closed_at = :now
        WHERE task_id = :task AND closed_at IS NULL AND account_id = coalesce(:account, account_id)
          AND help_id = coalesce(:help, help_id)
        RETURNING help_id
        """)
    let closed = try ID<TaskHelp>.fetchAll(
      statement, arguments: ["now": transaction.now, "task": task, "account": account, "help": id])
    for id in closed { try publish(id, of: task, transaction) }
  }

  /// Records the thanks to a helper and the help given in the task, and publishes both.
  static func thank(
    _ helper: AccountID, for id: ID<TaskHelp>, in task: TaskStore.Stored, by account: AccountID, _ transaction: Transaction
  ) throws {
    let database = transaction.database
    try database.run(
      "INSERT INTO task_thanks (help_id, account_id, at) VALUES (?, ?, ?)", .id(id), .id(helper), .instant(transaction.now))
    try database.run(
      "INSERT INTO task_help_given (account_id, task_id, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", .id(helper),
      .id(task.id), .instant(transaction.now))
    if database.changesCount > 0 {
      try transaction.publish(TaskHelpGiven(accountID: helper, taskID: task.id, at: transaction.now))
    }
    let username = try Accounts.known(account, in: database).username
    try transaction.publish(
      TaskHelpThanked(
        accountID: helper, taskID: task.id, taskName: task.text.name, helpID: id, byAccountID: account, byUsername: username,
        at: transaction.now))
    try publish(id, of: task.id, transaction)
  }
}

// MARK: - Reading

extension TaskHelpStore {
  /// Requests and offers as the account `:account` sees them, to be narrowed down. Of accounts that were deleted there are none.
  private static let selection = """
    SELECT h.*, \(ShownPersonStore.columns(for: ":account")), t.name AS task_name
    FROM task_help h JOIN tasks t ON t.task_id = h.task_id JOIN accounts a ON a.account_id = h.account_id
    """

  /// A request or an offer as one of the task's participants sees it.
  ///
  /// - Throws: `not_found`.
  static func view(
    _ id: ID<TaskHelp>, of task: ID<SharedTask>, for account: AccountID, in database: Database
  ) throws -> TaskHelp {
    guard let row = try row(id, of: task, for: account, in: database) else { throw Failure(RequestFailure.notFound) }
    return try help(row, in: database)
  }

  private static func row(
    _ id: ID<TaskHelp>, of task: ID<SharedTask>, for account: AccountID, in database: Database
  ) throws -> Row? {
    let statement = try database.cachedStatement(sql: "\(selection) WHERE h.help_id = :help AND h.task_id = :task")
    return try Row.fetchOne(statement, arguments: ["account": account, "help": id, "task": task])
  }

  /// What waits in a task, the newest last.
  static func listOpen(in task: ID<SharedTask>, for account: AccountID, _ database: Database) throws -> [TaskHelp] {
    let statement = try database.cachedStatement(
      sql: "\(selection) WHERE h.task_id = :task AND h.closed_at IS NULL ORDER BY h.sequence")
    return try Row.fetchAll(statement, arguments: ["account": account, "task": task]).map { try help($0, in: database) }
  }

  private static func help(_ row: Row, in database: Database) throws -> TaskHelp {
    let id: ID<TaskHelp> = row["help_id"]
    let thanked = try AccountID.fetchAll(
      database.cachedStatement(sql: "SELECT account_id FROM task_thanks WHERE help_id = ? ORDER BY account_id"), arguments: [id])
    return TaskHelp(
      id: id, taskID: row["task_id"], kind: row["kind"],
      person: TaskPerson(row, of: row["account_id"], "account_id"),
      createdAt: row["created_at"], closedAt: row["closed_at"], thankedAccountIDs: thanked)
  }

  /// Publishes a request or an offer as it is now, for each participant.
  private static func publish(_ id: ID<TaskHelp>, of task: ID<SharedTask>, _ transaction: Transaction) throws {
    let database = transaction.database
    for participant in try TaskParticipantStore.accounts(of: task, in: database) {
      guard let row = try row(id, of: task, for: participant, in: database) else { continue }
      try transaction.publish(
        TaskHelpChanged(
          accountID: participant, taskName: row["task_name"], help: try help(row, in: database), at: transaction.now))
    }
  }

  /// All help that was given as events, after the key `<account>/<task>`; see `SnapshotParts`.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let pieces = key?.split(at: "/").map(String.init) ?? []
    let rows = try Row.fetchAll(
      database,
      sql: "SELECT * FROM task_help_given WHERE (account_id, task_id) > (?, ?) ORDER BY account_id, task_id LIMIT ?",
      arguments: [
        try pieces.first.map { try AccountID(text: $0) } ?? .placeholder,
        try pieces.last.map { try ID<SharedTask>(text: $0) } ?? .placeholder, SnapshotParts.pageSize,
      ])
    let events = rows.map { TaskHelpGiven(accountID: $0["account_id"], taskID: $0["task_id"], at: $0["at"]) }
    return SnapshotParts.page(events, of: events) { "\($0.accountID)/\($0.taskID)" }
  }
}
