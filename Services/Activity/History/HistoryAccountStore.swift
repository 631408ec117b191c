import GRDB
import Operations
import Storage

/// The number by which an account is part of the keys of its history.
enum HistoryAccountStore {
  /// The account's number; nil where there is nothing of it to be found by a place or a comment.
  static func number(of account: AccountID, in database: Database) throws -> Int64? {
    try database.first("SELECT account_number FROM history_accounts WHERE account_id = ?", .id(account)) { Int64($0.number(0)) }
  }

  /// The account's number, given to it if it has none.
  static func number(ofNew account: AccountID, in database: Database) throws -> Int64 {
    if let number = try number(of: account, in: database) { return number }
    try database.run("INSERT INTO history_accounts (account_id) VALUES (?)", .id(account))
    return database.lastInsertedRowID
  }
}
