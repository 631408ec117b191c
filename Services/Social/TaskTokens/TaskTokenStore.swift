import Foundation
import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The tokens of tasks, one a task at most.
enum TaskTokenStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "task tokens") { database in
      try database.execute(
        sql: """
          CREATE TABLE task_tokens (
            task_id BLOB NOT NULL PRIMARY KEY CHECK (length(task_id) = 16),
            -- Who made it, and answers for what comes by it.
            maker_account BLOB NOT NULL CHECK (length(maker_account) = 16),
            -- The part that finds it; the other is a keyed hash of task and nonce.
            selector TEXT NOT NULL UNIQUE CHECK (length(selector) = 8),
            nonce BLOB NOT NULL CHECK (length(nonce) = 16),
            expires_at INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX task_tokens_by_maker ON task_tokens (maker_account);
          """)
    }
  }

  /// A token as it stands in the table.
  struct Stored: Sendable {
    let task: ID<SharedTask>
    let maker: AccountID
    let selector: String
    let nonce: [UInt8]
    let expiresAt: Instant
  }

  /// A task's token as its participants see it.
  static func state(
    of task: ID<SharedTask>, _ keys: TaskTokenKeys, at now: Instant, in database: Database
  ) throws -> TaskTokenState {
    guard let stored = try find("task_id = ?", task, in: database) else { return TaskTokenState(token: nil, expiresAt: nil) }
    guard now < stored.expiresAt else { return TaskTokenState(token: nil, expiresAt: stored.expiresAt) }
    let token = TaskToken(selector: stored.selector, secret: try keys.secret(of: task, nonce: stored.nonce))
    return TaskTokenState(token: token, expiresAt: stored.expiresAt)
  }

  /// Replaces a task's token by a new one.
  static func renew(_ task: ID<SharedTask>, by account: AccountID, _ transaction: Transaction) throws {
    var random = SystemRandomNumberGenerator()
    func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) } }
    let statement = try transaction.database.cachedStatement(
      sql: """
        INSERT INTO task_tokens (task_id, maker_account, selector, nonce, expires_at) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (task_id) DO UPDATE SET maker_account = excluded.maker_account, selector = excluded.selector,
          nonce = excluded.nonce, expires_at = excluded.expires_at
        """)
    try statement.execute(arguments: [
      task, account, TaskTokenKeys.text(bytes(TaskToken.selectorCount), count: TaskToken.selectorCount), Data(bytes(16)),
      transaction.now.adding(seconds: TaskTokenState.lifeSeconds),
    ])
  }

  /// Ends a task's token, as when somebody who may know it takes part no more.
  static func end(_ task: ID<SharedTask>, _ transaction: Transaction) throws {
    try transaction.database.run("DELETE FROM task_tokens WHERE task_id = ?", .id(task))
  }

  /// The token that somebody typed.
  ///
  /// - Throws: `task_token_invalid`, `task_token_expired`.
  static func redeem(_ text: String, _ keys: TaskTokenKeys, at now: Instant, in database: Database) throws -> Stored {
    let token: TaskToken
    do throws(FieldRule) { token = try TaskToken(text: text) } catch { throw TaskTokenFailure.invalid }
    guard let stored = try find("selector = ?", token.selector, in: database),
      TaskTokenKeys.isSame(try keys.secret(of: stored.task, nonce: stored.nonce), token.secret)
    else { throw TaskTokenFailure.invalid }
    guard now < stored.expiresAt else { throw TaskTokenFailure.expired }
    return stored
  }

  private static func find(
    _ condition: String, _ value: some DatabaseValueConvertible, in database: Database
  ) throws -> Stored? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT * FROM task_tokens t
        WHERE \(condition) AND NOT EXISTS (SELECT 1 FROM erasures e WHERE e.account_id = t.maker_account)
        """)
    return try Row.fetchOne(statement, arguments: [value]).map { row in
      Stored(
        task: row["task_id"], maker: row["maker_account"], selector: row["selector"], nonce: Array(row["nonce"] as Data),
        expiresAt: row["expires_at"])
    }
  }
}
