import GRDB
import NotificationsContract
import Operations
import ServiceKit
import Storage

extension MailStore.End: DatabaseValueConvertible {}

/// The mail queue and the mails sent: a row names the subject of a mail, and contains neither a secret nor an address.
///
/// A row is `waiting`, `sending` while a connection has it, then `delivered`, `obsolete` (there is no longer a reason for it) or `dead`
/// (given up).
///
/// A mail server gets each mail once, unless the program or the connection ends after the mail was handed over: then it gets the same bytes
/// again under the same `Message-ID`. See ``MailFolder`` for mails that are files.
enum MailStore {
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

  /// Mails of more than one kind; those that there were are all verification mails.
  static func kindsMigration(_ number: Int) -> Migration {
    Migration(number, "kinds of mails") { database in
      try database.execute(
        sql: """
          CREATE TABLE mails_of_kinds (
            mail_id BLOB NOT NULL PRIMARY KEY CHECK (length(mail_id) = 16),
            kind TEXT NOT NULL,
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            -- A link, a change of a password: one mail for each, however often it is asked for.
            subject_id BLOB NOT NULL CHECK (length(subject_id) = 16),
            state TEXT NOT NULL CHECK (state IN ('waiting', 'sending', 'delivered', 'obsolete', 'dead')),
            attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
            next_at INTEGER NOT NULL,
            failure TEXT,
            created_at INTEGER NOT NULL,
            finished_at INTEGER,
            UNIQUE (kind, subject_id),
            CHECK ((state IN ('waiting', 'sending')) = (finished_at IS NULL))
          ) STRICT, WITHOUT ROWID;
          INSERT INTO mails_of_kinds
            SELECT mail_id, 'verification', account_id, link_id, state, attempts, next_at, failure, created_at, finished_at FROM mails;
          DROP TABLE mails;
          ALTER TABLE mails_of_kinds RENAME TO mails;
          CREATE INDEX mails_due ON mails (next_at) WHERE state = 'waiting';
          """)
    }
  }

  static func accountMigration(_ number: Int) -> Migration {
    Migration(number, "mails by account") { database in
      try database.execute(sql: "CREATE INDEX mails_by_account ON mails (account_id)")
    }
  }

  static func finishedMigration(_ number: Int) -> Migration {
    Migration(number, "mails by their end") { database in
      try database.execute(
        sql: "CREATE INDEX mails_finished ON mails (state, finished_at) WHERE finished_at IS NOT NULL")
    }
  }

  /// Finding what was being sent when the program ended, without looking at all mails.
  static func sendingMigration(_ number: Int) -> Migration {
    Migration(number, "mails that are being sent") { database in
      try database.execute(sql: "CREATE INDEX mails_sending ON mails (mail_id) WHERE state = 'sending'")
    }
  }

  /// A mail that a connection has taken on.
  struct Job: Hashable, Sendable {
    let id: ID<Mail>
    /// The name of its ``MailSpec``.
    let kind: String
    /// What it is about.
    let subjectID: ID<Linked>
    let account: AccountID
    /// When that happened which the mail is about.
    let createdAt: Instant
    /// Which attempt this is, from 1 on.
    let attempt: Int

    /// The id of what it is about, as the service knows it whose it is.
    func subject<Entity>() -> ID<Entity> {
      guard let id = ID<Entity>(bytes: subjectID.bytes) else { preconditionFailure("ids have 16 bytes") }
      return id
    }
  }

  /// How a mail ended.
  enum End: String, Choice { case delivered, obsolete, dead }

  /// Adds a mail. A subject that has a mail already gets no second one, and an erased account only gets the report of its deletion.
  ///
  /// - Parameter at: when the subject of the mail happened.
  /// - Returns: the mail; nil where none was added.
  static func add(_ mail: MailDraft, to account: AccountID, at: Instant, _ transaction: Transaction) throws -> ID<Mail>? {
    if mail.spec.name != MailSpec.deletionReport, try transaction.database.isErased(account) { return nil }
    let id = ID<Mail>()
    let statement = try transaction.database.cachedStatement(
      sql: """
        INSERT INTO mails (mail_id, kind, account_id, subject_id, state, next_at, created_at)
        VALUES (?, ?, ?, ?, 'waiting', ?, ?) ON CONFLICT (kind, subject_id) DO NOTHING
        """)
    try statement.execute(arguments: [id, mail.spec.name, account, mail.subject, transaction.now, at])
    return transaction.database.changesCount > 0 ? id : nil
  }

  /// Takes on the mails that are due, oldest first. The attempt counts from here on, so that a mail which ends the program each
  /// time is given up too, when its turn comes.
  ///
  /// - Returns: those, and the mails that were given up instead.
  static func claim(
    atMost count: Int, maxAttempts: Int, _ transaction: Transaction
  ) throws -> (jobs: [Job], givenUp: [ID<Mail>]) {
    let statement = try transaction.database.cachedStatement(
      sql: """
        UPDATE mails SET state = iif(attempts < :max, 'sending', 'dead'), finished_at = iif(attempts < :max, NULL, :now),
          attempts = attempts + (attempts < :max)
        WHERE mail_id IN (
          SELECT mail_id FROM mails WHERE state = 'waiting' AND next_at <= :now ORDER BY next_at, mail_id LIMIT :count)
        RETURNING mail_id, kind, account_id, subject_id, created_at, attempts, state
        """)
    let rows = try Row.fetchAll(statement, arguments: ["now": transaction.now, "max": maxAttempts, "count": count])
    let givenUp: [ID<Mail>] = rows.filter { $0["state"] as String == "dead" }.map { $0["mail_id"] }
    for mail in givenUp { try DeliveryStore.finish(mail: mail, .dead, .interrupted, transaction) }
    let jobs = rows.filter { $0["state"] as String == "sending" }.map {
      Job(
        id: $0["mail_id"], kind: $0["kind"], subjectID: $0["subject_id"], account: $0["account_id"], createdAt: $0["created_at"],
        attempt: $0["attempts"])
    }
    return (jobs, givenUp)
  }

  /// When the next waiting mail is due.
  static func nextDue(in database: Database) throws -> Instant? {
    try Instant.fetchOne(database.cachedStatement(sql: "SELECT min(next_at) FROM mails WHERE state = 'waiting'"))
  }

  /// Notes a mail's end, in the log too.
  static func finish(_ mail: ID<Mail>, _ end: End, _ failure: MailFailure?, _ transaction: Transaction) throws {
    let statement = try transaction.database.cachedStatement(
      sql: "UPDATE mails SET state = ?, failure = ?, finished_at = ? WHERE mail_id = ? AND state = 'sending'")
    try statement.execute(arguments: [end, failure?.code, transaction.now, mail])
    try DeliveryStore.finish(mail: mail, end, failure, transaction)
  }

  /// Puts a mail back, to be tried again later.
  static func postpone(
    _ mail: ID<Mail>, byMilliseconds delay: Int64, _ failure: MailFailure, _ transaction: Transaction
  ) throws {
    let statement = try transaction.database.cachedStatement(
      sql: "UPDATE mails SET state = 'waiting', failure = ?, next_at = ? WHERE mail_id = ? AND state = 'sending'")
    try statement.execute(arguments: [failure.code, transaction.now.adding(milliseconds: delay), mail])
  }

  /// The mails that ended so before then, longest ago first. Reports of deletions are not among them, see ``DeletionReportStore``.
  static func over(
    _ end: End, before oldest: Instant, limit: Int, in database: Database
  ) throws -> [(id: ID<Mail>, createdAt: Instant)] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT mail_id, created_at FROM mails WHERE state = ? AND finished_at < ? AND kind <> ? ORDER BY finished_at LIMIT ?
        """)
    return try Row.fetchAll(statement, arguments: [end, oldest, MailSpec.deletionReport, limit]).map {
      (id: $0["mail_id"], createdAt: $0["created_at"])
    }
  }

  /// Removes a mail with the given end; a dead one may have been put back into the queue meanwhile, and then stays.
  static func remove(_ mail: ID<Mail>, over end: End, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(sql: "DELETE FROM mails WHERE mail_id = ? AND state = ?")
      .execute(arguments: [mail, end])
  }

  /// Puts back what was being sent when the program ended: whether it arrived is unknown, so it is sent again, under the same id.
  static func recover(_ transaction: Transaction) throws {
    let statement = try transaction.database.cachedStatement(
      sql: "UPDATE mails SET state = 'waiting', failure = ?, next_at = ? WHERE state = 'sending'")
    try statement.execute(arguments: [MailFailure.interrupted.code, transaction.now])
  }
}
