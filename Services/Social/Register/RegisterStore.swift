import Foundation
public import GRDB
import Operations
import ServiceKit
public import SocialContract
import Storage
import TransparencyLog

/// The leaves of the register, in their order, and the data that opens them.
///
/// A leaf is written in the transaction of the event that it records, and so exactly once; ``RegisterWorker`` hashes it later. It names
/// nobody: the data that opens it is stored separately, and is erased with the accounts that it concerns.
enum RegisterStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "register") { try $0.execute(sql: schema + RegisterTileStore.schema + RegisterAccountStore.schema) }
  }

  private static let schema = """
    CREATE TABLE register_leaves (
      -- 0, 1, 2, … without gaps
      number INTEGER NOT NULL PRIMARY KEY CHECK (number >= 0),
      -- canonical JSON: kind, time and commitment
      entry TEXT NOT NULL CHECK (length(entry) <= 65535)
    ) STRICT;
    CREATE TRIGGER register_leaves_have_no_gaps BEFORE INSERT ON register_leaves
    WHEN NEW.number IS NOT (SELECT ifnull(max(number) + 1, 0) FROM register_leaves)
    BEGIN SELECT RAISE(ABORT, 'a leaf comes behind the last one'); END;
    CREATE TRIGGER register_leaves_are_not_changed BEFORE UPDATE ON register_leaves
    BEGIN SELECT RAISE(ABORT, 'a leaf is never changed'); END;
    CREATE TRIGGER register_leaves_are_not_deleted BEFORE DELETE ON register_leaves
    BEGIN SELECT RAISE(ABORT, 'a leaf is never deleted'); END;
    -- What a leaf commits to; deleted with the last of the accounts that it concerns.
    CREATE TABLE register_records (
      number INTEGER NOT NULL PRIMARY KEY REFERENCES register_leaves (number),
      kind TEXT NOT NULL,
      record TEXT NOT NULL,
      salt BLOB NOT NULL CHECK (length(salt) = 32),
      registered_at INTEGER NOT NULL
    ) STRICT;
    -- The accounts that a record names, and the salts of the commitments by which it does.
    CREATE TABLE register_people (
      account_id BLOB NOT NULL CHECK (length(account_id) = 16),
      number INTEGER NOT NULL REFERENCES register_records (number),
      role TEXT NOT NULL,
      salt BLOB NOT NULL CHECK (length(salt) = 32),
      PRIMARY KEY (account_id, number, role)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX register_people_by_number ON register_people (number);
    CREATE TRIGGER register_records_end AFTER DELETE ON register_people
    WHEN NOT EXISTS (SELECT 1 FROM register_people WHERE number = OLD.number)
    BEGIN DELETE FROM register_records WHERE number = OLD.number; END;

    """

  // MARK: - Writing

  /// Records an event, in its transaction.
  ///
  /// For an account that is being erased, the data that opens its commitment is not kept.
  ///
  /// - Returns: the number of the leaf.
  @discardableResult
  static func append(_ record: RegisterRecord, _ transaction: Transaction) throws -> Int {
    let (database, now) = (transaction.database, transaction.now)
    let salts = record.people.map { _ in Commitment.salt() }
    let commitments = try zip(record.people, salts).map { try RegisterRecord.commitment(to: $0.account, salt: $1) }
    let (text, salt) = (try record.text(at: now, commitments), Commitment.salt())
    let number = try append(
      RegisterRecord.entry(record.kind.rawValue, at: now, Commitment(text, salt: salt)), in: database)
    let kept = try zip(record.people, salts).filter { try !database.isErased($0.0.account) }
    guard !kept.isEmpty else { return number }
    try database.run(
      "INSERT INTO register_records (number, kind, record, salt, registered_at) VALUES (?, ?, ?, ?, ?)", .number(number),
      .text(record.kind.rawValue), .text(text), .bytes(salt), .instant(now))
    for (person, salt) in kept {
      try database.run(
        "INSERT INTO register_people (account_id, number, role, salt) VALUES (?, ?, ?, ?)", .id(person.account),
        .number(number), .text(person.role.rawValue), .bytes(salt))
    }
    return number
  }

  /// Appends a leaf.
  ///
  /// - Returns: its number.
  static func append(_ entry: String, in database: Database) throws -> Int {
    let number = try leafCount(database)
    try database.run("INSERT INTO register_leaves (number, entry) VALUES (?, ?)", .number(number), .text(entry))
    return number
  }

  /// Follows the completions of tasks; see ``TaskCompletionWriter``.
  @Sendable
  static func observe(
    _ task: ID<SharedTask>, _ account: AccountID, _ change: TaskCompletionChange, _ participants: Int, _ transaction: Transaction
  ) throws {
    let leaf = try append(.completion(change, of: task, by: account), transaction)
    if change == .confirmed { try RegisterNoticeStore.noteConfirmation(leaf, of: task, in: transaction.database) }
  }

  // MARK: - Reading

  /// How many leaves there are.
  static func leafCount(_ database: Database) throws -> Int {
    try database.first("SELECT max(number) FROM register_leaves") { $0.isNull(0) ? 0 : $0.number(0) + 1 } ?? 0
  }

  /// The entries of some leaves, in their order.
  ///
  /// - Parameter limit: most of them.
  static func entries(from first: Int, limit: Int, in database: Database) throws -> [[UInt8]] {
    var entries: [[UInt8]] = []
    try database.each(
      "SELECT entry FROM register_leaves WHERE number >= ? ORDER BY number LIMIT ?", .number(first), .number(limit)
    ) {
      entries.append(Array($0.text(0).utf8))
      return true
    }
    return entries
  }

  /// The SQL of a page of an account's records.
  static let listSQL = """
    SELECT p.number, p.role, p.salt AS own_salt, r.kind, r.record, r.salt, r.registered_at, l.entry
    FROM register_people p JOIN register_records r USING (number) JOIN register_leaves l USING (number)
    WHERE p.account_id = ? AND p.number < ? ORDER BY p.number DESC LIMIT ?
    """

  /// The records that name an account, newest first.
  static func list(of account: AccountID, _ page: PageRequest, in database: Database) throws -> Page<OwnRegisterRecord> {
    let rows = try Row.fetchAll(
      database.cachedStatement(sql: listSQL), arguments: [account, page.before, page.fetchLimit])
    return page.page(of: rows, key: { $0["number"] as Int64 }) { row in
      OwnRegisterRecord(
        number: row["number"], kind: row["kind"], role: row["role"], entry: row["entry"], record: row["record"],
        salt: Base64Bytes(Array(row["salt"] as Data)), ownSalt: Base64Bytes(Array(row["own_salt"] as Data)),
        at: row["registered_at"])
    }
  }
}

extension RegisterKind: DatabaseValueConvertible {}
extension RegisterRole: DatabaseValueConvertible {}
