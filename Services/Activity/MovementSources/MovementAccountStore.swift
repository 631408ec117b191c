import GRDB
import Operations
import Storage

/// The number by which an account is part of the keys of its many samples.
enum MovementAccountStore {
  /// As ``MovementSampleStore/migration(_:)`` names it.
  static let table = """
    -- A short number for each account keeps the keys of its many samples small.
    ALTER TABLE step_accounts RENAME TO movement_accounts;
    """

  /// Nil for an account that never sent a sample.
  static func find(_ id: AccountID, in database: Database) throws -> MovementAccount? {
    try database.first("SELECT account_number FROM movement_accounts WHERE account_id = ?", .id(id)) {
      MovementAccount(id: id, number: Int64($0.number(0)))
    }
  }

  /// The account with its number, given to it with its first batch.
  static func findOrAdd(_ id: AccountID, in database: Database) throws -> MovementAccount {
    if let known = try find(id, in: database) { return known }
    try database.run("INSERT INTO movement_accounts (account_id) VALUES (?)", .id(id))
    return MovementAccount(id: id, number: database.lastInsertedRowID)
  }
}
