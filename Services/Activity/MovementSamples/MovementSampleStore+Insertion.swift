import ActivityContract
import GRDB
import GRDBSQLite
import Operations
import Storage

extension MovementSampleStore {
  /// Inserts the samples of a batch with prepared statements.
  ///
  /// Samples come by the hundred thousand, and half of the time of an insertion through GRDB goes into its array of arguments. So the first
  /// statement binds its values itself; GRDB still prepares, keeps and finalizes it.
  struct Insertion {
    private let account: Int64
    private let database: Database
    private let sample: Statement
    private let piece: Statement
    /// The days of each kind that were examined, by their first keys; most samples of a batch are of the same day as the one before.
    private var rooms: [SampleKey: Room] = [:]
    private var last: Room?

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

    /// The free keys of a day and kind.
    private struct Room {
      let first: SampleKey
      /// The next key.
      var next: Int64
      /// The number of samples; before they are counted, the number of keys used, which is at least as high.
      var count: Int64
      var isCounted = false
    }

    enum Result { case inserted, present, full }

    /// Inserts a sample, unless its id already exists, or its day is full.
    mutating func insert(_ item: PreparedSample, source: Int64) throws -> Result {
      guard let key = try freeKey(item) else { return try isPresent(item.sample.id) ? .present : .full }
      guard try insert(item, key: key, source: source) else { return .present }
      tookFreeKey()
      try insertPieces(item)
      return .inserted
    }

    /// Replaces an earlier version of a sample. The new version keeps the key if kind and first day are the same, so corrections do not
    /// fill up a day. The key of a deleted sample does not count for its day, so a sample that returns needs a new one.
    ///
    /// - Returns: false if it needs a new key and its day is full; then the earlier version stays.
    mutating func replace(at position: Int64, wasDeleted: Bool, with item: PreparedSample, source: Int64) throws -> Bool {
      let keepsKey = !wasDeleted && firstKey(item).ofDay.contains(position)
      guard let key = try keepsKey ? position : freeKey(item) else { return false }
      try database.run("DELETE FROM movement_samples WHERE position = ?", .integer(position))
      let isInserted = try insert(item, key: key, source: source)
      precondition(isInserted, "neither the key nor the id is in use")
      if !keepsKey { tookFreeKey() }
      try insertPieces(item)
      return true
    }

    private func firstKey(_ item: PreparedSample) -> SampleKey {
      SampleKey(account: account, kind: item.sample.kind, day: item.spread.day)
    }

    /// A free key for that kind and day; nil if there is none.
    private mutating func freeKey(_ item: PreparedSample) throws -> Int64? {
      let first = firstKey(item)
      var room: Room
      if let last, last.first == first {
        room = last
      } else {
        if let last { rooms[last.first] = last }
        room = try rooms[first] ?? self.room(first)
      }
      if room.count >= SampleKey.maximum, !room.isCounted {
        room.count = try count(first)
        room.isCounted = true
      }
      last = room
      return room.count < SampleKey.maximum && first.ofDay.contains(room.next) ? room.next : nil
    }

    /// Marks the last free key as used.
    private mutating func tookFreeKey() {
      last?.next += 1
      last?.count += 1
    }

    private func room(_ first: SampleKey) throws -> Room {
      let used = try MovementSampleStore.usedKeys(from: first, in: database)
      return Room(first: first, next: first.rawValue + used, count: used)
    }

    /// The number of samples of a kind and day, without deleted ones.
    private func count(_ first: SampleKey) throws -> Int64 {
      try database.first(
        "SELECT count(*) FROM movement_samples WHERE position >= ? AND position < ? AND form < 2",
        .integer(first.ofDay.lowerBound), .integer(first.ofDay.upperBound)
      ) { Int64($0.number(0)) } ?? 0
    }

    private func isPresent(_ id: String) throws -> Bool {
      try database.first(
        "SELECT 1 FROM movement_samples WHERE account_number = ? AND sample_id = ?", .integer(account), .text(id)
      ) { _ in true } ?? false
    }

    private func insertPieces(_ item: PreparedSample) throws {
      for part in item.spread.pieces {
        try piece.execute(arguments: [account, item.sample.id, part.day, part.from, part.until, part.elapsed])
      }
    }

    private func insert(_ item: PreparedSample, key: Int64, source: Int64) throws -> Bool {
      let statement = sample.sqliteStatement
      var id = item.sample.id
      // SQLite reads the id's bytes in place while the statement runs.
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
