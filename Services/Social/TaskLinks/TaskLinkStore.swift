import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The public links to completed tasks: one at most of each participant to each task.
///
/// A link opens nothing for as long as its task is not completed, its owner takes no part in it, or the owner is suspended.
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

  /// An account's link to a task; nil where there is none.
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

  /// Keeps what an account's link to a task shows; the link is made where there is none.
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
  private static let own = "SELECT l.*, t.name FROM task_links l JOIN tasks t ON t.task_id = l.task_id WHERE l.account_id = ?"

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

  /// Lets a link of an account open nothing any more.
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
    WHERE t.state = 'completed' AND \(Accounts.isShown("a", at: ":now"))
      AND NOT EXISTS (SELECT 1 FROM erasures e WHERE e.account_id = l.account_id)
    """

  /// What a link opens; nil where it opens nothing.
  static func publicTask(_ link: ID<TaskLink>, at now: Instant, in database: Database) throws -> PublicTask? {
    let statement = try database.cachedStatement(sql: "\(open) AND l.link_id = :link")
    return try Row.fetchOne(statement, arguments: ["link": link, "now": now]).map(PublicTask.init)
  }

  /// The SQL of what a public profile lists.
  static let profileSQL = "\(open) AND l.account_id = :account ORDER BY l.sequence DESC LIMIT :limit"

  /// The tasks to which an account has links that open something, the newest links first.
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
      showsDescription: row["shows_description"], showsOwner: row["shows_owner"], createdAt: row["created_at"])
  }
}

extension PublicTask {
  fileprivate init(_ row: Row) {
    let showsOwner: Bool = row["shows_owner"]
    // Its creator alone publishes what was to be done.
    let showsDescription = row["shows_description"] as Bool && (row["is_creator"] as Bool? ?? false)
    self.init(
      name: row["name"], description: showsDescription ? row["description"] : nil, completedAt: row["completed_at"],
      otherParticipantCount: max(0, row["participant_count"] as Int - 1), username: showsOwner ? row["username"] : nil,
      nickname: showsOwner ? row["nickname"] : nil)
  }
}
