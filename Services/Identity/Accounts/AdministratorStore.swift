import GRDB
import IdentityContract
import Operations
import Storage

/// Which accounts administer the system.
enum AdministratorStore {
  /// Looked for within other writes, and they are few among many.
  static func migration(_ number: Int) -> Migration {
    Migration(number, "administrators are found by an index") { database in
      try database.execute(
        sql: """
          CREATE INDEX accounts_administrators ON accounts (account_id) WHERE is_administrator = 1;
          """)
    }
  }

  /// - Throws: `last_administrator` if no other account administers: nobody would be notified of incidents.
  static func requireOthers(than account: AccountRecord, in database: Database) throws {
    let statement = try database.cachedStatement(
      sql: "SELECT 1 FROM accounts WHERE is_administrator = 1 AND account_id <> ? LIMIT 1")
    guard try account.isAdministrator && Row.fetchOne(statement, arguments: [account.id]) == nil else { return }
    throw AdministratorFailure.last
  }

  /// Those who are notified of incidents and reports.
  static func all(in database: Database) throws -> [AccountRecord] {
    try Row.fetchAll(
      database.cachedStatement(sql: "SELECT * FROM accounts WHERE is_administrator = 1 ORDER BY account_id LIMIT ?"),
      arguments: [AdministratorRules.maxNotified]
    ).map(AccountRecord.init)
  }

  /// All of them.
  static func ids(in database: Database) throws -> [AccountID] {
    try AccountID.fetchAll(
      database.cachedStatement(sql: "SELECT account_id FROM accounts WHERE is_administrator = 1 ORDER BY account_id"))
  }

  /// Notes whether the account administers. To be published with the account.
  static func set(_ account: AccountID, _ isAdministrator: Bool, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE accounts SET is_administrator = ?, revision = revision + 1 WHERE account_id = ?"
    ).execute(arguments: [isAdministrator, account])
  }
}
