import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The comments on all tasks, in the order in which they were written.
enum TaskCommentStore {
  /// How many the screen of a task begins with.
  static let shownWithTask = 20

  static func migration(_ number: Int) -> Migration {
    Migration(number, "comments on tasks") { database in
      try database.execute(sql: schema + TaskSpaceStore.triggers(on: "task_comments", by: "account_id", of: ["text"]))
    }
  }

  private static let schema = """
    CREATE TABLE task_comments (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      comment_id BLOB NOT NULL UNIQUE CHECK (length(comment_id) = 16),
      task_id BLOB NOT NULL REFERENCES tasks (task_id) ON DELETE CASCADE,
      account_id BLOB NOT NULL CHECK (length(account_id) = 16),
      -- NULL once it was removed: it says nothing any more, and keeps its position
      text TEXT CHECK (text <> ''),
      created_at INTEGER NOT NULL,
      removed_at INTEGER,
      CHECK ((removed_at IS NULL) = (text IS NOT NULL))
    ) STRICT;
    CREATE UNIQUE INDEX task_comments_of_task ON task_comments (task_id, sequence);
    CREATE INDEX task_comments_by_author ON task_comments (account_id);

    """

  /// Comments as the account `:account` sees them, to be narrowed down. Of accounts that were deleted there are none.
  private static let selection = """
    SELECT c.sequence, c.comment_id, c.task_id, c.account_id, c.text, c.help_id, c.created_at, c.removed_at,
      \(ShownPersonStore.columns(for: ":account")),
      \(BlockStore.exists(by: ":account", of: "c.account_id")) AS is_folded
    FROM task_comments c CROSS JOIN accounts a ON a.account_id = c.account_id
    """

  /// A comment on a task as one of its participants sees it; nil where it does not exist.
  static func find(
    _ id: ID<TaskComment>, of task: ID<SharedTask>, for account: AccountID, in database: Database
  ) throws -> TaskComment? {
    let statement = try database.cachedStatement(sql: "\(selection) WHERE c.comment_id = :comment AND c.task_id = :task")
    return try Row.fetchOne(statement, arguments: ["account": account, "comment": id, "task": task]).map(TaskComment.init)
  }

  /// The same, whichever task it is on.
  static func find(_ id: ID<TaskComment>, for account: AccountID, in database: Database) throws -> TaskComment? {
    let statement = try database.cachedStatement(sql: "\(selection) WHERE c.comment_id = :comment")
    return try Row.fetchOne(statement, arguments: ["account": account, "comment": id]).map(TaskComment.init)
  }

  /// How a page is found: by a walk along an index from the newest on.
  static let listSQL = """
    \(selection) WHERE c.task_id = :task AND c.sequence < :before ORDER BY c.sequence DESC LIMIT :limit
    """

  private static func rows(
    of task: ID<SharedTask>, for account: AccountID, before: Int64, limit: Int, in database: Database
  ) throws -> [Row] {
    try Row.fetchAll(
      database.cachedStatement(sql: listSQL), arguments: ["account": account, "task": task, "before": before, "limit": limit])
  }

  /// A page of the comments on a task, the newest last.
  static func list(
    of task: ID<SharedTask>, for account: AccountID, _ page: PageRequest, in database: Database
  ) throws -> Page<TaskComment> {
    let rows = try rows(of: task, for: account, before: page.before, limit: page.fetchLimit, in: database)
    let newestFirst = page.page(of: rows, key: { $0["sequence"] as Int64 }, item: TaskComment.init)
    return Page(items: newestFirst.items.reversed(), nextCursor: newestFirst.nextCursor)
  }

  /// The last comments on a task, the newest last, and whether there are earlier ones.
  static func latest(
    of task: ID<SharedTask>, for account: AccountID, in database: Database
  ) throws -> (comments: [TaskComment], hasEarlier: Bool) {
    let rows = try rows(of: task, for: account, before: .max, limit: shownWithTask + 1, in: database)
    return (rows.prefix(shownWithTask).reversed().map(TaskComment.init), rows.count > shownWithTask)
  }

  /// Adds a comment and publishes it, for each participant as it sees it.
  static func add(
    _ text: ChatText, about help: ID<TaskHelp>?, to task: TaskStore.Stored, by account: AccountID, _ transaction: Transaction
  ) throws -> TaskComment {
    let (id, database) = (ID<TaskComment>(), transaction.database)
    try database.run(
      "INSERT INTO task_comments (comment_id, task_id, account_id, text, help_id, created_at) VALUES (?, ?, ?, ?, ?, ?)", .id(id),
      .id(task.id), .id(account), .text(text.description), help.map { Bound.id($0) } ?? .null, .instant(transaction.now))
    var own: TaskComment?
    for participant in try TaskParticipantStore.accounts(of: task.id, in: database) {
      guard let comment = try find(id, of: task.id, for: participant, in: database) else { continue }
      if participant == account { own = comment }
      try transaction.publish(TaskCommentCreated(accountID: participant, taskName: task.text.name, comment: comment))
    }
    guard let own else { throw Failure(RequestFailure.notFound) }
    return own
  }

  /// Gives a removed comment its text back, and publishes that, for each participant as it sees it.
  static func restore(
    _ comment: TaskComment, _ text: ChatText, in task: TaskStore.Stored, _ transaction: Transaction
  ) throws {
    let database = transaction.database
    try database.run(
      "UPDATE task_comments SET text = ?2, removed_at = NULL WHERE comment_id = ?1", .id(comment.id), .text(text.description))
    for participant in try TaskParticipantStore.accounts(of: task.id, in: database) {
      guard let restored = try find(comment.id, of: task.id, for: participant, in: database) else { continue }
      try transaction.publish(TaskCommentRestored(accountID: participant, taskName: task.text.name, comment: restored))
    }
  }

  /// Takes the text out of a comment and publishes that.
  static func remove(_ comment: TaskComment, from task: TaskStore.Stored, _ transaction: Transaction) throws {
    try transaction.database.run(
      "UPDATE task_comments SET text = NULL, removed_at = ?2 WHERE comment_id = ?1", .id(comment.id), .instant(transaction.now))
    for participant in try TaskParticipantStore.accounts(of: task.id, in: transaction.database) {
      guard let shown = try find(comment.id, of: task.id, for: participant, in: transaction.database) else { continue }
      try transaction.publish(
        TaskCommentRemoved(
          accountID: participant, taskID: task.id, taskName: task.text.name, commentID: comment.id,
          authorAccountID: shown.author.accountID, authorUsername: shown.author.username, at: transaction.now))
    }
  }
}

extension TaskComment {
  fileprivate init(_ row: Row) {
    self.init(
      id: row["comment_id"], taskID: row["task_id"],
      author: TaskPerson(row, of: row["account_id"], "account_id"),
      text: row["text"], helpID: row["help_id"], createdAt: row["created_at"], removedAt: row["removed_at"],
      isFolded: row["is_folded"])
  }
}
