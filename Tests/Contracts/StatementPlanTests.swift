import GRDB
import InProcess
import Operations
import ServiceKit
import SocialContract
import Storage
import Testing

@Suite("Plans of the statements that services keep prepared")
struct StatementPlanTests {
  @Test("A statement that scans a whole table for some of its rows is found; one that uses an index or ends early is not")
  func wholeTables() async throws {
    func run(_ statements: [String]) async throws {
      let things = Migration(1, "things") {
        try $0.execute(
          sql: """
            CREATE TABLE things (id INTEGER PRIMARY KEY, owner TEXT NOT NULL, size INTEGER NOT NULL, is_due INTEGER NOT NULL);
            CREATE INDEX things_by_owner ON things (owner);
            CREATE INDEX things_due ON things (size) WHERE is_due = 1;
            """)
      }
      try await ServicesInProcess.running([{ _ in ServiceDefinition(.social, migrations: [things]) }]) { services in
        try await services.store(of: .social).write { transaction in
          for sql in statements { try transaction.database.run(sql) }
        }
      }
    }
    try await run([
      "SELECT id FROM things WHERE owner = 'ana'", "UPDATE things SET size = 2 WHERE id = 1",
      "SELECT t.id FROM things AS t ORDER BY t.id DESC LIMIT 1", "SELECT size FROM things WHERE is_due = 1",
      "WITH some (n) AS (VALUES (1), (2)) SELECT n FROM some",
      "SELECT id FROM (SELECT id FROM things LIMIT 3) WHERE id > 1",
      "SELECT size FROM things WHERE id = coalesce((SELECT id FROM things WHERE id > 7), (SELECT id FROM things ORDER BY id LIMIT 1))",
    ])
    for sql in [
      "SELECT id FROM things WHERE size = 1", "UPDATE things SET size = 3 WHERE size = 2",
      "SELECT t.id FROM things AS t WHERE t.size = 7 LIMIT 1",
      // The end is that of another part, and so is the condition.
      "SELECT (SELECT id FROM things ORDER BY id LIMIT 1), count(*) FROM things",
      "SELECT owner FROM (SELECT owner FROM things WHERE size = 1) LIMIT 1",
      "SELECT id FROM things ORDER BY size LIMIT 1", "SELECT count(*) FROM things LIMIT 1",
      "DELETE FROM things WHERE (id, owner) IN (VALUES (1, 'ana'), (2, 'ben'))",
    ] {
      let found = await #expect(throws: WholeTables.self) { try await run([sql]) }
      #expect(found?.statements.map(\.sql) == [sql])
    }
  }
}
