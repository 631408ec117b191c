import ActivityContract
import GRDB
import GRDBSQLite
import Operations
import Storage

extension MovementSampleStore {
  /// The insertions of a batch, prepared once.
  ///
  /// Samples come by the hundred thousand, and half of an insertion's time through GRDB goes into the arrays of its arguments. So the
  /// first one binds its values itself; its statement stays GRDB's, which prepares, keeps and finalizes it.
  struct Insertion {
    private let account: Int64
    private let database: Database
    private let sample: Statement
    private let piece: Statement
    /// The next key of each day of each kind, by its first; a batch's samples are mostly of the same day as the one before.
    private var next: [SampleKey: Int64] = [:]
    private var last: (first: SampleKey, next: Int64)?

    init(of account: Int64, in database: Database) throws {
      self.account = account
      self.database = database
      sample = try database.cachedStatement(
        sql: """
          INSERT INTO movement_samples
            (position, account_number, sample_id, start_at, end_at, amount, source_number, version, flags, form)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
          """)
      piece = try database.cachedStatement(
        sql: """
          INSERT INTO movement_sample_pieces (account_number, sample_id, day, from_at, until_at, elapsed) VALUES (?, ?, ?, ?, ?, ?)
          """)
    }

    enum Result { case inserted, present, full }

    /// Keeps a sample, unless there is one of its id, or its day is full.
    mutating func insert(_ item: PreparedSample, source: Int64) throws -> Result {
      let first = SampleKey(account: account, kind: item.sample.kind, day: item.spread.day)
      if last?.first != first {
        if let last { next[last.first] = last.next }
        last = (first, try next[first] ?? free(first))
      }
      let key = last?.next ?? first.rawValue
      guard first.free.contains(key) else { return .full }
      guard try insert(item, key: key, source: source) else { return .present }
      last?.next = key + 1
      for part in item.spread.pieces {
        try piece.execute(arguments: [account, item.sample.id, part.day, part.from, part.until, part.elapsed])
      }
      return .inserted
    }

    private func free(_ first: SampleKey) throws -> Int64 {
      try database.first(
        "SELECT ifnull(max(position), ?1 - 1) + 1 FROM movement_samples WHERE position >= ?1 AND position < ?2",
        .integer(first.ofDay.lowerBound), .integer(first.ofDay.upperBound)
      ) { Int64($0.number(0)) } ?? first.rawValue
    }

    private func insert(_ item: PreparedSample, key: Int64, source: Int64) throws -> Bool {
      let statement = sample.sqliteStatement
      var id = item.sample.id
      // SQLite reads the id's bytes where they are, for as long as the statement runs.
      let result = id.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { text in
          sqlite3_bind_int64(statement, 1, key)
          sqlite3_bind_int64(statement, 2, account)
          sqlite3_bind_text(statement, 3, text.baseAddress, CInt(text.count), nil)
          sqlite3_bind_int64(statement, 4, item.sample.start.milliseconds)
          sqlite3_bind_int64(statement, 5, item.sample.end.milliseconds)
          sqlite3_bind_int64(statement, 6, Int64(item.spread.amount))
          sqlite3_bind_int64(statement, 7, source)
          sqlite3_bind_int64(statement, 8, Int64(item.sample.version ?? 0))
          sqlite3_bind_int64(statement, 9, Int64(item.flags.rawValue))
          sqlite3_bind_int64(statement, 10, item.spread.pieces.isEmpty ? 0 : 1)
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
  }
}
