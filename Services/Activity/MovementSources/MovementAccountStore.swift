import GRDB
import Operations
import Storage

/// The short number of an account in the keys of its samples.
enum MovementAccountStore {
  /// The table as ``MovementSampleStore/migration(_:)`` renames it.
  static let table = """
    -- A short number for each account keeps the keys of its many samples small.
    ALTER TABLE step_accounts RENAME TO movement_accounts;
    """

  /// Returns the account with its number; nil if it never sent a sample.
  static func find(_ id: AccountID, in database: Database) throws -> MovementAccount? {
    try database.first("SELECT account_number FROM movement_accounts WHERE account_id = ?", .id(id)) {
      MovementAccount(id: id, number: Int64($0.number(0)))
    }
  }

  /// Returns the account with its number, which it gets with its first batch.
  static func findOrAdd(_ id: AccountID, in database: Database) throws -> MovementAccount {
    if let known = try find(id, in: database) { return known }
    try database.run("INSERT INTO movement_accounts (account_id) VALUES (?)", .id(id))
    return MovementAccount(id: id, number: database.lastInsertedRowID)
  }
}
