import Foundation
public import GRDB
public import IdentityContract
import Operations
import ServiceKit
import Storage
import TransparencyLog

extension RegisterRecordKind: DatabaseValueConvertible {}

/// The records of accounts: hashes without gaps, which stay for ever, and separately what opens them, which is erased with the account.
enum RegisterRecordStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "register records") { database in
      try database.execute(
        sql: """
          CREATE TABLE register_records (
            -- 1, 2, 3, … without gaps
            number INTEGER NOT NULL PRIMARY KEY CHECK (number >= 1),
            kind TEXT NOT NULL CHECK (kind IN ('accountCreated', 'profileChanged', 'accountDeleted')),
            registered_at INTEGER NOT NULL,
            commitment BLOB NOT NULL CHECK (length(commitment) = 32)
          ) STRICT;
          CREATE TRIGGER register_records_have_no_gaps BEFORE INSERT ON register_records
          WHEN NEW.number IS NOT (SELECT ifnull(max(number) + 1, 1) FROM register_records)
          BEGIN SELECT RAISE(ABORT, 'a record comes behind the last one'); END;
          CREATE TRIGGER register_records_are_not_changed BEFORE UPDATE ON register_records
          BEGIN SELECT RAISE(ABORT, 'a record is never changed'); END;
          CREATE TRIGGER register_records_are_not_deleted BEFORE DELETE ON register_records
          BEGIN SELECT RAISE(ABORT, 'a record is never deleted'); END;
          CREATE TABLE register_openings (
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            number INTEGER NOT NULL REFERENCES register_records (number),
            -- the profile as it was registered, canonical JSON
            profile TEXT NOT NULL,
            record TEXT NOT NULL,
            salt BLOB NOT NULL CHECK (length(salt) = 32),
            own_salt BLOB NOT NULL CHECK (length(own_salt) = 32),
            PRIMARY KEY (account_id, number)
          ) STRICT, WITHOUT ROWID;
          -- Accounts that existed before the register.
          CREATE TABLE register_backlog (
            account_id BLOB NOT NULL PRIMARY KEY REFERENCES accounts (account_id) ON DELETE CASCADE
          ) STRICT, WITHOUT ROWID;
          INSERT INTO register_backlog (account_id) SELECT account_id FROM accounts;
          """)
    }
  }

  // MARK: - Writing

  /// Records the account's current state: its creation if nothing is recorded yet, or its profile if that differs from the last one
  /// recorded.
  static func note(_ account: AccountRecord, _ transaction: Transaction) throws {
    let profile = try CanonicalJSON.object(members(of: account)).text()
    let last = try transaction.database.first(
      "SELECT profile FROM register_openings WHERE account_id = ? ORDER BY number DESC LIMIT 1", .id(account.id)
    ) { $0.text(0) }
    guard last.map({ !$0.utf8.elementsEqual(profile.utf8) }) ?? true else { return }
    let (salt, ownSalt) = (Commitment.salt(), Commitment.salt())
    let kind = last == nil ? RegisterRecordKind.accountCreated : .profileChanged
    let record = try record(kind, of: account.id, ownSalt, members(of: account), at: transaction.now)
    let number = try append(kind, Commitment(record, salt: salt), transaction)
    try transaction.database.run(
      "INSERT INTO register_openings (account_id, number, profile, record, salt, own_salt) VALUES (?, ?, ?, ?, ?, ?)",
      .id(account.id), .number(number), .text(profile), .text(record), .bytes(salt), .bytes(ownSalt))
    try transaction.database.run("DELETE FROM register_backlog WHERE account_id = ?", .id(account.id))
  }

  /// Records that an account was deleted. What opens the record is not kept, since it concerns nobody any more.
  static func noteDeletion(of account: AccountID, _ transaction: Transaction) throws {
    let record = try record(.accountDeleted, of: account, Commitment.salt(), [], at: transaction.now)
    _ = try append(.accountDeleted, Commitment(record, salt: Commitment.salt()), transaction)
  }

  /// Registers some of the accounts that were there before the register.
  ///
  /// - Returns: how many.
  static func noteEarlier(atMost limit: Int, _ transaction: Transaction) throws -> Int {
    let accounts = try AccountID.fetchAll(
      transaction.database.cachedStatement(sql: "SELECT account_id FROM register_backlog LIMIT ?"), arguments: [limit])
    for id in accounts {
      if let account = try AccountStore.find(id, in: transaction.database) { try note(account, transaction) }
    }
    // Who has changed meanwhile is registered already.
    for id in accounts { try transaction.database.run("DELETE FROM register_backlog WHERE account_id = ?", .id(id)) }
    return accounts.count
  }

  private static func members(of account: AccountRecord) -> [(name: String, value: CanonicalJSON)] {
    [
      ("username", .string(account.username.description)), ("nickname", text(account.nickname)), ("name", text(account.name)),
      ("age", account.age.map { .number(Double($0)) } ?? .null), ("photo", text(account.photoTag)),
      ("createdAt", .string(account.createdAt.description)),
    ]
  }

  private static func text(_ value: (some CustomStringConvertible)?) -> CanonicalJSON {
    value.map { .string($0.description) } ?? .null
  }

  /// The record's canonical JSON, in which the account stands as a commitment.
  private static func record(
    _ kind: RegisterRecordKind, of account: AccountID, _ ownSalt: [UInt8], _ members: [(name: String, value: CanonicalJSON)],
    at time: Instant
  ) throws -> String {
    let own = Commitment(try CanonicalJSON.object([("account", .string(account.description))]).text(), salt: ownSalt)
    let person = CanonicalJSON.object([("commitment", .string(own.description)), ("role", .string("account"))])
    return try CanonicalJSON.object(
      members + [("kind", .string(kind.rawValue)), ("people", .array([person])), ("time", .string(time.description))]
    ).text()
  }

  private static func append(
    _ kind: RegisterRecordKind, _ commitment: Commitment, _ transaction: Transaction
  ) throws -> Int {
    let number = try lastNumber(transaction.database) + 1
    try transaction.database.run(
      "INSERT INTO register_records (number, kind, registered_at, commitment) VALUES (?, ?, ?, ?)", .number(number),
      .text(kind.rawValue), .instant(transaction.now), .bytes(commitment.hash.bytes))
    return number
  }

  // MARK: - Reading

  /// 0 where there is none.
  static func lastNumber(_ database: Database) throws -> Int {
    try database.first("SELECT max(number) FROM register_records") { $0.number(0) } ?? 0
  }

  /// The records behind a number.
  static func list(after number: Int, limit: Int, in database: Database) throws -> [RegisterRecordLine] {
    try Row.fetchAll(
      database.cachedStatement(sql: "SELECT * FROM register_records WHERE number > ? ORDER BY number LIMIT ?"),
      arguments: [number, limit]
    ).map { row in
      RegisterRecordLine(
        number: row["number"], kind: row["kind"], at: row["registered_at"],
        commitment: Base64Bytes(Array(row["commitment"] as Data)))
    }
  }

  /// The records of an account, newest first.
  static func list(of account: AccountID, _ page: PageRequest, in database: Database) throws -> Page<OwnAccountRecord> {
    let statement = try database.cachedStatement(
      sql: """
        SELECT o.*, r.kind, r.registered_at FROM register_openings o JOIN register_records r USING (number)
        WHERE o.account_id = ? AND o.number < ? ORDER BY o.number DESC LIMIT ?
        """)
    let rows = try Row.fetchAll(statement, arguments: [account, page.before, page.fetchLimit])
    return page.page(of: rows, key: { $0["number"] as Int64 }) { row in
      OwnAccountRecord(
        number: row["number"], kind: row["kind"], record: row["record"], salt: Base64Bytes(Array(row["salt"] as Data)),
        ownSalt: Base64Bytes(Array(row["own_salt"] as Data)), at: row["registered_at"])
    }
  }
}
