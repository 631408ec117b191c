import GRDB
import Operations
import ServiceKit
import Storage
import Testing

@Suite("The erasure of accounts in all services (ID-12)")
struct ErasureTests {
  @Test("Every table of every store says how it forgets an account")
  func coverage() async throws {
    try await AllServices.withStores { definition, store in
      let service = definition.contract.service
      let found = try await store.read { database in
        try Set(
          String.fetchAll(
            database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"))
      }
      let declared = Set(definition.erasedTables.map(\.name))
      let missing = found.subtracting(declared).subtracting(ErasedTable.ofEveryStore)
      #expect(missing.isEmpty, "\(service): say in its list of erased tables how these forget an account: \(missing.sorted())")
      #expect(declared.subtracting(found).isEmpty, "\(service) has no such tables")
    }
  }

  @Test("Every table with an account's column is declared to hold data of accounts, except the notes of deletions")
  func accountColumns() async throws {
    let notes: Set = ["account_deletions", "ended_sessions"]
    try await AllServices.withStores { definition, store in
      for table in definition.erasedTables where table.reason != nil && !notes.contains(table.name) {
        let columns = try await store.read { try $0.columns(in: table.name).map(\.name) }
        #expect(!columns.contains { $0.contains("account") && !$0.contains("key") }, "\(table.name)")
      }
    }
  }

  @Test("A table declared to be erased with another one has a cascading foreign key to it")
  func following() async throws {
    try await AllServices.withStores { definition, store in
      for table in definition.erasedTables {
        guard let followed = table.followed else { continue }
        let cascades = try await store.read { database in
          try Bool.fetchOne(
            database,
            sql: """
              SELECT EXISTS (SELECT 1 FROM pragma_foreign_key_list(?) WHERE "table" = ? AND on_delete = 'CASCADE')
              """, arguments: [table.name, followed])
        }
        #expect(cascades == true, "\(table.name)")
      }
    }
  }

  @Test("Every statement of erasure fits its tables, and erasing an account without data works")
  func statements() async throws {
    try await AllServices.withStores { definition, store in
      let account = AccountID()
      let erasure = Erasure(definition.erasedTables)
      try await store.write { try erasure.begin(account, ID(), $0) }
      #expect(try await store.read { try $0.isErased(account) })
      #expect(try await store.read { try $0.unconfirmedErasures(limit: 10) }.map(\.account) == [account])
    }
  }

  @Test("No statement of erasure scans a whole table for the rows of one account")
  func scans() async throws {
    // Tables that hold a few rows: what administrators look into, ended by them or by themselves.
    let small: Set = ["incidents"]
    try await AllServices.withStores { definition, store in
      for table in definition.erasedTables where !small.contains(table.name) {
        for sql in try await store.read(table.sql) {
          let bound = sql.replacing(":account", with: "x'00'").replacing(":text", with: "'a'").replacing(":now", with: "0")
            .replacing(":limit", with: "1")
          let steps = try await store.read {
            try Row.fetchAll($0, sql: "EXPLAIN QUERY PLAN \(bound)").map { $0["detail"] as String }
          }
          // Of what a statement made itself it looks through all.
          let made = ["SCAN CONSTANT ROW", "SCAN n", "SCAN (subquery"]
          let scans = steps.filter { step in
            step.hasPrefix("SCAN ") && !made.contains { step == $0 || $0 != "SCAN n" && step.hasPrefix($0) }
          }
          #expect(scans.isEmpty, "\(definition.contract.service): \(table.name): \(sql)")
        }
      }
    }
  }
}
