import ActivityContract
import Foundation
import GRDB
import InProcess
import Operations
import Storage
import Testing

@testable import ActivityService

@Suite("Forgotten problems and exercises of imports (MOVE-3)")
struct ForgottenDetailsTests {
  private static let services: [ServicesInProcess.Build] = [{ Activities.service($0) }]

  /// Of so many bytes each, a hundred imports may be kept.
  private static let share = Import.maxDetailBytes / 100

  /// Makes an import that has ended and as many problems and exercises as may be kept, as if they were large, and one that is still to end.
  private func plant(_ count: Int, of account: AccountID, _ store: Store) async throws -> (old: ImportID, new: ImportID) {
    let (old, new) = (ImportID(), ImportID())
    try await store.write { transaction in
      let imports: [(ImportID, String, Int?, Int)] = [(old, "done", 1, Import.maxDetailBytes), (new, "uploading", nil, 0)]
      for (id, state, ended, bytes) in imports {
        try transaction.database.execute(
          sql: """
            INSERT INTO imports (import_id, account_id, name, format, state, total_bytes, received_bytes, progress, position, taken,
              repeated, refused, days, created_at, touched_at, published_at, ended_at, detail_bytes)
            VALUES (?, ?, 'a.gpx', 'gpx', ?, 1, 1, 0, 0, 0, 0, 0, 0, 1, ?, 1, ?, ?)
            """, arguments: [id, account, state, transaction.now, ended, bytes])
      }
      let numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)"
      try transaction.database.execute(
        sql: "\(numbers) INSERT INTO import_problems (import_id, number, line, code) SELECT ?1, i, i, 'x' FROM n",
        arguments: [old, count])
      for (id, rows, name) in [(old, count, "old"), (new, 1, "new")] {
        try transaction.database.execute(
          sql: """
            \(numbers) INSERT INTO import_exercises (import_id, number, account_id, name_of_content, line, kind)
            SELECT ?1, i, ?3, ?4, i, 'x' FROM n
            """, arguments: [id, rows, account, name])
      }
    }
    return (old, new)
  }

  @Test("The end of an import writes as much however much it forgets, which is not shown from then on and deleted in steps")
  func steps() async throws {
    try await ServicesInProcess.running(Self.services) { services in
      let store = services.store(of: .activity)
      var written: [Int] = []
      for count in [10, 1_000] {
        let ana = try await services.register()
        let (old, new) = try await plant(count, of: ana.id, store)
        let (changes, known) = try await store.write { transaction in
          let database = transaction.database
          let before = database.totalChangesCount
          try ImportStore.end(new, .cancelled, transaction)
          let changes = database.totalChangesCount - before
          return (changes, try ["old", "new"].map { try ImportStore.hasExercise($0, of: ana.id, in: database) })
        }
        written.append(changes)
        #expect(known == [false, true])
        #expect(try await ana.send(GetImport.self, .init(importID: old)).areDetailsForgotten == true)
        #expect(try await ana.send(GetImport.self, .init(importID: new)).areDetailsForgotten == nil)
        #expect(try await ana.send(ListImportProblems.self, .init(importID: old)).items.isEmpty)
        #expect(try await ana.send(ListImportedExercises.self, .init(importID: old)).items.isEmpty)
      }
      #expect(written[0] == written[1], "\(written)")
      while try await store.write({ transaction in
        let before = transaction.database.totalChangesCount
        let isMore = try ImportStore.deleteForgotten(rows: 50, transaction)
        #expect(transaction.database.totalChangesCount - before <= 50)
        return isMore
      }) {}
      #expect(try await store.rows("import_problems") == 0)
      let left = try await store.read { try String.fetchAll($0, sql: "SELECT name_of_content FROM import_exercises") }
      #expect(left == ["new", "new"])
      #expect(try await store.read { try Int.fetchOne($0, sql: "SELECT sum(detail_bytes > 0) FROM imports") } == 2)
    }
  }

  @Test("The end of an import forgets few of many small ones, the oldest; the others are forgotten once those are deleted")
  func many() async throws {
    try await ServicesInProcess.running(Self.services) { services in
      let store = services.store(of: .activity)
      let ana = try await services.register()
      let (_, new) = try await plant(1, of: ana.id, store)
      let forgotten = try await store.write { transaction in
        let database = transaction.database
        try database.execute(sql: "UPDATE imports SET detail_bytes = ? WHERE ended_at IS NOT NULL", arguments: [Self.share])
        for _ in 1..<500 {
          try database.execute(
            sql: """
              INSERT INTO imports (import_id, account_id, name, format, state, total_bytes, received_bytes, progress, position,
                taken, repeated, refused, days, created_at, touched_at, published_at, ended_at, detail_bytes)
              SELECT ?, account_id, name, format, state, total_bytes, received_bytes, progress, position, taken,
                repeated, refused, days, created_at, touched_at, published_at, ended_at, detail_bytes
              FROM imports WHERE ended_at IS NOT NULL LIMIT 1
              """, arguments: [ImportID()])
        }
        try ImportStore.end(new, .cancelled, transaction)
        return try Bool.fetchAll(
          database, sql: "SELECT details_forgotten FROM imports WHERE import_id <> ? ORDER BY import_id", arguments: [new])
      }
      #expect(forgotten == (0..<500).map { $0 < ImportStore.maxForgotten })
      while try await store.write({ try ImportStore.deleteForgotten(rows: 30, $0) }) {}
      let kept = try await store.read { database in
        try Bool.fetchAll(
          database,
          sql: "SELECT details_forgotten = 0 AND detail_bytes > 0 FROM imports WHERE import_id <> ? ORDER BY import_id",
          arguments: [new])
      }
      #expect(kept == (0..<500).map { $0 >= 400 })
    }
  }

  @Test("What an import has forgotten when the process ends is deleted after its start")
  func resumed() async throws {
    let (home, identity) = ("/tmp/racha-forgotten-\(UInt32.random(in: .min ... .max))", IdentityDouble())
    defer { try? FileManager.default.removeItem(atPath: home) }
    try await ServicesInProcess.running(Self.services, identity: identity, home: home) { services in
      let store = services.store(of: .activity)
      let ana = try await services.register()
      let (_, new) = try await plant(100, of: ana.id, store)
      try await store.write { try ImportStore.end(new, .cancelled, $0) }
    }
    try await ServicesInProcess.running(Self.services, identity: identity, home: home) { services in
      let store = services.store(of: .activity)
      try await store.until {
        let (problems, exercises) = (try await store.rows("import_problems"), try await store.rows("import_exercises"))
        return problems == 0 && exercises == 1
      }
    }
  }
}
