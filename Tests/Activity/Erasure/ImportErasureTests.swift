import ActivityService
import GRDB
import InMemoryBus
import InProcess
import Logging
import Operations
import Storage
import Testing

@testable import ServiceKit

@Suite("Erasing an account that has large imports (ID-12)")
struct ImportErasureTests {
  @Test("Unfinished imports end in the transaction that receives the deletion, and their many details go in steps")
  func steps() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let (store, account) = (services.store(of: .activity), AccountID())
      try await store.write { transaction in
        for (state, ended) in [("uploading", "NULL"), ("done", "1")] {
          let id = ID<Never>()
          try transaction.database.execute(
            sql: """
              INSERT INTO imports (import_id, account_id, name, format, state, total_bytes, received_bytes, progress, position, taken,
                repeated, refused, days, created_at, touched_at, published_at, ended_at)
              VALUES (?, ?, 'a.csv', 'x', ?, 1, 1, 0, 0, 0, 0, 0, 0, 1, ?, 1, \(ended))
              """, arguments: [id, account, state, transaction.now])
          let numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)"
          for insertion in [
            "INSERT INTO import_problems (import_id, number, line, code) SELECT ?1, i, i, 'x' FROM n WHERE ?2 NOT NULL",
            "INSERT INTO import_days (import_id, day) SELECT ?1, i FROM n WHERE ?2 NOT NULL",
            """
            INSERT INTO import_exercises (import_id, number, account_id, name_of_content, line, kind)
            SELECT ?1, i, ?2, 'x', i, 'x' FROM n
            """,
          ] {
            try transaction.database.execute(sql: "\(numbers) \(insertion)", arguments: [id, account])
          }
        }
      }
      let environment = ServiceEnvironment(
        settings: Settings([:]), home: Home(path: "/nonexistent"), bus: MemoryBus(.activity, on: MemoryExchange()),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      let tables = Activities.service(environment).erasedTables.filter { $0.name.hasPrefix("import") }
      let erasure = Erasure(tables, rowsPerTransaction: 50)
      // The service's own worker may go on with it at once.
      let (changes, states) = try await store.write { transaction in
        let before = transaction.database.totalChangesCount
        try erasure.begin(account, ID(), transaction)
        return (
          transaction.database.totalChangesCount - before,
          try String.fetchAll(transaction.database, sql: "SELECT state FROM imports ORDER BY state")
        )
      }
      #expect(changes < 10 && states == ["cancelled", "done"])
      let position = Erasure.Position()
      while try await store.write({ transaction in
        let before = transaction.database.totalChangesCount
        let hasMore = try erasure.step(account, rows: 50, from: position, transaction)
        #expect(transaction.database.totalChangesCount - before <= 60)
        return hasMore
      }) {}
      for table in ["imports", "import_problems", "import_exercises", "import_days"] {
        #expect(try await store.rows(table) == 0, "\(table)")
      }
    }
  }
}
