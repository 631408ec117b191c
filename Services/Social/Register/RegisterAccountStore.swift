import GRDB
import IdentityContract
import Operations
import SocialContract
import Storage
import TransparencyLog

/// The leaves that are of accounts, and up to which of identity's records they go.
enum RegisterAccountStore {
  static let schema = """

    -- The leaf of each record of identity; the last one says how far they go.
    CREATE TABLE register_account_leaves (
      record_number INTEGER NOT NULL PRIMARY KEY CHECK (record_number >= 1),
      number INTEGER NOT NULL UNIQUE REFERENCES register_leaves (number)
    ) STRICT;
    """

  /// The number of the last record that is a leaf; 0 before the first one.
  static func last(_ database: Database) throws -> Int {
    try database.first("SELECT max(record_number) FROM register_account_leaves") { $0.number(0) } ?? 0
  }

  /// Makes leaves of records; does nothing if others were made meanwhile.
  ///
  /// - Returns: whether the records follow without a gap.
  static func append(_ records: [RegisterRecordLine], after last: Int, _ transaction: Transaction) throws -> Bool {
    guard try self.last(transaction.database) == last else { return true }
    for (offset, record) in records.enumerated() {
      guard record.number == last + 1 + offset, let entry = try entry(record) else { return false }
      let number = try RegisterStore.append(entry, in: transaction.database)
      try transaction.database.run(
        "INSERT INTO register_account_leaves (record_number, number) VALUES (?, ?)", .number(record.number), .number(number))
    }
    return true
  }

  /// The leaf of a record; nil for what is no commitment.
  private static func entry(_ record: RegisterRecordLine) throws -> String? {
    guard let hash = TreeHash(bytes: record.commitment.bytes) else { return nil }
    return try RegisterRecord.entry(record.kind.rawValue, at: record.at, Commitment(hash: hash))
  }

  /// Whether the leaf of that number is of this very record.
  static func isLeaf(_ record: RegisterRecordLine, in database: Database) throws -> Bool {
    guard let number = try leaf(of: record.number, in: database), let entry = try entry(record) else { return false }
    return try RegisterStore.entries(from: number, limit: 1, in: database).first == Array(entry.utf8)
  }

  /// Forgets which leaves records became that identity has lost: those that come instead have the same numbers. The leaves stay.
  static func goBack(to number: Int, from last: Int, _ transaction: Transaction) throws {
    guard try self.last(transaction.database) == last else { return }
    try transaction.database.run("DELETE FROM register_account_leaves WHERE record_number > ?", .number(number))
  }

  /// Which leaf a record became; nil while it is none.
  static func leaf(of record: Int, in database: Database) throws -> Int? {
    try database.first("SELECT number FROM register_account_leaves WHERE record_number = ?", .number(record)) { $0.number(0) }
  }
}
