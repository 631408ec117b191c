import ActivityContract
import GRDB
import GRDBSQLite
import Operations

/// The two insertions of a batch, prepared once.
///
/// Samples come by the hundred thousand, and half of an insertion's time through GRDB goes into the arrays of its arguments. So the
/// first one binds its values itself; its statement stays GRDB's, which prepares, keeps and finalizes it.
struct SampleInsertion {
  private let account: Int64
  private let database: Database
  private let sample: Statement
  private let laterDay: Statement

  init(of account: Int64, in database: Database) throws {
    self.account = account
    self.database = database
    sample = try database.cachedStatement(
      sql: """
        INSERT INTO step_samples (account_number, sample_id, start_at, end_at, steps, source_id, day, day_steps)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
        """)
    laterDay = try database.cachedStatement(
      sql: "INSERT INTO step_sample_days (account_number, sample_id, day, steps) VALUES (?, ?, ?, ?)")
  }

  /// Keeps a sample with its first day.
  ///
  /// - Returns: whether it is new.
  func insert(_ item: PlacedSample, source: Int64) throws -> Bool {
    let statement = sample.sqliteStatement
    var id = item.sample.id
    // SQLite reads the id's bytes where they are, for as long as the statement runs.
    let result = id.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { text in
        sqlite3_bind_int64(statement, 1, account)
        sqlite3_bind_text(statement, 2, text.baseAddress, CInt(text.count), nil)
        sqlite3_bind_int64(statement, 3, item.sample.start.milliseconds)
        sqlite3_bind_int64(statement, 4, item.sample.end.milliseconds)
        sqlite3_bind_int64(statement, 5, Int64(item.sample.steps))
        sqlite3_bind_int64(statement, 6, source)
        sqlite3_bind_int64(statement, 7, Int64(item.day.daysSinceEpoch))
        sqlite3_bind_int64(statement, 8, Int64(item.daySteps))
        let result = sqlite3_step(statement)
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
        return result
      }
    }
    guard result == SQLITE_DONE else {
      throw DatabaseError(resultCode: ResultCode(rawValue: result), message: database.lastErrorMessage, sql: sample.sql)
    }
    return sqlite3_changes(database.sqliteConnection) > 0
  }

  /// Keeps one of a sample's later days.
  func insert(_ day: StepDay, of sample: StepSample) throws {
    try laterDay.execute(arguments: [account, sample.id, day.day, day.steps])
  }
}
