import ActivityContract
import GRDB
import GRDBSQLite
import Operations

/// The insertions of a batch, prepared once.
///
/// Samples come by the hundred thousand, and half of an insertion's time through GRDB goes into the arrays of its arguments. So the
/// first one binds its values itself; its statement stays GRDB's, which prepares, keeps and finalizes it.
struct SampleInsertion {
  private let account: Int64
  private let database: Database
  private let sample: Statement
  private let piece: Statement

  init(of account: Int64, in database: Database) throws {
    self.account = account
    self.database = database
    sample = try database.cachedStatement(
      sql: """
        INSERT INTO movement_samples
          (account_number, kind, start_at, sample_id, end_at, amount, source_number, version, marks, day, form)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
        """)
    piece = try database.cachedStatement(
      sql: """
        INSERT INTO movement_sample_pieces (account_number, sample_id, day, from_at, until_at, elapsed) VALUES (?, ?, ?, ?, ?, ?)
        """)
  }

  /// Keeps a sample, unless there is one of its id.
  ///
  /// - Returns: whether it is new.
  func insert(_ item: PlacedSample, source: Int64) throws -> Bool {
    let statement = sample.sqliteStatement
    var id = item.sample.id
    // SQLite reads the id's bytes where they are, for as long as the statement runs.
    let result = id.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { text in
        sqlite3_bind_int64(statement, 1, account)
        sqlite3_bind_int64(statement, 2, Int64(item.sample.kind.number))
        sqlite3_bind_int64(statement, 3, item.sample.start.milliseconds)
        sqlite3_bind_text(statement, 4, text.baseAddress, CInt(text.count), nil)
        sqlite3_bind_int64(statement, 5, item.sample.end.milliseconds)
        sqlite3_bind_int64(statement, 6, Int64(item.spread.amount))
        sqlite3_bind_int64(statement, 7, source)
        sqlite3_bind_int64(statement, 8, Int64(item.sample.version ?? 0))
        sqlite3_bind_int64(statement, 9, Int64(item.marks.rawValue))
        sqlite3_bind_int64(statement, 10, Int64(item.spread.day.daysSinceEpoch))
        sqlite3_bind_int64(statement, 11, item.spread.pieces.isEmpty ? 0 : 1)
        let result = sqlite3_step(statement)
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
        return result
      }
    }
    guard result == SQLITE_DONE else {
      throw DatabaseError(resultCode: ResultCode(rawValue: result), message: database.lastErrorMessage, sql: sample.sql)
    }
    guard sqlite3_changes(database.sqliteConnection) > 0 else { return false }
    for part in item.spread.pieces {
      try piece.execute(arguments: [account, item.sample.id, part.day, part.from, part.until, part.elapsed])
    }
    return true
  }
}
