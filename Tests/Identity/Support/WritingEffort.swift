import GRDB
import GRDBSQLite
import Storage

extension Store {
  /// How many tens of steps SQLite's machine takes for a writing.
  func steps(ofWriting body: @escaping @Sendable (Transaction) throws -> Void) async throws -> Int {
    try await write { transaction in
      let connection = transaction.database.sqliteConnection
      var count = 0
      try withUnsafeMutablePointer(to: &count) { count in
        sqlite3_progress_handler(
          connection, 10,
          { count in
            count?.assumingMemoryBound(to: Int.self).pointee += 1
            return 0
          }, count)
        defer { sqlite3_progress_handler(connection, 0, nil, nil) }
        try body(transaction)
      }
      return count
    }
  }
}
