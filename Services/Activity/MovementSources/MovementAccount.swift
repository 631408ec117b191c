import GRDB
import Operations
import Storage

/// An account with its short number.
struct MovementAccount: Hashable, Sendable {
  /// The rows of an account, as ``ErasedTable`` says it.
  static let ownedRows = "account_number = (SELECT account_number FROM movement_accounts WHERE account_id = :account)"

  let id: AccountID
  let number: Int64

  init(id: AccountID, number: Int64) {
    self.id = id
    self.number = number
  }

  /// The number is given to the account with its first batch.
  init(id: AccountID, in database: Database) throws {
    if let known = try MovementAccount(known: id, in: database) {
      self = known
    } else {
      try database.run("INSERT INTO movement_accounts (account_id) VALUES (?)", .id(id))
      self.init(id: id, number: database.lastInsertedRowID)
    }
  }

  /// Nil for an account that never sent a sample.
  init?(known id: AccountID, in database: Database) throws {
    let number = try database.first("SELECT account_number FROM movement_accounts WHERE account_id = ?", .id(id)) {
      Int64($0.number(0))
    }
    guard let number else { return nil }
    self.init(id: id, number: number)
  }
}
