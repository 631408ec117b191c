public import GRDB
import Operations
import ServiceKit
public import SocialContract
import Storage

extension TaskName: DatabaseValueConvertible {}
extension TaskDescription: DatabaseValueConvertible {}
extension TaskState: DatabaseValueConvertible {}

/// The tasks of all accounts. What becomes of one is decided in one function, ``settle(_:by:left:_:)``, whatever its participants do.
enum TaskStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "tasks") { database in
      try database.execute(
        sql: schema + TaskParticipantStore.schema + TaskSpaceStore.schema
          + TaskSpaceStore.triggers(on: "tasks", by: "creator_account", of: ["name", "description"]))
    }
  }

  private static let schema = """
    CREATE TABLE tasks (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      task_id BLOB NOT NULL UNIQUE CHECK (length(task_id) = 16),
      -- NULL once who made it was deleted
      creator_account BLOB CHECK (length(creator_account) = 16),
      name TEXT NOT NULL CHECK (name <> ''),
      description TEXT CHECK (description <> ''),
      due_day INTEGER,
      state TEXT NOT NULL CHECK (state IN ('open', 'completed', 'cancelled')),
      participant_count INTEGER NOT NULL CHECK (participant_count BETWEEN 0 AND 50),
      confirmed_count INTEGER NOT NULL CHECK (confirmed_count BETWEEN 0 AND participant_count),
      created_at INTEGER NOT NULL,
      completed_at INTEGER,
      cancelled_at INTEGER,
      changed_at INTEGER NOT NULL,
      revision INTEGER NOT NULL CHECK (revision >= 1),
      CHECK ((state = 'completed') = (completed_at IS NOT NULL)),
      CHECK ((state = 'cancelled') = (cancelled_at IS NOT NULL)),
      CHECK (state <> 'open' OR confirmed_count < participant_count OR participant_count = 0),
      CHECK (state <> 'completed' OR confirmed_count = participant_count)
    ) STRICT;
    CREATE INDEX tasks_by_creator ON tasks (creator_account, state) WHERE creator_account IS NOT NULL;

    """

  /// A task of the table, without its participants.
  struct Stored: Sendable {
    let id: ID<SharedTask>
    let sequence: Int64
    /// Nil once who made it was deleted.
    let creator: AccountID?
    let text: TaskText
    let state: TaskState
    let participantCount: Int
    let createdAt: Instant

    fileprivate init(_ row: Row) {
      id = row["task_id"]
      sequence = row["sequence"]
      creator = row["creator_account"]
      text = TaskText(name: row["name"], description: row["description"], dueDay: row["due_day"])
      state = row["state"]
      participantCount = row["participant_count"]
      createdAt = row["created_at"]
    }
  }

  /// A task, for any caller.
  static func find(_ id: ID<SharedTask>, in database: Database) throws -> Stored? {
    try Row.fetchOne(database.cachedStatement(sql: "SELECT * FROM tasks WHERE task_id = ?"), arguments: [id]).map(Stored.init)
  }

  /// A task in which the account takes part; nil for others, for whom it does not exist.
  static func findOptional(
    _ id: ID<SharedTask>, for account: AccountID, in database: Database
  ) throws -> (task: Stored, participant: TaskParticipant.Stored)? {
    let statement = try database.cachedStatement(sql: "SELECT * FROM tasks WHERE task_id = ?")
    guard let participant = try TaskParticipantStore.find(id, account, in: database),
      let row = try Row.fetchOne(statement, arguments: [id])
    else { return nil }
    return (Stored(row), participant)
  }

  /// The same.
  ///
  /// - Throws: `not_found`.
  static func find(
    _ id: ID<SharedTask>, for account: AccountID, in database: Database
  ) throws -> (task: Stored, participant: TaskParticipant.Stored) {
    guard let found = try findOptional(id, for: account, in: database) else { throw Failure(RequestFailure.notFound) }
    return found
  }

  /// A task for which the account answers.
  ///
  /// - Throws: `forbidden` where it takes part in another's.
  static func find(_ id: ID<SharedTask>, answeredForBy account: AccountID, in database: Database) throws -> Stored {
    let task = try find(id, for: account, in: database).task
    guard try responsible(for: task, in: database) == account else { throw Failure(RequestFailure.forbidden) }
    return task
  }

  /// How many that the account made are open.
  static func countOpen(by account: AccountID, in database: Database) throws -> Int {
    try database.first("SELECT count(*) FROM tasks WHERE creator_account = ? AND state = 'open'", .id(account)) {
      $0.number(0)
    } ?? 0
  }

  /// Stores a new task, enrols its creator and the others, sends the origin's notice, and publishes the task.
  static func add(
    _ text: TaskText, by account: AccountID, with others: [AccountID], as origin: TaskOrigin = TaskOrigin(),
    _ transaction: Transaction
  ) throws -> ID<SharedTask> {
    let (id, database) = (ID<SharedTask>(), transaction.database)
    let statement = try database.cachedStatement(
      sql: """
        INSERT INTO tasks (task_id, creator_account, name, description, due_day, state, participant_count, confirmed_count,
          created_at, changed_at, revision, series_id, series_day, team_id)
        VALUES (?1, ?2, ?3, ?4, ?5, 'open', 1, 0, ?6, ?6, 1, ?7, ?8, ?9)
        """)
    try statement.execute(arguments: [
      id, account, text.name, text.description, text.dueDay, transaction.now, origin.series, origin.day, origin.team,
    ])
    let sequence = database.lastInsertedRowID
    try TaskParticipantStore.add([account], to: id, sequence, by: nil, transaction)
    try TaskParticipantStore.add(others, to: id, sequence, by: account, transaction)
    if let notice = origin.notice {
      let isRecurring = notice == .recurred
      for person in isRecurring ? [account] + others : others {
        try notify(person, of: notice, id, text.name, by: isRecurring ? nil : account, transaction)
      }
    }
    try RegisterStore.append(.taskCreated(id, text, by: account, with: others), transaction)
    try settle(id, transaction)
    return id
  }

  /// Enrols others in a task, notifies each of them, and publishes it.
  static func enrol(
    _ others: [AccountID], in id: ID<SharedTask>, _ sequence: Int64, _ name: TaskName, by account: AccountID,
    _ transaction: Transaction
  ) throws {
    try TaskParticipantStore.add(others, to: id, sequence, by: account, transaction)
    for other in others { try notify(other, of: .enrolled, id, name, by: account, transaction) }
    try settle(id, transaction)
  }

  /// Gives a task another text and publishes it.
  static func edit(_ id: ID<SharedTask>, _ text: TaskText, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: """
        UPDATE tasks SET name = ?1, description = ?2, due_day = ?3,
          removed_by = iif(name = ?1 AND description IS ?2, removed_by, NULL)
        WHERE task_id = ?4
        """
    ).execute(arguments: [text.name, text.description, text.dueDay, id])
    try settle(id, transaction)
  }

  /// Cancels an open task, ends its token, notifies the others, and publishes it.
  ///
  /// - Parameter account: the account that cancels it; nil for a missed occurrence after further ones have come: nobody is notified of
  ///   that.
  static func cancel(_ task: Stored, by account: AccountID? = nil, _ transaction: Transaction) throws {
    let database = transaction.database
    try database.cachedStatement(sql: "UPDATE tasks SET state = 'cancelled', cancelled_at = ? WHERE task_id = ?")
      .execute(arguments: [transaction.now, task.id])
    try TaskParticipantStore.setState(.cancelled, of: task.id, in: database)
    try TaskTokenStore.end(task.id, transaction)
    if let account {
      for other in try TaskParticipantStore.accounts(of: task.id, in: database) where other != account {
        try notify(other, of: .cancelled, task.id, task.text.name, by: account, transaction)
      }
    }
    try settle(task.id, transaction)
  }

  /// Counts a task's participants and confirmations, completes it if all have confirmed, and publishes it for each of them. Every change of
  /// a task must call this, in its transaction. A task without any participant is deleted.
  ///
  /// - Parameters:
  ///   - account: the account whose action may complete the task, and which is not notified of that.
  ///   - left: the account that this change has ended the participation of.
  static func settle(
    _ id: ID<SharedTask>, by account: AccountID? = nil, left: AccountID? = nil, _ transaction: Transaction
  ) throws {
    let database = transaction.database
    let (participants, confirmed) = try TaskParticipantStore.counts(of: id, in: database)
    let statement = try database.cachedStatement(
      sql: """
        UPDATE tasks SET participant_count = :participants, confirmed_count = :confirmed,
          state = iif(state = 'open' AND :isCompleted, 'completed', state),
          completed_at = iif(state = 'open' AND :isCompleted, :now, completed_at),
          changed_at = :now, revision = max(revision + 1, :now)
        WHERE task_id = :task RETURNING state, name, revision
        """)
    let row = try Row.fetchOne(
      statement,
      arguments: [
        "participants": participants, "confirmed": confirmed, "now": transaction.now, "task": id,
        "isCompleted": TaskRules.isCompleted(participants: participants, confirmed: confirmed),
      ])
    guard let row else { return }
    if row["state"] == TaskState.completed, try TaskParticipantStore.setState(.completed, of: id, in: database) {
      for other in try TaskParticipantStore.accounts(of: id, in: database) where other != account {
        try RegisterNoticeStore.notify(other, id, row["name"], transaction)
      }
    }
    if row["state"] != TaskState.open { try TaskHelpStore.close(in: id, transaction) }
    if let left {
      try TaskHelpStore.close(of: left, in: id, transaction)
      try TaskParticipantStore.noteLeft(id, left, revision: row["revision"], in: database)
    }
    try publish(id, for: left, transaction)
    guard participants == 0 else { return }
    // It is settled once more for each of those who left it with its team, see `TeamLeaveStore`.
    try database.run(
      "DELETE FROM tasks WHERE task_id = ?1 AND NOT EXISTS (SELECT 1 FROM team_task_leavers WHERE task_id = ?1)", .id(id))
  }
}

// MARK: - Events

extension TaskStore {
  /// Lets an account be notified of something, unless it was deleted, or of the same task too often within a day.
  static func notify(
    _ account: AccountID, of notice: TaskNotice, _ id: ID<SharedTask>, _ name: TaskName, part: TaskName? = nil,
    by other: AccountID?, _ transaction: Transaction
  ) throws {
    guard try !transaction.database.isErased(account) else { return }
    switch notice {
    case .completed, .cancelled, .recurred: break
    case .enrolled, .removed, .optedOut, .partAssigned:
      guard try TaskNoticeStore.count(for: account, in: .task(id), transaction) else { return }
    }
    let username = try other.map { try Accounts.known($0, in: transaction.database).username }
    try transaction.publish(
      TaskNoticeCreated(
        noticeID: ID(), accountID: account, taskID: id, taskName: name, notice: notice, partTitle: part, byAccountID: other,
        byUsername: username,
        at: transaction.now))
  }

  /// The columns of which events are made.
  private static let events = """
    SELECT p.account_id, p.state AS participation, p.confirmed_at, coalesce(p.left_revision, t.revision) AS revision,
      t.task_id, t.sequence, t.name, t.state, t.participant_count, t.confirmed_count, t.changed_at
    FROM task_participants p JOIN tasks t ON t.task_id = p.task_id
    """

  /// Publishes the current task for each participant, and for one that has just left it.
  private static func publish(_ id: ID<SharedTask>, for left: AccountID?, _ transaction: Transaction) throws {
    let statement = try transaction.database.cachedStatement(
      sql: "\(events) WHERE p.task_id = ?1 AND (p.state <> 'left' OR p.account_id = ?2)")
    for row in try Row.fetchAll(statement, arguments: [id, left]) {
      let account: AccountID = row["account_id"]
      if try !transaction.database.isErased(account) { try transaction.publish(TaskChanged(row)) }
    }
  }

  /// All tasks as events for each who takes part or did, after the key `<task>/<account>`; see `SnapshotParts`.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let pieces = key?.split(at: "/").map(String.init) ?? []
    let rows = try Row.fetchAll(
      database, sql: "\(events) WHERE (p.task_id, p.account_id) > (?, ?) ORDER BY p.task_id, p.account_id LIMIT ?",
      arguments: [
        try pieces.first.map { try ID<SharedTask>(text: $0) } ?? .placeholder,
        try pieces.last.map { try AccountID(text: $0) } ?? .placeholder, SnapshotParts.pageSize,
      ])
    return SnapshotParts.page(rows.map(TaskChanged.init), of: rows) { row in
      "\(row["task_id"] as ID<SharedTask>)/\(row["account_id"] as AccountID)"
    }
  }
}

extension TaskChanged {
  fileprivate init(_ row: Row) {
    self.init(
      accountID: row["account_id"], taskID: row["task_id"], name: row["name"], state: row["state"],
      isParticipant: row["participation"] as String != "left", isConfirmed: row["confirmed_at"] != nil,
      participantCount: row["participant_count"], confirmedCount: row["confirmed_count"], revision: row["revision"],
      at: row["changed_at"])
  }
}
