import Foundation
import GRDB
import GRDBSQLite
import Logging
import Operations
import Testing

@testable import Storage

@Suite("Opening a store", .timeLimit(.minutes(1)))
struct OpeningTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("store.sqlite")
  }

  @Test("Opening a store makes it durable: write-ahead log, full synchronisation, foreign keys")
  func settings() async throws {
    let store = try Store.numbers(path)
    let found = try await store.write { transaction in
      try ["journal_mode", "synchronous", "foreign_keys"].map { name in
        try Row.fetchOne(transaction.database, sql: "PRAGMA \(name)").map { ($0[0] as DatabaseValue).description }
      }
    }
    #expect(found == ["\"wal\"", "2", "1"])
    await store.close()
  }

  @Test("Opening a store makes its files unreadable for others")
  func mode() async throws {
    let store = try Store.numbers(path)
    for name in [path, path + "-wal", path + "-shm", path + ".lock"] {
      let mode = try FileManager.default.attributesOfItem(atPath: name)[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(name)")
    }
    await store.close()
  }

  @Test("Opening a store written by a newer version is refused with that reason")
  func newer() async throws {
    await (try Store.numbers(path, migrations: [numbersTable, Migration(2, "more") { _ in }, Migration(3, "yet more") { _ in }]))
      .close()
    let failure = #expect(throws: StoreFailure.newerVersion(found: 3, known: 1)) { try Store.numbers(path) }
    #expect(failure?.description.contains("newer version") == true)
  }

  @Test("Opening a store whose migrations have other names is refused")
  func otherHistory() async throws {
    await (try Store.numbers(path)).close()
    #expect(throws: StoreFailure.otherHistory(number: 1, applied: "numbers", known: "letters")) {
      try Store.numbers(path, migrations: [Migration(1, "letters") { _ in }])
    }
  }

  @Test("Opening a store with migrations not numbered 1, 2, 3 is refused")
  func misnumbered() {
    #expect(throws: StoreFailure.misnumbered(number: 3, expected: 2)) {
      try Store.numbers(path, migrations: [numbersTable, Migration(3, "gap") { _ in }])
    }
  }

  @Test("Opening another service's store is refused")
  func otherService() async throws {
    await (try Store.numbers(path)).close()
    #expect(throws: StoreFailure.otherService(found: "activity", expected: .social)) {
      try Store.numbers(path, service: .social)
    }
  }

  @Test("Opening a store that is already open is refused, and accepted once it is closed")
  func alreadyOpen() async throws {
    let store = try Store.numbers(path)
    #expect(throws: StoreFailure.alreadyOpen(path: path)) { try Store.numbers(path) }
    #expect(throws: StoreFailure.alreadyOpen(path: path)) { try Store.beginNewEpoch(path: path) }
    await store.close()
    await (try Store.numbers(path)).close()
  }

  @Test("Opening a file that is not a database, or with a short secret, is refused")
  func refusals() throws {
    try Data(repeating: 0x41, count: 8192).write(to: URL(fileURLWithPath: path))
    #expect(throws: DatabaseError.self) { try Store.numbers(path) }
    #expect(throws: StoreFailure.weakSecret(bytes: 31)) {
      try Store(
        path: folder.file("other.sqlite"), service: .activity, migrations: [], secret: Array(repeating: 1, count: 31),
        logger: Logger(label: "test"))
    }
  }

  @Test("Opening an earlier version's store upgrades it and keeps its contents")
  func upgrade() async throws {
    let fixture = try #require(Bundle.module.url(forResource: "store-1", withExtension: "sql", subdirectory: "Fixtures"))
    let old = try DatabaseQueue(path: path)
    try await old.writeWithoutTransaction { [sql = try String(contentsOf: fixture, encoding: .utf8)] in try $0.execute(sql: sql) }
    try old.close()

    let second = Migration(2, "numbers have squares") { database in
      // A table is rebuilt, as SQLite asks for when a rule of it changes.
      try database.execute(
        sql: """
          CREATE TABLE new_numbers (
            number INTEGER PRIMARY KEY,
            parent INTEGER REFERENCES numbers (number) DEFERRABLE INITIALLY DEFERRED,
            square INTEGER NOT NULL CHECK (square = number * number)
          ) STRICT;
          INSERT INTO new_numbers SELECT number, parent, number * number FROM numbers;
          DROP TABLE numbers;
          ALTER TABLE new_numbers RENAME TO numbers;
          """)
    }
    let store = try Store.numbers(path, migrations: [numbersTable, second])
    let squares = try await store.read { try Int.fetchAll($0, sql: "SELECT square FROM numbers ORDER BY number") }
    #expect(squares == [1, 4, 9])
    #expect(try await store.sentNumbers() == [1, 2, 3])
    #expect(try await store.log.head() == LogHead(epoch: "0199a0c8-4e00-7000-8000-000000000001", number: 3))
    #expect(try await store.subscription { _, _, _ in }.cursor(of: .identity) == LogHead(epoch: "elsewhere", number: 17))
    let subscribers = try await store.read {
      try Row.fetchAll($0, sql: "SELECT subscriber, number FROM outbox_subscribers").map { "\($0[0] as String) \($0[1] as Int)" }
    }
    #expect(subscribers == ["rewards 2"])
    let applied = try await store.read {
      try Row.fetchAll($0, sql: "SELECT number, name FROM store_migrations WHERE series = 'service' ORDER BY number")
        .map { "\($0[0] as Int) \($0[1] as String)" }
    }
    #expect(applied == ["1 numbers", "2 numbers have squares"])
    await store.close()
  }

  @Test("Opening a copy of an earlier version's store begins an epoch that continues the copy's")
  func upgradedCopy() async throws {
    let fixture = try #require(Bundle.module.url(forResource: "store-1", withExtension: "sql", subdirectory: "Fixtures"))
    let old = try DatabaseQueue(path: path)
    try await old.writeWithoutTransaction { [sql = try String(contentsOf: fixture, encoding: .utf8)] in try $0.execute(sql: sql) }
    try old.close()
    try Store.beginNewEpoch(path: path)
    let store = try Store.numbers(path)
    let former = "0199a0c8-4e00-7000-8000-000000000001"
    #expect(try await store.log.head().epoch != former)
    #expect(try await store.log.end(of: former) == 3)
    await store.close()
  }

  @Test("Opening a store undoes a failing migration, or one with a dangling foreign key, and keeps the earlier ones")
  func failingMigration() async throws {
    let dangling = Migration(2, "dangling") { try $0.execute(sql: "INSERT INTO numbers (number, parent) VALUES (1, 99)") }
    #expect(throws: DatabaseError.self) { try Store.numbers(path, migrations: [numbersTable, dangling]) }
    let store = try Store.numbers(path)
    #expect(try await store.allNumbers() == [])
    await store.close()
  }

  @Test(
    "Opening a store undoes a migration that removes what rows of another table refer to",
    arguments: [
      // No row of a table that stays is changed by it, and the new table cannot be told from the former one.
      "drop table parents; CREATE TABLE parents (parent INTEGER NOT NULL) STRICT; CREATE UNIQUE INDEX by_parent ON parents (parent)",
      "DROP INDEX by_parent",
    ])
  func removedParents(sql: String) async throws {
    let children = Migration(2, "children") { database in
      try database.execute(
        sql: """
          CREATE TABLE children (child INTEGER PRIMARY KEY, parent INTEGER NOT NULL REFERENCES parents (parent)) STRICT;
          CREATE TABLE parents (parent INTEGER NOT NULL) STRICT;
          CREATE UNIQUE INDEX by_parent ON parents (parent);
          INSERT INTO parents VALUES (1);
          INSERT INTO children VALUES (1, 1);
          """)
    }
    let removal = Migration(3, "removal") { try $0.execute(sql: sql) }
    try await Store.numbers(path, migrations: [numbersTable, children]).close()
    #expect(throws: DatabaseError.self) { try Store.numbers(path, migrations: [numbersTable, children, removal]) }
    let store = try Store.numbers(path, migrations: [numbersTable, children])
    #expect(try await store.count("parents") == 1)
    await store.close()
  }

  @Test("An upgrade that sorts a large table for an index takes little memory, and each of its migrations is announced")
  func largeUpgrade() async throws {
    let store = try Store.numbers(path)
    try await store.write { transaction in
      try transaction.database.execute(
        sql: """
          WITH RECURSIVE all_numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM all_numbers WHERE number < 400000)
          INSERT INTO numbers (number) SELECT number FROM all_numbers
          """)
    }
    await store.close()
    let index = Migration(2, "an index") { database in
      try database.execute(sql: "CREATE INDEX numbers_by_difference ON numbers (1000000 - number)")
    }
    let connections = try Connections(path: path, readers: 1)
    var announced: [String] = []
    // Of all connections of the process; tests run one after the other.
    sqlite3_memory_highwater(1)
    let before = sqlite3_memory_used()
    _ = try connections.prepare([numbersTable, index], of: .activity, at: .now, beside: path) { announced.append($0) }
    // The index is of some 5 MB, and SQLite's cache of pages has 2 MB.
    #expect(sqlite3_memory_highwater(0) - before < 4 << 20)
    #expect(announced == ["2 of 2, an index"])
    #expect(!FileManager.default.fileExists(atPath: Connections.noteOfMigration(of: path)))
    #expect(try await connections.writer.read { try Int.fetchOne($0, sql: "PRAGMA temp_store") } == 2)
    try await connections.close()
  }
}
