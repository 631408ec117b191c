import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The participants of tasks. One that has left keeps its row, so that a subscriber that starts from the snapshot learns of it.
enum TaskParticipantStore {
  static let schema = """
    CREATE TABLE task_participants (
      task_id BLOB NOT NULL REFERENCES tasks (task_id) ON DELETE CASCADE,
      account_id BLOB NOT NULL CHECK (length(account_id) = 16),
      -- the task's, in the order of which an account's tasks are listed
      task_sequence INTEGER NOT NULL,
      -- the task's; 'left' where the account takes part no more
      state TEXT NOT NULL CHECK (state IN ('open', 'completed', 'cancelled', 'left')),
      -- NULL for who made the task, and once who enrolled was deleted
      enrolled_by BLOB CHECK (length(enrolled_by) = 16),
      enrolled_at INTEGER NOT NULL,
      confirmed_at INTEGER,
      -- the task's when the account left
      left_revision INTEGER,
      -- whether it left by itself: then nobody enrols it anew
      has_opted_out INTEGER NOT NULL DEFAULT 0 CHECK (has_opted_out IN (0, 1)),
      PRIMARY KEY (task_id, account_id),
      CHECK (state = 'left' OR left_revision IS NULL),
      CHECK (state <> 'left' OR confirmed_at IS NULL),
      CHECK (state = 'left' OR has_opted_out = 0)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX task_participants_listed ON task_participants (account_id, state, task_sequence);
    CREATE INDEX task_participants_by_enroller ON task_participants (enrolled_by) WHERE enrolled_by IS NOT NULL;

    """

  /// A participant removed by the account responsible for the task cannot rejoin by itself.
  static func removalMigration(_ number: Int) -> Migration {
    Migration(number, "who was removed from tasks") { database in
      try database.execute(
        sql: """
          ALTER TABLE task_participants ADD COLUMN was_removed INTEGER NOT NULL DEFAULT 0 CHECK (was_removed IN (0, 1));
          """)
    }
  }

  /// The account's participation; nil if there is none, or it has left.
  static func find(_ task: ID<SharedTask>, _ account: AccountID, in database: Database) throws -> TaskParticipant.Stored? {
    let statement = try database.cachedStatement(
      sql: "SELECT * FROM task_participants WHERE task_id = ? AND account_id = ? AND state <> 'left'")
    guard try !database.isErased(account) else { return nil }
    return try Row.fetchOne(statement, arguments: [task, account]).map(TaskParticipant.Stored.init)
  }

  /// The participants, without deleted accounts.
  static func accounts(of task: ID<SharedTask>, in database: Database) throws -> [AccountID] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT account_id FROM task_participants WHERE task_id = ? AND state <> 'left' AND \(isThere("task_participants"))
        """)
    return try AccountID.fetchAll(statement, arguments: [task])
  }

  /// The participants who have confirmed.
  static func confirmedAccounts(of task: ID<SharedTask>, in database: Database) throws -> [AccountID] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT account_id FROM task_participants
        WHERE task_id = ? AND state <> 'left' AND confirmed_at IS NOT NULL AND \(isThere("task_participants"))
        """)
    return try AccountID.fetchAll(statement, arguments: [task])
  }

  /// Whether the account of a row still exists, in SQL: the rest of a deleted account's data is shown to nobody.
  private static func isThere(_ table: String) -> String {
    "NOT EXISTS (SELECT 1 FROM erasures WHERE erasures.account_id = \(table).account_id)"
  }

  /// How many take part, and how many of them have confirmed.
  static func counts(of task: ID<SharedTask>, in database: Database) throws -> (participants: Int, confirmed: Int) {
    try database.first(
      "SELECT count(*), count(confirmed_at) FROM task_participants WHERE task_id = ? AND state <> 'left'", .id(task)
    ) { ($0.number(0), $0.number(1)) } ?? (0, 0)
  }

  /// Enrols accounts in an open task, also those who had been removed from it.
  static func add(
    _ accounts: [AccountID], to task: ID<SharedTask>, _ sequence: Int64, by enroller: AccountID?, _ transaction: Transaction
  ) throws {
    let statement = try transaction.database.cachedStatement(
      sql: """
        INSERT INTO task_participants (task_id, account_id, task_sequence, state, enrolled_by, enrolled_at)
        VALUES (?, ?, ?, 'open', ?, ?)
        ON CONFLICT (task_id, account_id) DO UPDATE
        SET state = 'open', enrolled_by = excluded.enrolled_by, enrolled_at = excluded.enrolled_at, left_revision = NULL,
          has_opted_out = 0, was_removed = 0
        """)
    for account in accounts { try statement.execute(arguments: [task, account, sequence, enroller, transaction.now]) }
  }

  /// Sets the rows of the participants to the task's state; false where they have it already.
  @discardableResult
  static func setState(_ state: TaskState, of task: ID<SharedTask>, in database: Database) throws -> Bool {
    try database.run(
      "UPDATE task_participants SET state = ?2 WHERE task_id = ?1 AND state NOT IN ('left', ?2)", .id(task),
      .text(state.rawValue))
    return database.changesCount > 0
  }

  /// Records a participant's confirmation; nil withdraws it.
  static func setConfirmed(
    _ instant: Instant?, of account: AccountID, in task: ID<SharedTask>, _ database: Database
  ) throws {
    try database.run(
      "UPDATE task_participants SET confirmed_at = ?3 WHERE task_id = ?1 AND account_id = ?2", .id(task), .id(account),
      instant.map { Bound.instant($0) } ?? .null)
  }

  /// Ends an account's participation. The task is completed if all others have confirmed. The account's parts become unassigned, and the
  /// task's token ends, since the account may know it.
  ///
  /// If a single participant is left, the completions no longer count for teams.
  ///
  /// - Parameters:
  ///   - actor: the account that did it, and so is not notified; nil where the account was deleted.
  ///   - isRemoval: whether another account removes it from this very task: it cannot rejoin by itself then.
  static func leave(
    _ task: ID<SharedTask>, _ account: AccountID, by actor: AccountID?, isRemoval: Bool = false, _ transaction: Transaction
  ) throws {
    try end(task, account, by: actor, isRemoval: isRemoval, transaction)
    try TaskStore.settle(task, by: actor, left: account, transaction)
  }

  /// The same, but the task is still to be settled then: until that, `left_revision` is NULL.
  static func end(
    _ task: ID<SharedTask>, _ account: AccountID, by actor: AccountID?, isRemoval: Bool = false, _ transaction: Transaction
  ) throws {
    try transaction.database.run(
      """
      UPDATE task_participants SET state = 'left', confirmed_at = NULL, has_opted_out = ?3, was_removed = ?4
      WHERE task_id = ?1 AND account_id = ?2
      """, .id(task), .id(account), .truth(actor == account), .truth(isRemoval))
    try TaskPartStore.unassign(account, in: task, transaction)
    try TaskTokenStore.end(task, transaction)
    // Deleting an account does not change the points.
    if actor != nil { try TeamScoreStore.recount(task, transaction) }
  }

  /// Whether the account has left the task by itself.
  static func hasOptedOut(_ account: AccountID, of task: ID<SharedTask>, in database: Database) throws -> Bool {
    try database.first(
      "SELECT has_opted_out FROM task_participants WHERE task_id = ? AND account_id = ?", .id(task), .id(account)
    ) { $0.truth(0) } ?? false
  }

  /// Whether the account was removed from the task.
  static func wasRemoved(_ account: AccountID, from task: ID<SharedTask>, in database: Database) throws -> Bool {
    try database.first(
      "SELECT was_removed FROM task_participants WHERE task_id = ? AND account_id = ?", .id(task), .id(account)
    ) { $0.truth(0) } ?? false
  }

  /// Records the revision by which a participant's leaving was published.
  static func noteLeft(_ task: ID<SharedTask>, _ account: AccountID, revision: Int, in database: Database) throws {
    try database.run(
      "UPDATE task_participants SET left_revision = ?3 WHERE task_id = ?1 AND account_id = ?2", .id(task), .id(account),
      .number(revision))
  }

  /// Ends the participation of an account that is deleted, in at most `limit` tasks; see `ErasedTable.Preparation`.
  @Sendable
  static func leaveAll(_ account: AccountID, limit: Int, _ transaction: Transaction) throws -> Int {
    let statement = try transaction.database.cachedStatement(
      sql: """
        SELECT task_id FROM task_participants WHERE account_id = ?1 AND state IN ('open', 'completed', 'cancelled') LIMIT ?2
        """)
    let tasks = try ID<SharedTask>.fetchAll(statement, arguments: [account, limit])
    for task in tasks { try leave(task, account, by: nil, transaction) }
    return tasks.count
  }
}

extension TaskParticipantStore {
  /// The participants as one of them sees them, in the order in which they were enrolled.
  static func list(of task: ID<SharedTask>, for account: AccountID, in database: Database) throws -> [TaskParticipant] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT p.account_id, p.enrolled_at, p.confirmed_at, t.creator_account = p.account_id AS is_creator,
          \(ShownPersonStore.columns(for: ":account"))
        FROM task_participants p JOIN tasks t ON t.task_id = p.task_id JOIN accounts a ON a.account_id = p.account_id
        WHERE p.task_id = :task AND p.state <> 'left' AND \(isThere("p"))
        ORDER BY is_creator DESC, p.enrolled_at, username
        """)
    return try Row.fetchAll(statement, arguments: ["task": task, "account": account]).compactMap(TaskParticipant.init)
  }
}

extension TaskParticipant {
  /// A participation of the table.
  struct Stored: Sendable {
    let task: ID<SharedTask>
    let account: AccountID
    /// Nil for the task's creator, and where the account that enrolled it was deleted.
    let enrolledBy: AccountID?
    let confirmedAt: Instant?

    fileprivate init(_ row: Row) {
      task = row["task_id"]
      account = row["account_id"]
      enrolledBy = row["enrolled_by"]
      confirmedAt = row["confirmed_at"]
    }
  }

  fileprivate init?(_ row: Row) {
    guard let person = TaskPerson(row, "account_id") else { return nil }
    self.init(
      person: person, isCreator: row["is_creator"] as Bool? ?? false, enrolledAt: row["enrolled_at"],
      confirmedAt: row["confirmed_at"])
  }
}
