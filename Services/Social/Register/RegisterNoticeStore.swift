import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Pending notices that a task is completed. Each carries the leaf of the last confirmation and a checkpoint that covers it, so that many
/// people hold a checkpoint (TASK-9): it waits until that checkpoint is signed, some tenths of a second.
enum RegisterNoticeStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "register notices") { try $0.execute(sql: schema) }
  }

  private static let schema = """
    -- the leaf of the last confirmation; NULL for those before the register
    ALTER TABLE tasks ADD COLUMN confirmation_leaf INTEGER;
    CREATE TABLE register_notices (
      notice_id BLOB NOT NULL PRIMARY KEY CHECK (length(notice_id) = 16),
      account_id BLOB NOT NULL CHECK (length(account_id) = 16),
      task_id BLOB NOT NULL CHECK (length(task_id) = 16),
      task_name TEXT NOT NULL,
      leaf INTEGER NOT NULL,
      completed_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX register_notices_by_leaf ON register_notices (leaf);
    CREATE INDEX register_notices_by_account ON register_notices (account_id);
    """

  /// Notes which leaf a task's last confirmation is.
  static func noteConfirmation(_ leaf: Int, of task: ID<SharedTask>, in database: Database) throws {
    try database.run("UPDATE tasks SET confirmation_leaf = ? WHERE task_id = ?", .number(leaf), .id(task))
  }

  /// Notifies an account that a task is completed: at once if a checkpoint covers the leaf of the last confirmation, or there is no such
  /// leaf; otherwise with the next checkpoint.
  static func notify(_ account: AccountID, _ task: ID<SharedTask>, _ name: TaskName, _ transaction: Transaction) throws {
    let database = transaction.database
    let leaf = try database.first("SELECT confirmation_leaf FROM tasks WHERE task_id = ?", .id(task)) {
      $0.isNull(0) ? nil : $0.number(0)
    }
    guard try !database.isErased(account) else { return }
    var event = TaskNoticeCreated(
      noticeID: ID(), accountID: account, taskID: task, taskName: name, notice: .completed, byAccountID: nil, byUsername: nil,
      at: transaction.now)
    if let leaf = leaf ?? nil {
      guard let note = try RegisterTileStore.first(covering: leaf, database) else {
        return try database.run(
          """
          INSERT INTO register_notices (notice_id, account_id, task_id, task_name, leaf, completed_at) VALUES (?, ?, ?, ?, ?, ?)
          """, .id(event.noticeID), .id(account), .id(task), .text(name.description), .number(leaf), .instant(transaction.now))
      }
      (event.leafNumber, event.checkpoint) = (leaf, note)
    }
    try transaction.publish(event)
  }

  /// Publishes the notices whose leaves a checkpoint covers, in the transaction that stores it.
  ///
  /// - Parameter size: the number of leaves that it covers.
  static func publish(below size: Int, _ note: String, _ transaction: Transaction) throws {
    let statement = try transaction.database.cachedStatement(
      sql: "DELETE FROM register_notices WHERE leaf < ? RETURNING notice_id, account_id, task_id, task_name, leaf, completed_at")
    let events = try Row.fetchAll(statement, arguments: [size]).map { row in
      TaskNoticeCreated(
        noticeID: row["notice_id"], accountID: row["account_id"], taskID: row["task_id"], taskName: row["task_name"],
        notice: .completed, byAccountID: nil, byUsername: nil, leafNumber: row["leaf"], checkpoint: note, at: row["completed_at"])
    }
    for event in events where try !transaction.database.isErased(event.accountID) { try transaction.publish(event) }
  }
}
