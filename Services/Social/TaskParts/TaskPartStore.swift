import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The parts of all tasks, in the order in which they were made. Each change of one publishes its task, as
/// ``TaskStore/settle(_:by:left:_:)`` does.
enum TaskPartStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "parts of tasks") { database in
      try database.execute(
        sql: schema + TaskSpaceStore.triggers(on: "task_parts", by: "author_account", of: ["title", "description"]))
    }
  }

  private static let schema = """
    CREATE TABLE task_parts (
      part_id BLOB NOT NULL PRIMARY KEY CHECK (length(part_id) = 16),
      task_id BLOB NOT NULL REFERENCES tasks (task_id) ON DELETE CASCADE,
      position INTEGER NOT NULL CHECK (position >= 1),
      -- NULL once who made the task was deleted
      author_account BLOB CHECK (length(author_account) = 16),
      title TEXT NOT NULL CHECK (title <> ''),
      description TEXT CHECK (description <> ''),
      -- NULL where it is anybody's
      assignee_account BLOB CHECK (length(assignee_account) = 16),
      done_at INTEGER,
      -- NULL once who did it was deleted
      done_by BLOB CHECK (length(done_by) = 16),
      CHECK (done_at IS NOT NULL OR done_by IS NULL)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX task_parts_of_task ON task_parts (task_id, position);
    CREATE INDEX task_parts_by_author ON task_parts (author_account) WHERE author_account IS NOT NULL;
    CREATE INDEX task_parts_by_assignee ON task_parts (assignee_account, task_id) WHERE assignee_account IS NOT NULL;
    CREATE INDEX task_parts_by_doer ON task_parts (done_by) WHERE done_by IS NOT NULL;

    """

  /// A part of the table.
  struct Stored: Sendable {
    let id: ID<TaskPart>
    let task: ID<SharedTask>
    /// Nil once who wrote it was deleted.
    let author: AccountID?
    let text: TaskPartText
    /// Nil where it is anybody's.
    let assignee: AccountID?
    let isDone: Bool

    init(_ row: Row) {
      id = row["part_id"]
      task = row["task_id"]
      author = row["author_account"]
      text = TaskPartText(title: row["title"], description: row["description"])
      assignee = row["assignee_account"]
      isDone = row["done_at"] as Instant? != nil
    }
  }

  /// A part of a task.
  ///
  /// - Throws: `not_found`.
  static func find(_ id: ID<TaskPart>, of task: ID<SharedTask>, in database: Database) throws -> Stored {
    let statement = try database.cachedStatement(sql: "SELECT * FROM task_parts WHERE part_id = ? AND task_id = ?")
    guard let row = try Row.fetchOne(statement, arguments: [id, task]) else { throw Failure(RequestFailure.notFound) }
    return Stored(row)
  }

  /// A part, for any caller.
  static func find(_ id: ID<TaskPart>, in database: Database) throws -> Stored? {
    try Row.fetchOne(database.cachedStatement(sql: "SELECT * FROM task_parts WHERE part_id = ?"), arguments: [id]).map(
      Stored.init)
  }

  static func count(of task: ID<SharedTask>, in database: Database) throws -> Int {
    try database.first("SELECT count(*) FROM task_parts WHERE task_id = ?", .id(task)) { $0.number(0) } ?? 0
  }

  /// Keeps a new part, and notifies its assignee.
  static func add(
    _ text: TaskPartText, to task: TaskStore.Stored, assignee: AccountID?, by account: AccountID, _ transaction: Transaction
  ) throws -> ID<TaskPart> {
    let id = ID<TaskPart>()
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO task_parts (part_id, task_id, position, author_account, title, description, assignee_account)
        SELECT ?1, ?2, ifnull(max(position), 0) + 1, ?3, ?4, ?5, ?6 FROM task_parts WHERE task_id = ?2
        """
    ).execute(arguments: [id, task.id, account, text.title, text.description, assignee])
    try notify(assignee, of: text.title, in: task, by: account, transaction)
    try TaskStore.settle(task.id, transaction)
    return id
  }

  /// Changes a part's text and assignee; a new assignee is notified.
  static func edit(
    _ part: Stored, of task: TaskStore.Stored, _ text: TaskPartText, assignee: AccountID?, by account: AccountID,
    _ transaction: Transaction
  ) throws {
    try transaction.database.cachedStatement(
      sql: """
        UPDATE task_parts SET title = ?2, description = ?3, assignee_account = ?4,
          removed_by = iif(title = ?2 AND description IS ?3, removed_by, NULL)
        WHERE part_id = ?1
        """
    ).execute(arguments: [part.id, text.title, text.description, assignee])
    if assignee != part.assignee { try notify(assignee, of: text.title, in: task, by: account, transaction) }
    try TaskStore.settle(task.id, transaction)
  }

  /// Copies the parts of another task to a new one, none of them done; parts whose assignee is not a participant become unassigned. Nobody
  /// is notified. If the parts need more space than there is, none are copied.
  static func copy(
    from last: ID<SharedTask>, to task: ID<SharedTask>, by account: AccountID, maxBytes: Int, _ transaction: Transaction
  ) throws {
    let database = transaction.database
    let statement = try database.cachedStatement(sql: "SELECT * FROM task_parts WHERE task_id = ? ORDER BY position")
    let rows = try Row.fetchAll(statement, arguments: [last])
    let parts = rows.map(Stored.init)
    guard parts.reduce(0, { $0 + $1.text.bytes }) <= maxBytes else { return }
    let insertion = try database.cachedStatement(
      sql: """
        INSERT INTO task_parts (part_id, task_id, position, author_account, title, description, assignee_account, removed_by)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """)
    for (index, (part, row)) in zip(parts, rows).enumerated() {
      let assignee = try part.assignee.flatMap { try TaskParticipantStore.find(task, $0, in: database)?.account }
      try insertion.execute(arguments: [
        ID<TaskPart>(), task, index + 1, account, part.text.title, part.text.description, assignee,
        row["removed_by"] as ID<ModerationCase>?,
      ])
    }
  }

  /// Notifies an assignee, except one that assigned the part to itself, or is separated from the assigning account by a block.
  private static func notify(
    _ assignee: AccountID?, of title: TaskName, in task: TaskStore.Stored, by account: AccountID, _ transaction: Transaction
  ) throws {
    guard let assignee, assignee != account, try !BlockStore.areApart(assignee, account, in: transaction.database) else { return }
    try TaskStore.notify(
      assignee, of: .partAssigned, task.id, task.text.name, part: title, by: account, transaction)
  }

  static func remove(_ id: ID<TaskPart>, of task: ID<SharedTask>, _ transaction: Transaction) throws {
    try transaction.database.run("DELETE FROM task_parts WHERE part_id = ?", .id(id))
    try TaskStore.settle(task, transaction)
  }

  /// Notes that a part is done, or not any more.
  static func setDone(
    _ isDone: Bool, _ id: ID<TaskPart>, of task: ID<SharedTask>, by account: AccountID, _ transaction: Transaction
  ) throws {
    try transaction.database.run(
      "UPDATE task_parts SET done_at = ?2, done_by = ?3 WHERE part_id = ?1", .id(id),
      isDone ? .instant(transaction.now) : .null, isDone ? .id(account) : .null)
    try TaskStore.settle(task, transaction)
  }

  /// Unassigns an account's parts of a task that it leaves. Parts that it has done stay done.
  static func unassign(_ account: AccountID, in task: ID<SharedTask>, _ transaction: Transaction) throws {
    try transaction.database.run(
      "UPDATE task_parts SET assignee_account = NULL WHERE assignee_account = ? AND task_id = ?", .id(account), .id(task))
  }
}

// MARK: - Reading

extension TaskPartStore {
  /// Parts as the account `:account` sees them, to be narrowed down. Accounts that were deleted are left out.
  private static let selection = """
    SELECT p.*, a.account_id AS assignee_id, \(ShownPersonStore.columns(for: ":account")), p.done_by AS doer_id,
      (SELECT state FROM tasks t WHERE t.task_id = p.task_id) AS task_state
    FROM task_parts p LEFT JOIN accounts a ON a.account_id = p.assignee_account
      AND NOT EXISTS (SELECT 1 FROM erasures WHERE erasures.account_id = a.account_id)
    """

  /// A part as one of the task's participants sees it.
  static func view(
    _ id: ID<TaskPart>, of task: ID<SharedTask>, for account: AccountID, in database: Database
  ) throws -> TaskPart {
    let statement = try database.cachedStatement(sql: "\(selection) WHERE p.part_id = :part AND p.task_id = :task")
    guard let row = try Row.fetchOne(statement, arguments: ["account": account, "part": id, "task": task]) else {
      throw Failure(RequestFailure.notFound)
    }
    return try part(row, for: account, in: database)
  }

  /// All parts of a task, in the order in which they were made.
  static func list(of task: ID<SharedTask>, for account: AccountID, in database: Database) throws -> [TaskPart] {
    let statement = try database.cachedStatement(sql: "\(selection) WHERE p.task_id = :task ORDER BY p.position")
    return try Row.fetchAll(statement, arguments: ["account": account, "task": task]).map {
      try part($0, for: account, in: database)
    }
  }

  private static func part(_ row: Row, for account: AccountID, in database: Database) throws -> TaskPart {
    let stored = Stored(row)
    let assignee = TaskPerson(row, "assignee_id")
    return TaskPart(
      id: stored.id, title: stored.text.title, description: stored.text.description, assignee: assignee,
      doneAt: row["done_at"], doneBy: try (row["doer_id"] as AccountID?).flatMap { try person($0, for: account, in: database) },
      canComplete: row["task_state"] == TaskState.open
        && TaskPartRules.mayComplete(account, assignee: assignee?.accountID))
  }

  private static func person(_ id: AccountID, for account: AccountID, in database: Database) throws -> TaskPerson? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT a.account_id, \(ShownPersonStore.columns(for: ":account"))
        FROM accounts a WHERE a.account_id = :id
          AND NOT EXISTS (SELECT 1 FROM erasures WHERE erasures.account_id = a.account_id)
        """)
    return try Row.fetchOne(statement, arguments: ["account": account, "id": id]).flatMap {
      TaskPerson($0, "account_id")
    }
  }
}
