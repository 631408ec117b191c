import GRDB
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// The mails that were given up: for administrators to see, and to send again when what failed is mended.
enum DeadMails {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "dead mails") { database in
      try database.execute(sql: "CREATE INDEX mails_dead ON mails (mail_id) WHERE state = 'dead'")
    }
  }

  /// Those behind `before` in the order of falling ids.
  static func list(before: ID<Mail>?, limit: Int, in database: Database) throws -> [Row] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT mail_id, kind, account_id, failure, attempts, created_at, finished_at FROM mails
        WHERE state = 'dead' AND (:before IS NULL OR mail_id < :before) ORDER BY mail_id DESC LIMIT :limit
        """)
    return try Row.fetchAll(statement, arguments: ["before": before, "limit": limit])
  }

  /// Puts it back as if it had never been tried; false if no dead mail has that id.
  static func revive(_ mail: ID<Mail>, _ transaction: Transaction) throws -> Bool {
    let statement = try transaction.database.cachedStatement(
      sql:
        "UPDATE mails SET state = 'waiting', attempts = 0, next_at = ?, finished_at = NULL WHERE mail_id = ? AND state = 'dead'")
    try statement.execute(arguments: [transaction.now, mail])
    return transaction.database.changesCount > 0
  }
}

extension DeadMail {
  init(_ row: Row, _ words: Words, _ language: Language) {
    let failure: String = row["failure"] ?? MailFailure.interrupted.code
    // `rejected_550` has the words of `rejected`, with the reply.
    let parts = failure.split(at: "_", maxSplits: 1)
    let reply = parts.last.flatMap { Int($0) }
    let key = reply == nil ? failure : String(parts[0])
    let text = words.text("mail.failure.\(key)", language, reply.map { ["reply": .number($0)] } ?? [:])
    self.init(
      id: row["mail_id"], kind: row["kind"], accountID: row["account_id"], failure: failure, explanation: text ?? failure,
      attempts: row["attempts"], createdAt: row["created_at"], givenUpAt: row["finished_at"])
  }
}

extension ServiceDefinition {
  /// Serves the mails that were given up.
  ///
  /// - Parameter bell: wakes the worker for one that is put back.
  mutating func serveDeadMails(_ signal: WakeSignal) {
    let words = Words(Contract.notifications.words)
    serve(
      ListDeadMails.self,
      read: { input, call, database in
        let page = try call.page(input)
        let rows = try DeadMails.list(before: page.cursor(ID<Mail>.init(text:)), limit: page.fetchLimit, in: database)
        return page.page(of: rows, key: { $0["mail_id"] as ID<Mail> }) { DeadMail($0, words, call.language) }
      })
    serve(
      RetryDeadMail.self,
      write: { input, _, transaction in
        guard try DeadMails.revive(input.mailID, transaction) else { throw Failure(RequestFailure.notFound) }
        transaction.afterCommit { signal.ring() }
        return Empty()
      })
  }
}
