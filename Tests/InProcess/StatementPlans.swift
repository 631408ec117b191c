import Foundation
import GRDB
import GRDBSQLite
public import Operations
public import Storage
import Synchronization

/// Statements of a service that go through all rows of a table.
public struct WholeTables: Error, CustomStringConvertible {
  public let service: ServiceName
  /// Each with the step of its plan that does.
  public let statements: [(sql: String, step: String)]

  public var description: String {
    "\(service) goes through whole tables, which takes the longer the more accounts there are (an index is missing; or "
      + "WholeTables.json says why it may): " + statements.map { "\($0.step) in \($0.sql)" }.joined(separator: "; ")
  }
}

/// Looks how SQLite finds the rows of the statements that services keep prepared, which are those that they run again and again.
public enum StatementPlans {
  /// A statement of a service: the same text may mean other tables in another.
  private struct Statement: Hashable {
    let service: ServiceName
    let sql: String
  }

  /// Those that were looked at already: many tests run the same.
  private static let known = Mutex<Set<Statement>>([])

  /// Looks at what the store's connections keep.
  ///
  /// - Throws: ``WholeTables`` for statements that go through all rows of a table and may not; ``Failure`` `unavailable` where the store is closed.
  public static func check(_ store: Store, of service: ServiceName) async throws {
    // Readers, the writer and who looks up in passing have connections of their own.
    let statements =
      try await store.read { try unknown($0, of: service) } + store.write { try unknown($0.database, of: service) }
      + store.lookUp { try unknown($0, of: service) }
    let wrong = statements.compactMap { sql, scans in
      scans.first { !isAllowed($0.table, sql, service) }.map { (sql: sql, step: $0.step) }
    }
    if !wrong.isEmpty { throw WholeTables(service: service, statements: wrong) }
  }

  /// A statement, and the tables that it goes through as a whole.
  private typealias Plan = (sql: String, scans: [(step: String, table: String)])

  private static func unknown(_ database: Database, of service: ServiceName) throws -> [Plan] {
    var plans: [Plan] = []
    for sql in prepared(database) where known.withLock({ $0.insert(Statement(service: service, sql: sql)).inserted }) {
      var steps: [String] = []
      // Without values: they make no difference to a plan.
      try database.each("EXPLAIN QUERY PLAN \(sql)") {
        steps.append($0.text(3))
        return true
      }
      let plan: Plan = (sql, try scans(steps, sql, database))
      if !plan.scans.isEmpty { plans.append(plan) }
    }
    return plans
  }

  /// The statements that a connection keeps, in one line each; what is no query has no plan.
  private static func prepared(_ database: Database) -> [String] {
    var all: [String] = []
    var statement = sqlite3_next_stmt(database.sqliteConnection, nil)
    while let found = statement {
      if let text = sqlite3_sql(found) {
        let sql = String(cString: text).split(separator: "\n").map(beforeComment)
          .joined(separator: " ").split(whereSeparator: \.isWhitespace).joined(separator: " ")
        if ["SELECT ", "UPDATE ", "DELETE ", "INSERT ", "WITH "].contains(where: sql.hasPrefix) { all.append(sql) }
      }
      statement = sqlite3_next_stmt(database.sqliteConnection, found)
    }
    return all
  }

  private static func beforeComment(_ line: Substring) -> Substring {
    line.range(of: "-- ").map { line[..<$0.lowerBound] } ?? line
  }

  /// The tables that steps of a plan go through as a whole; but for what ends after the first rows, which is so in a part with a `LIMIT` and without
  /// a condition. A step does not say to which part it belongs, so there must not be more of them than such parts.
  private static func scans(_ steps: [String], _ sql: String, _ database: Database) throws -> [(step: String, table: String)] {
    var ending: [String: Int] = [:]
    var scans: [(step: String, table: String)] = []
    // What is sorted or counted was read to the end.
    let isSorted = steps.contains { $0.contains("TEMP B-TREE") }
    for step in steps {
      guard let (name, table) = try scanned(step, sql, database) else { continue }
      let left =
        isSorted
        ? 0
        : ending[name]
          ?? parts(of: sql, naming: name).count { $0.contains("LIMIT") && Set($0).isDisjoint(with: ["WHERE", "count", "sum"]) }
      ending[name] = left - 1
      if left <= 0 { scans.append((step, table)) }
    }
    return scans
  }

  /// The table that a step of a plan goes through as a whole, and its name in the statement; nil where it goes through what is short: rows that the
  /// statement made itself, those of a function, or an index of what waits for something.
  private static func scanned(
    _ step: String, _ sql: String, _ database: Database
  ) throws -> (name: String, table: String)? {
    let words = step.split(separator: " ").map(String.init)
    guard words.count >= 2, words[0] == "SCAN", !step.contains("CONSTANT ROW"), !step.contains("VIRTUAL TABLE"),
      !words[1].hasPrefix("(")
    else { return nil }
    guard let table = try table(words[1], sql, database) else { return nil }
    let isPartial = "SELECT sql LIKE '% WHERE %' FROM sqlite_schema WHERE name = ?"
    if let index = words.firstIndex(of: "INDEX").map({ words[$0 + 1] }),
      try Bool.fetchOne(database, sql: isPartial, arguments: [index]) == true
    {
      return nil
    }
    return (words[1], table)
  }

  /// The words of those parts of a statement, each one pair of brackets, in which the name is; without what stands in brackets within them.
  private static func parts(of sql: String, naming name: String) -> [[String]] {
    var open: [[String]] = [[]]
    var parts: [[String]] = []
    func end(_ words: [String]) { if words.contains(name) { parts.append(words) } }
    for word in sql.replacing("(", with: " ( ").replacing(")", with: " ) ").replacing(",", with: " ").split(separator: " ") {
      switch word {
      case "(": open.append([])
      case ")": if open.count > 1, let words = open.popLast() { end(words) }
      default: open[open.count - 1].append(String(word))
      }
    }
    open.forEach(end)
    return parts
  }

  /// The table of that name, or of that name within the statement.
  private static func table(_ name: String, _ sql: String, _ database: Database) throws -> String? {
    let exists = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?)"
    if try Bool.fetchOne(database, sql: exists, arguments: [name]) == true { return name }
    let words = sql.split { " (),;".contains($0) }.map(String.init)
    for (index, word) in words.enumerated() where word == name && index > 1 {
      let before = words[index - 1] == "AS" ? words[index - 2] : words[index - 1]
      if try Bool.fetchOne(database, sql: exists, arguments: [before]) == true { return before }
    }
    return nil
  }

  // MARK: - What is allowed

  /// `WholeTables.json`.
  private struct Allowed: Decodable {
    /// Tables of a service that stay short, and why.
    let shortTables: [ServiceName.RawValue: [String: String]]
    /// How statements of a service begin that may, and why.
    let statements: [ServiceName.RawValue: [String: String]]
  }

  private static let allowed: Allowed = {
    let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "WholeTables.json")
    do {
      return try JSONDecoder().decode(Allowed.self, from: Data(contentsOf: path))
    } catch {
      fatalError("\(path.path): \(error)")
    }
  }()

  private static func isAllowed(_ table: String, _ sql: String, _ service: ServiceName) -> Bool {
    allowed.shortTables[service.rawValue]?[table] != nil
      || allowed.statements[service.rawValue]?.keys.contains { sql.hasPrefix($0) } ?? false
  }
}
