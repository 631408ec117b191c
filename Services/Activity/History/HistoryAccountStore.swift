import GRDB
import Operations
import Storage

/// The short number of an account in the keys of its history.
enum HistoryAccountStore {
  /// The account's number; nil where the account has no places or comments.
  static func number(of account: AccountID, in database: Database) throws -> Int64? {
    try database.first("SELECT account_number FROM history_accounts WHERE account_id = ?", .id(account)) { Int64($0.number(0)) }
  }

  /// The account's number, assigned if it has none.
  static func number(ofNew account: AccountID, in database: Database) throws -> Int64 {
    if let number = try number(of: account, in: database) { return number }
    try database.run("INSERT INTO history_accounts (account_id) VALUES (?)", .id(account))
    return database.lastInsertedRowID
  }
}
