public import GRDB
import Operations

/// One step of a service's schema, numbered from 1. A released migration never changes: a later one corrects it.
///
///     Migration(1, "friend requests") { database in
///       try database.execute(sql: "CREATE TABLE friend_requests (…) STRICT")
///     }
///
/// Each migration runs in its own transaction. Foreign keys are off meanwhile, so that tables can be rebuilt
/// (sqlite.org/lang_altertable.html, section 7), and are checked at its end. That reads all rows that refer to others, so it is left out where
/// nothing was done to rows, tables and unique indexes that were there before, as with a new index.
public struct Migration: Sendable {
  public let number: Int
  public let name: String
  let body: @Sendable (Database) throws -> Void

  public init(_ number: Int, _ name: String, _ body: @escaping @Sendable (Database) throws -> Void) {
    self.number = number
    self.name = name
    self.body = body
  }
}

extension Database {
  /// Changes the text of a table's declaration if the content stays valid, as for a CHECK that allows more
  /// (sqlite.org/lang_altertable.html, section 7): no row is touched, however large the table. Only for migrations.
  ///
  /// - Throws: `DatabaseError` if the table's declaration does not contain the former text.
  public func redeclare(_ table: String, replacing former: String, with text: String) throws {
    let version = try Int.fetchOne(self, sql: "PRAGMA schema_version") ?? 0
    try execute(sql: "PRAGMA writable_schema = ON")
    try execute(
      sql: "UPDATE sqlite_schema SET sql = replace(sql, ?2, ?3) WHERE type = 'table' AND name = ?1 AND instr(sql, ?2) > 0",
      arguments: [table, former, text])
    let isChanged = changesCount == 1
    try execute(sql: "PRAGMA schema_version = \(version + 1)")
    // Reads the declarations again.
    try execute(sql: "PRAGMA writable_schema = RESET")
    guard isChanged else { throw DatabaseError(message: "\(table) is not declared with \(former)") }
  }
}

/// All migrations of one series, in order.
struct Migrations {
  /// The owner of the tables: the store's own come before the service's.
  enum Series: String { case store, service }

  private let series: Series
  private let all: [Migration]

  init(series: Series, _ all: [Migration]) throws(StoreFailure) {
    for (index, migration) in all.enumerated() where migration.number != index + 1 {
      throw .misnumbered(number: migration.number, expected: index + 1)
    }
    self.series = series
    self.all = all
  }

  /// Throws if the file is from a newer version of the program, or has another history.
  func check(_ database: Database) throws {
    _ = try applied(database)
  }

  /// Whether the file has all migrations.
  func areApplied(to database: Database) throws -> Bool { try applied(database) == all.count }

  /// - Parameter announce: called before each migration of a file that had some before, with the number of the last: where the file has much,
  ///   each may take minutes.
  func apply(to database: Database, at now: Instant, announce: (_ migration: Migration, _ last: Int) throws -> Void) throws {
    try database.execute(sql: Migrations.table)
    let applied = try applied(database)
    let pending = all.dropFirst(applied)
    guard !pending.isEmpty else { return }
    try database.execute(sql: "PRAGMA foreign_keys = OFF")
    for migration in pending {
      if applied > 0 { try announce(migration, all.count) }
      try database.inTransaction(.immediate) {
        if try Migrations.mayTouchReferences(database, migration.body) { try database.checkForeignKeys() }
        try database.execute(
          sql: "INSERT INTO store_migrations (series, number, name, at) VALUES (?, ?, ?, ?)",
          arguments: [series.rawValue, migration.number, migration.name, now])
        return .commit
      }
    }
    try database.execute(sql: "PRAGMA foreign_keys = ON")
  }

  /// Runs a migration, and says whether rows may refer to what is not there since.
  private static func mayTouchReferences(_ database: Database, _ body: (Database) throws -> Void) throws -> Bool {
    let before = (changes: database.totalChangesCount, keys: try keys(of: database))
    // A table that is made anew cannot be told from the former one, and its rows are not counted as changes.
    var isTableTouched = false
    database.trace { event in
      if event.description.contains(/(DROP|ALTER)\s+TABLE/.ignoresCase()) { isTableTouched = true }
    }
    defer { database.trace(options: []) }
    try body(database)
    return try isTableTouched || database.totalChangesCount != before.changes
      || !before.keys.isSubset(of: keys(of: database))
  }

  /// The declarations of tables and unique indexes: what rows of others may refer to.
  private static func keys(of database: Database) throws -> Set<String> {
    try String.fetchSet(
      database, sql: "SELECT sql FROM sqlite_schema WHERE type = 'table' OR type = 'index' AND sql LIKE 'CREATE UNIQUE%'")
  }

  /// How many migrations the file has.
  private func applied(_ database: Database) throws -> Int {
    guard try database.tableExists("store_migrations") else { return 0 }
    let rows = try Row.fetchAll(
      database, sql: "SELECT number, name FROM store_migrations WHERE series = ? ORDER BY number", arguments: [series.rawValue])
    if let last = rows.last?["number"] as Int?, last > all.count {
      throw StoreFailure.newerVersion(found: last, known: all.count)
    }
    for (row, migration) in zip(rows, all) where row["name"] != migration.name {
      throw StoreFailure.otherHistory(number: migration.number, applied: row["name"], known: migration.name)
    }
    return rows.count
  }

  private static let table = """
    CREATE TABLE IF NOT EXISTS store_migrations (
      series TEXT NOT NULL CHECK (series IN ('store', 'service')),
      number INTEGER NOT NULL CHECK (number > 0),
      name TEXT NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (series, number)
    ) STRICT, WITHOUT ROWID
    """
}
