import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The public links to completed tasks: at most one for each participant of each task.
///
/// A link does not work while its task is not completed, its owner is not a participant, the owner or the task's creator is suspended, or
/// moderators have closed it or all links to its task.
enum TaskLinkStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "public links to tasks") { database in
      try database.execute(
        sql: """
          CREATE TABLE task_links (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            -- What its owner gives away is this id and a keyed hash of it.
            link_id BLOB NOT NULL UNIQUE CHECK (length(link_id) = 16),
            task_id BLOB NOT NULL REFERENCES tasks (task_id) ON DELETE CASCADE,
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            shows_description INTEGER NOT NULL CHECK (shows_description IN (0, 1)),
            shows_owner INTEGER NOT NULL CHECK (shows_owner IN (0, 1)),
            created_at INTEGER NOT NULL,
            UNIQUE (task_id, account_id)
          ) STRICT;
          CREATE INDEX task_links_by_account ON task_links (account_id, sequence);
          """)
    }
  }

  /// Links that moderators closed: one of them, or all to a task.
  static func closingMigration(_ number: Int) -> Migration {
    Migration(number, "public links that moderators closed") { database in
      try database.execute(
        sql: """
          ALTER TABLE task_links ADD COLUMN closed_at INTEGER;
          -- When moderators closed all public links to the task, including future ones.
          ALTER TABLE tasks ADD COLUMN links_closed_at INTEGER;
          """)
    }
  }

  /// Closes a link, until an appeal is granted.
  static func close(_ link: ID<TaskLink>, _ transaction: Transaction) throws {
    try transaction.database.run(
      "UPDATE task_links SET closed_at = ?2 WHERE link_id = ?1 AND closed_at IS NULL", .id(link), .instant(transaction.now))
  }

  /// Opens a link that was closed then.
  static func open(_ link: ID<TaskLink>, closedAt instant: Instant, _ transaction: Transaction) throws {
    try transaction.database.run(
      "UPDATE task_links SET closed_at = NULL WHERE link_id = ? AND closed_at = ?", .id(link), .instant(instant))
  }

  /// Closes all links to a task, those to come too, until an appeal is granted.
  static func close(to task: ID<SharedTask>, _ transaction: Transaction) throws {
    try transaction.database.run(
      "UPDATE tasks SET links_closed_at = ?2 WHERE task_id = ?1 AND links_closed_at IS NULL", .id(task), .instant(transaction.now)
    )
  }

  /// Opens the links to a task that were closed then.
  static func open(to task: ID<SharedTask>, closedAt instant: Instant, _ transaction: Transaction) throws {
    try transaction.database.run(
      "UPDATE tasks SET links_closed_at = NULL WHERE task_id = ? AND links_closed_at = ?", .id(task), .instant(instant))
  }

  /// Whether moderators have closed an account's link to a task, or all links to it.
  static func isClosed(to task: ID<SharedTask>, of account: AccountID, in database: Database) throws -> Bool {
    try database.first(
      """
      SELECT EXISTS (SELECT 1 FROM tasks WHERE task_id = ?1 AND links_closed_at IS NOT NULL)
        OR EXISTS (SELECT 1 FROM task_links WHERE task_id = ?1 AND account_id = ?2 AND closed_at IS NOT NULL)
      """, .id(task), .id(account)
    ) { $0.truth(0) } ?? false
  }

  /// The owner of a link; nil where there is no such link.
  static func owner(of link: ID<TaskLink>, in database: Database) throws -> AccountID? {
    try AccountID.fetchOne(
      database.cachedStatement(sql: "SELECT account_id FROM task_links WHERE link_id = ?"), arguments: [link])
  }

  /// An account's link to a task; nil where it has none.
  static func find(
    to task: ID<SharedTask>, of account: AccountID, _ keys: TaskLinkKeys, in database: Database
  ) throws -> TaskLink? {
    let statement = try database.cachedStatement(sql: "\(own) AND l.task_id = ?")
    return try Row.fetchOne(statement, arguments: [account, task]).map { try TaskLink($0, keys) }
  }

  /// How many links an account has.
  static func count(of account: AccountID, in database: Database) throws -> Int {
    try database.first("SELECT count(*) FROM task_links WHERE account_id = ?", .id(account)) { $0.number(0) } ?? 0
  }

  /// Stores what an account's link to a task shows; the link is created if there is none.
  static func put(
    to task: ID<SharedTask>, of account: AccountID, showsDescription: Bool, showsOwner: Bool, _ transaction: Transaction
  ) throws {
    let statement = try transaction.database.cachedStatement(
      sql: """
        INSERT INTO task_links (link_id, task_id, account_id, shows_description, shows_owner, created_at) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (task_id, account_id) DO UPDATE
        SET shows_description = excluded.shows_description, shows_owner = excluded.shows_owner
        """)
    try statement.execute(arguments: [ID<TaskLink>(), task, account, showsDescription, showsOwner, transaction.now])
  }

  /// The links of an account, with its tasks' names.
  private static let own = """
    SELECT l.*, t.name, l.closed_at IS NOT NULL OR t.links_closed_at IS NOT NULL AS is_closed
    FROM task_links l JOIN tasks t ON t.task_id = l.task_id WHERE l.account_id = ?
    """

  /// The SQL of a page of an account's links.
  static let listSQL = "\(own) AND l.sequence < ? ORDER BY l.sequence DESC LIMIT ?"

  /// An account's links, newest first.
  static func list(
    of account: AccountID, _ keys: TaskLinkKeys, _ page: PageRequest, in database: Database
  ) throws -> Page<TaskLink> {
    let rows = try Row.fetchAll(
      database.cachedStatement(sql: listSQL), arguments: [account, page.before, page.fetchLimit])
    return try page.page(of: rows, key: { $0["sequence"] as Int64 }) { try TaskLink($0, keys) }
  }

  /// Revokes a link of an account.
  ///
  /// - Returns: whether there was one.
  static func revoke(_ link: ID<TaskLink>, of account: AccountID, _ transaction: Transaction) throws -> Bool {
    try transaction.database.run("DELETE FROM task_links WHERE link_id = ? AND account_id = ?", .id(link), .id(account))
    return transaction.database.changesCount > 0
  }

  // MARK: - What everybody sees

  /// Links that open something, with what they open.
  private static let open = """
    SELECT l.link_id, l.shows_description, l.shows_owner, l.sequence, t.name, t.description, t.completed_at, t.participant_count,
      t.creator_account = l.account_id AS is_creator, a.username, a.nickname
    FROM task_links l JOIN tasks t ON t.task_id = l.task_id
    JOIN task_participants p ON p.task_id = l.task_id AND p.account_id = l.account_id AND p.state = 'completed'
    JOIN accounts a ON a.account_id = l.account_id
    LEFT JOIN accounts c ON c.account_id = t.creator_account
    WHERE t.state = 'completed' AND l.closed_at IS NULL AND t.links_closed_at IS NULL
      AND \(Accounts.isShown("a", at: ":now")) AND \(Accounts.isShown("c", at: ":now"))
      AND NOT EXISTS (SELECT 1 FROM erasures e WHERE e.account_id = l.account_id)
    """

  /// The task of a link; nil where the link does not work.
  static func publicTask(_ link: ID<TaskLink>, at now: Instant, in database: Database) throws -> PublicTask? {
    let statement = try database.cachedStatement(sql: "\(open) AND l.link_id = :link")
    return try Row.fetchOne(statement, arguments: ["link": link, "now": now]).map(PublicTask.init)
  }

  /// The SQL of what a public profile lists.
  static let profileSQL = "\(open) AND l.account_id = :account AND l.shows_owner = 1 ORDER BY l.sequence DESC LIMIT :limit"

  /// The tasks to which an account has links that open something and show whose they are, the newest links first.
  static func shown(
    of account: AccountID, at now: Instant, in database: Database
  ) throws -> [(link: ID<TaskLink>, task: PublicTask)] {
    let statement = try database.cachedStatement(sql: profileSQL)
    return try Row.fetchAll(
      statement, arguments: ["account": account, "now": now, "limit": TaskLinkRules.maxOnProfile]
    ).map { (link: $0["link_id"], task: PublicTask($0)) }
  }
}

extension TaskLink {
  fileprivate init(_ row: Row, _ keys: TaskLinkKeys) throws {
    let id: ID<TaskLink> = row["link_id"]
    self.init(
      id: id, taskID: row["task_id"], taskName: row["name"], key: try keys.text(of: id),
      showsDescription: row["shows_description"], showsOwner: row["shows_owner"], isClosed: row["is_closed"],
      createdAt: row["created_at"])
  }
}

extension PublicTask {
  fileprivate init(_ row: Row) {
    let showsOwner: Bool = row["shows_owner"]
    // Its creator alone publishes what was to be done.
    let showsDescription = row["shows_description"] as Bool && (row["is_creator"] as Bool? ?? false)
    self.init(
      taskLinkID: row["link_id"], name: row["name"], description: showsDescription ? row["description"] : nil,
      completedAt: row["completed_at"],
      otherParticipantCount: max(0, row["participant_count"] as Int - 1), username: showsOwner ? row["username"] : nil,
      nickname: showsOwner ? row["nickname"] : nil)
  }
}
