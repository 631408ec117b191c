public import GRDB
import IdentityContract
public import NotificationsContract
import Operations
import ServiceKit
import Storage

extension BroadcastState: DatabaseValueConvertible {}

/// The broadcasts, and how far each has come.
enum BroadcastStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "broadcasts") { database in
      try database.execute(
        sql: """
          CREATE TABLE broadcasts (
            broadcast_id BLOB NOT NULL PRIMARY KEY CHECK (length(broadcast_id) = 16),
            message TEXT NOT NULL CHECK (json_valid(message)),
            per_minute INTEGER NOT NULL CHECK (per_minute > 0),
            state TEXT NOT NULL CHECK (state IN ('sending', 'done', 'cancelled')),
            -- Up to which account it has gone.
            last_account BLOB,
            sent_count INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER NOT NULL,
            finished_at INTEGER,
            CHECK ((state = 'sending') = (finished_at IS NULL))
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX broadcasts_sending ON broadcasts (broadcast_id) WHERE state = 'sending';
          CREATE INDEX broadcasts_by_last_account ON broadcasts (last_account) WHERE last_account IS NOT NULL;
          """)
    }
  }

  /// Idle accounts are listed in the order of the days on which they were last used. Broadcasts to them that are being sent went by another
  /// order, and begin anew: who has one gets no other.
  static func dayMigration(_ number: Int) -> Migration {
    Migration(number, "days of broadcasts to idle accounts") { database in
      try database.execute(
        sql: """
          -- When the last account was last used, if the broadcast goes to idle accounts.
          ALTER TABLE broadcasts ADD COLUMN last_day INTEGER;
          UPDATE broadcasts SET last_account = NULL, sent_count = 0
            WHERE state = 'sending' AND json_extract(message, '$.idleDays') IS NOT NULL;
          """)
    }
  }

  /// A broadcast that is being sent.
  struct Job: Sendable {
    let broadcast: Broadcast
    let lastAccount: AccountID?
    /// The account's day in the order of idle accounts.
    let lastDay: LocalDay?

    /// The recipients. Inactivity is counted back from the time of the order.
    var audience: Audience { broadcast.message.audience(at: broadcast.createdAt) }
  }

  static func add(_ message: BroadcastMessage, perMinute: Int, _ transaction: Transaction) throws -> Broadcast {
    let broadcast = Broadcast(
      id: ID(), message: message, perMinute: perMinute, state: .sending, sentCount: 0, createdAt: transaction.now,
      finishedAt: nil)
    try transaction.database.execute(
      sql: "INSERT INTO broadcasts (broadcast_id, message, per_minute, state, created_at) VALUES (?, ?, ?, 'sending', ?)",
      arguments: [broadcast.id, String(decoding: message.json, as: UTF8.self), perMinute, transaction.now])
    return broadcast
  }

  static func find(_ id: ID<BroadcastMark>, in database: Database) throws -> Broadcast? {
    try Row.fetchOne(database, sql: "SELECT * FROM broadcasts WHERE broadcast_id = ?", arguments: [id]).map(Broadcast.init)
  }

  /// Those behind `before` in the order of falling ids.
  static func list(before: ID<BroadcastMark>?, limit: Int, in database: Database) throws -> [Row] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT * FROM broadcasts WHERE broadcast_id < :before ORDER BY broadcast_id DESC LIMIT :limit
        """, arguments: ["before": before ?? .last, "limit": limit])
  }

  /// The oldest that is being sent.
  static func next(in database: Database) throws -> Job? {
    try Row.fetchOne(database, sql: "SELECT * FROM broadcasts WHERE state = 'sending' ORDER BY broadcast_id LIMIT 1").map {
      Job(broadcast: try Broadcast($0), lastAccount: $0["last_account"], lastDay: $0["last_day"])
    }
  }

  /// Notes a broadcast's progress; false where it was cancelled, or has progressed further.
  ///
  /// - Parameter day: the account's in the order of idle accounts.
  static func advance(
    _ job: Job, to account: AccountID, of day: LocalDay?, by count: Int, _ transaction: Transaction
  ) throws -> Bool {
    try transaction.database.execute(
      sql: """
        UPDATE broadcasts SET last_account = ?, last_day = ?, sent_count = sent_count + ?
        WHERE broadcast_id = ? AND state = 'sending' AND last_account IS ?
        """, arguments: [account, day, count, job.broadcast.id, job.lastAccount])
    return transaction.database.changesCount > 0
  }

  static func finish(_ id: ID<BroadcastMark>, _ state: BroadcastState, _ transaction: Transaction) throws {
    try transaction.database.execute(
      sql: """
        UPDATE broadcasts SET state = ?, finished_at = ?, last_account = NULL, last_day = NULL
        WHERE broadcast_id = ? AND state = 'sending'
        """, arguments: [state, transaction.now, id])
  }
}

extension Broadcast {
  init(_ row: Row) throws {
    self.init(
      id: row["broadcast_id"], message: try .decode(Array((row["message"] as String).utf8)), perMinute: row["per_minute"],
      state: row["state"], sentCount: row["sent_count"], createdAt: row["created_at"], finishedAt: row["finished_at"])
  }
}

extension BroadcastMessage {
  /// The recipients at that time, from which inactivity is counted back.
  func audience(at now: Instant) -> Audience {
    Audience(language: language, idleSince: idleDays.map { now.adding(seconds: -$0 * 86_400) })
  }

  /// What a reader of a language gets.
  func words(_ language: Language) -> (title: String, text: String) {
    language == .spanish ? (spanishTitle ?? title, spanishText ?? text) : (title, text)
  }

  /// The notification that it makes of itself for an account.
  ///
  /// - Parameter id: of the broadcast: an account gets it once.
  func draft(_ id: ID<BroadcastMark>, for account: AccountID, _ language: Language) -> NotificationDraft {
    let words = words(language)
    return NotificationDraft(
      accountID: account, subject: ID(linking: id),
      inbox: InboxItem(
        kind: "announcement",
        content: NotificationContent(
          parameters: ["title": .text(words.title), "text": .text(words.text)], links: NotificationLinks()),
        source: "broadcasts/\(id)", accounts: []),
      mail: nil)
  }
}
