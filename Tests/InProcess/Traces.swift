import GRDB
public import Operations
public import Storage

extension Store {
  /// Where the file names the account still: `<table>.<column>` for each column that holds its id, as bytes or within a text. What
  /// notes the erasure itself is left out.
  public func traces(of account: AccountID) async throws -> [String] {
    try await read { database in
      let tables = try String.fetchAll(
        database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'erasures'")
      var found: [String] = []
      for table in tables.sorted() {
        for column in try database.columns(in: table).map(\.name) {
          let holds = """
            SELECT EXISTS (SELECT 1 FROM "\(table)" WHERE "\(column)" = ?1
              OR instr(CAST("\(column)" AS BLOB), CAST(?2 AS BLOB)) > 0)
            """
          if try Bool.fetchOne(database, sql: holds, arguments: [account, account.description]) == true {
            found.append("\(table).\(column)")
          }
        }
      }
      return found
    }
  }

  /// How many rows a table has.
  public func rows(_ table: String) async throws -> Int {
    try await read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \"\(table)\"") ?? 0 }
  }

  /// What was erased of the account, as `<kind> <count>`; none where it was not.
  public func erasedCounts(of account: AccountID) async throws -> [String] {
    try await read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT e.value ->> 'kind' AS kind, e.value ->> 'count' AS count
          FROM erasures, json_each(counts, '$.counts') e WHERE account_id = ?
          """, arguments: [account]
      ).map { "\($0["kind"] as String) \($0["count"] as Int)" }
    }
  }
}
