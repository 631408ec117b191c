import GRDB
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// The mails that were given up: for administrators to see, and to send again when what failed is mended.
enum DeadEmailStore {
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
        WHERE state = 'dead' AND mail_id < :before ORDER BY mail_id DESC LIMIT :limit
        """)
    return try Row.fetchAll(statement, arguments: ["before": before ?? .last, "limit": limit])
  }

  /// Puts it back as if it had never been tried; false if no dead mail has that id.
  static func revive(_ mail: ID<Mail>, _ transaction: Transaction) throws -> Bool {
    let statement = try transaction.database.cachedStatement(
      sql:
        "UPDATE mails SET state = 'waiting', attempts = 0, next_at = ?, finished_at = NULL WHERE mail_id = ? AND state = 'dead'")
    try statement.execute(arguments: [transaction.now, mail])
    guard transaction.database.changesCount > 0 else { return false }
    try DeliveryStore.revive(mail: mail, transaction)
    return true
  }
}
