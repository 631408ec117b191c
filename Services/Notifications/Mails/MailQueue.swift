import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

extension MailQueue.End: DatabaseValueConvertible {}

/// Marks ids of mails.
enum Mail {}

/// The mails to be sent and those that were: a row names the link that the mail is about and holds no secret.
///
/// A row is `waiting`, `sending` while a lane has it, then `delivered`, `obsolete` (the link no longer works) or `dead` (given up).
enum MailQueue {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "mails") { database in
      try database.execute(
        sql: """
          CREATE TABLE mails (
            mail_id BLOB NOT NULL PRIMARY KEY CHECK (length(mail_id) = 16),
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            -- One mail for each verification link, however often it is asked for.
            link_id BLOB NOT NULL UNIQUE CHECK (length(link_id) = 16),
            state TEXT NOT NULL CHECK (state IN ('waiting', 'sending', 'delivered', 'obsolete', 'dead')),
            attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
            next_at INTEGER NOT NULL,
            failure TEXT,
            created_at INTEGER NOT NULL,
            finished_at INTEGER,
            CHECK ((state IN ('waiting', 'sending')) = (finished_at IS NULL))
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX mails_due ON mails (next_at) WHERE state = 'waiting';
          """)
    }
  }

  /// A mail that a lane has taken on.
  struct Job: Hashable, Sendable {
    let id: ID<Mail>
    let linkID: VerificationLinkID
    let createdAt: Instant
    /// Which attempt this is, from 1 on.
    let attempt: Int
  }

  /// How a mail ended.
  enum End: String, Choice { case delivered, obsolete, dead }

  /// Adds the mail of a link; a link that has one already gets no second.
  static func add(_ link: VerificationLinkID, of account: AccountID, _ transaction: Transaction) throws {
    let statement = try transaction.database.cachedStatement(
      sql: """
        INSERT INTO mails (mail_id, account_id, link_id, state, next_at, created_at) VALUES (?, ?, ?, 'waiting', ?, ?)
        ON CONFLICT (link_id) DO NOTHING
        """)
    try statement.execute(arguments: [ID<Mail>(), account, link, transaction.now, transaction.now])
  }

  /// Takes on the mails that are due, oldest first. The attempt counts from here on, so that a mail which ends the program each
  /// time is given up too.
  static func claim(atMost count: Int, mostAttempts: Int, _ transaction: Transaction) throws -> [Job] {
    let worn = try transaction.database.cachedStatement(
      sql: """
        UPDATE mails SET state = 'dead', finished_at = :now WHERE state = 'waiting' AND next_at <= :now AND attempts >= :most
        """)
    try worn.execute(arguments: ["now": transaction.now, "most": mostAttempts])
    let statement = try transaction.database.cachedStatement(
      sql: """
        UPDATE mails SET state = 'sending', attempts = attempts + 1 WHERE mail_id IN (
          SELECT mail_id FROM mails WHERE state = 'waiting' AND next_at <= ? ORDER BY next_at, mail_id LIMIT ?)
        RETURNING mail_id, link_id, created_at, attempts
        """)
    return try Row.fetchAll(statement, arguments: [transaction.now, count]).map {
      Job(id: $0["mail_id"], linkID: $0["link_id"], createdAt: $0["created_at"], attempt: $0["attempts"])
    }
  }

  /// When the next waiting mail is due.
  static func nextDue(in database: Database) throws -> Instant? {
    try Instant.fetchOne(database.cachedStatement(sql: "SELECT min(next_at) FROM mails WHERE state = 'waiting'"))
  }

  /// Notes a mail's end.
  static func finish(_ mail: ID<Mail>, _ end: End, _ failure: MailFailure?, _ transaction: Transaction) throws {
    let statement = try transaction.database.cachedStatement(
      sql: "UPDATE mails SET state = ?, failure = ?, finished_at = ? WHERE mail_id = ? AND state = 'sending'")
    try statement.execute(arguments: [end, failure?.code, transaction.now, mail])
  }

  /// Puts a mail back, to be tried again later.
  static func postpone(
    _ mail: ID<Mail>, byMilliseconds delay: Int64, _ failure: MailFailure, _ transaction: Transaction
  ) throws {
    let statement = try transaction.database.cachedStatement(
      sql: "UPDATE mails SET state = 'waiting', failure = ?, next_at = ? WHERE mail_id = ? AND state = 'sending'")
    try statement.execute(arguments: [failure.code, transaction.now.adding(milliseconds: delay), mail])
  }

  /// Puts back what was being sent when the program ended: whether it arrived is unknown, so it is sent again, under the same id.
  static func recover(_ transaction: Transaction) throws {
    let statement = try transaction.database.cachedStatement(
      sql: "UPDATE mails SET state = 'waiting', failure = ?, next_at = ? WHERE state = 'sending'")
    try statement.execute(arguments: [MailFailure.interrupted.code, transaction.now])
  }
}
