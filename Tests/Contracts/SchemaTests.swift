import Foundation
import GRDB
import Operations
import ServiceKit
import Storage
import Testing

@Suite("The schema files")
struct SchemaTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Whether the files are to be written instead.
  private static let writes = ProcessInfo.processInfo.environment["RACHA_TEST_WRITE"] == "1"

  /// What a store declares for tables of which that holds, each followed by its indexes and triggers.
  private static func declarations(of store: Store, where isWanted: @escaping @Sendable (String) -> Bool) async throws -> String {
    let all = try await store.read { database in
      // A virtual table makes tables of its own, which belong to its extension.
      try Row.fetchAll(
        database,
        sql: """
          SELECT s.tbl_name AS "table", s.sql FROM sqlite_schema s
          WHERE s.sql IS NOT NULL AND s.tbl_name NOT LIKE 'sqlite_%'
            AND s.tbl_name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
          ORDER BY s.tbl_name, s.type <> 'table', s.type, s.name
          """
      ).map { (table: $0["table"] as String, sql: $0["sql"] as String) }
    }
    return all.filter { isWanted($0.table) }.map { $0.sql + ";\n" }.joined(separator: "\n")
  }

  private static func compare(_ declared: String, with path: String) throws {
    let text = "-- Written by a test from the migrations (RACHA_TEST_WRITE=1), which alone make the tables.\n\n\(declared)"
    let file = root.appending(path: path)
    if writes { try Data(text.utf8).write(to: file) }
    let written = try? String(contentsOf: file, encoding: .utf8)
    #expect(written == text, "\(path) is stale: run the test with RACHA_TEST_WRITE=1")
  }

  @Test("The schema files equal what a new store of each service declares, with the common tables listed once")
  func current() async throws {
    var common: [String] = []
    try await AllServices.withStores { definition, store in
      let own = try await SchemaTests.declarations(of: store) { !ErasedTable.ofEveryStore.contains($0) }
      try SchemaTests.compare(own, with: "Services/\(definition.contract.service.rawValue.capitalized)/schema.sql")
      common.append(try await SchemaTests.declarations(of: store) { ErasedTable.ofEveryStore.contains($0) })
    }
    #expect(common.count == 5 && Set(common).count == 1)
    try SchemaTests.compare(common.first ?? "", with: "Shared/Storage/schema.sql")
  }

  @Test("Migrations keep their numbers and names for ever: a store made with others would no longer open")
  func migrations() async throws {
    var present: [String] = []
    try await AllServices.withStores { definition, store in
      let lines = try await store.read { database in
        try Row.fetchAll(database, sql: "SELECT series, number, name FROM store_migrations ORDER BY series, number").map { row in
          "\(row["series"] == "store" ? "store" : definition.contract.service.rawValue) \(row["number"] as Int) \(row["name"] as String)"
        }
      }
      present += lines.filter { !present.contains($0) }
    }
    let file = SchemaTests.root.appending(path: "Tests/Contracts/migrations.txt")
    let released = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
    let lost = released.filter { !present.contains($0) }
    #expect(lost.isEmpty, "released migrations were renamed, renumbered or removed")
    if SchemaTests.writes, lost.isEmpty { return try Data((present.joined(separator: "\n") + "\n").utf8).write(to: file) }
    let added = present.filter { !released.contains($0) }
    #expect(added.isEmpty, "new migrations are noted by a run with RACHA_TEST_WRITE=1")
  }
}
