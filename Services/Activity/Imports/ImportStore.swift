import ActivityContract
import GRDB
import Operations
import ServiceKit
import Storage

/// The imports of all accounts.
enum ImportStore {
  // MARK: - For owners

  /// Announces a file.
  static func create(
    _ input: CreateImport.Input, of account: AccountID, _ limits: ImportLimits, _ transaction: Transaction
  ) throws -> ImportRow {
    let database = transaction.database
    let unfinished = try Int.fetchOne(
      database.cachedStatement(sql: "SELECT count(*) FROM imports WHERE account_id = ? AND ended_at IS NULL"),
      arguments: [account])
    guard (unfinished ?? 0) < ImportLimits.maxUnfinished else {
      throw ImportFailure.tooMany.with(["max": .number(ImportLimits.maxUnfinished)])
    }
    try requireRoom(for: input.totalBytes, of: account, limits, in: database)
    try requireRoom(for: input.totalBytes, limits, in: database)
    let id = ImportID()
    try database.cachedStatement(
      sql: """
        INSERT INTO imports (import_id, account_id, name, said_format, sha256, person, movement, state, total_bytes, received_bytes, progress,
          position, taken, repeated, refused, days, created_at, touched_at, published_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, 'uploading', ?, 0, 0, 0, 0, 0, 0, 0, ?, ?, 0)
        """
    ).execute(arguments: [
      id, account, input.name.trimmed, input.format, input.sha256?.lowercased(), input.person?.trimmed, input.movement,
      input.totalBytes,
      transaction.now,
      transaction.now,
    ])
    try forgetOld(of: account, in: database)
    return try find(id, of: account, in: database)
  }

  /// Throws where the announced size of an account's unfinished imports would exceed its maximum.
  private static func requireRoom(
    for bytes: Int, of account: AccountID, _ limits: ImportLimits, in database: Database
  ) throws {
    let max = limits.spoolBytesPerAccount
    guard bytes <= max else { throw Failure.field("totalBytes", FieldRule("file_too_large", ["max": .number(max)])) }
    let announced = try Int.fetchOne(
      database.cachedStatement(sql: "SELECT sum(total_bytes) FROM imports WHERE account_id = ? AND ended_at IS NULL"),
      arguments: [account])
    guard (announced ?? 0) + bytes <= max else { throw ImportFailure.accountFull.with(["max": .number(max)]) }
  }

  /// Throws where there is no room for more bytes in addition to those that have arrived. Announced bytes that have not arrived take none.
  static func requireRoom(for bytes: Int, _ limits: ImportLimits, in database: Database) throws {
    let arrived = try Int.fetchOne(
      database.cachedStatement(sql: "SELECT sum(received_bytes) FROM imports WHERE ended_at IS NULL"))
    guard (arrived ?? 0) + bytes <= limits.spoolBytes else { throw ImportFailure.noRoom.with(retryAfterSeconds: 600) }
  }

  /// Deletes the oldest ended imports above the maximum.
  private static func forgetOld(of account: AccountID, in database: Database) throws {
    try database.cachedStatement(
      sql: """
        DELETE FROM imports WHERE account_id = ?1 AND ended_at IS NOT NULL AND import_id <= (
          SELECT import_id FROM imports WHERE account_id = ?1 ORDER BY import_id DESC LIMIT 1 OFFSET ?2)
        """
    ).execute(arguments: [account, Import.maxKept])
  }

  /// Returns the account's import with that id; another account's import is not found either.
  static func find(_ id: ImportID, of account: AccountID, in database: Database) throws -> ImportRow {
    guard let row = try find(id, in: database), row.account == account else { throw ImportFailure.notFound }
    return row
  }

  static func find(_ id: ImportID, in database: Database) throws -> ImportRow? {
    try Row.fetchOne(database.cachedStatement(sql: "SELECT * FROM imports WHERE import_id = ?"), arguments: [id])
      .map(ImportRow.init)
  }

  /// The account's imports, newest first.
  static func list(of account: AccountID, _ page: PageRequest, _ language: Language, in database: Database) throws -> Page<Import>
  {
    let statement = try database.cachedStatement(
      sql: """
        SELECT * FROM imports WHERE account_id = ?1 AND import_id < ?2 ORDER BY import_id DESC LIMIT ?3
        """)
    let rows = try Row.fetchAll(
      statement, arguments: [account, page.cursor(ImportID.init(text:)) ?? .last, page.fetchLimit])
    return page.page(of: rows.map(ImportRow.init), key: \.id) { $0.shown(language) }
  }

  /// Records that the file has arrived up to a position, if the chunk starts where the file ended.
  ///
  /// - Returns: the import with its present position.
  static func note(
    received: Int, after before: Int, of id: ImportID, _ account: AccountID, _ transaction: Transaction
  ) throws -> ImportRow {
    try transaction.database.cachedStatement(
      sql: """
        UPDATE imports SET received_bytes = ?, touched_at = ?
        WHERE import_id = ? AND account_id = ? AND state = 'uploading' AND received_bytes = ?
        """
    ).execute(arguments: [received, transaction.now, id, account, before])
    return try find(id, of: account, in: transaction.database)
  }

  /// Records the file's format before it is read, so that it is detected once.
  static func note(_ format: ImportFormat, of id: ImportID, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE imports SET format = ?, touched_at = ? WHERE import_id = ? AND state = 'uploading'"
    ).execute(arguments: [format, transaction.now, id])
  }

  /// Records the file's format and queues the import for reading.
  static func accept(_ id: ImportID, as format: ImportFormat, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE imports SET state = 'waiting', format = ?, touched_at = ? WHERE import_id = ? AND state = 'uploading'"
    ).execute(arguments: [format, transaction.now, id])
  }

  /// Ends an import, and publishes that; an import that has already ended is not changed.
  ///
  /// - Parameter reason: why, where it failed.
  static func end(_ id: ImportID, _ state: ImportState, _ transaction: Transaction, because reason: ImportEnd? = nil) throws {
    let database = transaction.database
    try database.cachedStatement(
      sql: """
        UPDATE imports SET state = ?, reason = ?, ended_at = ?, published_at = ?, progress = iif(?1 = 'done', 100, progress)
        WHERE import_id = ? AND ended_at IS NULL
        """
    ).execute(arguments: [state, reason, transaction.now, transaction.now, id])
    guard database.changesCount > 0, let row = try find(id, in: database) else { return }
    try database.cachedStatement(sql: "DELETE FROM import_days WHERE import_id = ?").execute(arguments: [id])
    try forgetDetails(of: row, in: database)
    try transaction.publish(ImportProgressed(row))
  }

  /// Ends an import whose file was read completely.
  static func finish(_ id: ImportID, _ transaction: Transaction) throws {
    guard let row = try find(id, in: transaction.database) else { return }
    if row.hasNothingUsable {
      try end(id, .failed, transaction, because: .nothingUsable)
    } else {
      try end(id, .done, transaction)
    }
  }

  /// Ends an account's uploading and waiting imports after it withdrew the consent to activity data, and publishes that; an import that is
  /// being read ends before its next batch. Habits need no consent; a file of unknown format may contain movement.
  static func endUnconsented(of account: AccountID, _ transaction: Transaction) throws {
    let statement = try transaction.database.cachedStatement(
      sql: "SELECT * FROM imports WHERE account_id = ? AND state IN ('uploading', 'waiting')")
    for row in try Row.fetchAll(statement, arguments: [account]).map(ImportRow.init)
    where (row.format ?? row.saidFormat)?.needsConsent != false {
      try end(row.id, .failed, transaction, because: .consentWithdrawn)
    }
  }

  // MARK: - For the worker

  /// Returns the next import to read in addition to the running ones: among those with a free slot one that was started before, otherwise
  /// the one that has waited longest.
  static func next(beside slots: ImportSlots = ImportSlots(), in database: Database) throws -> ImportRow? {
    for state in [ImportState.reading, .waiting] {
      let statement = try database.cachedStatement(
        sql: "SELECT * FROM imports WHERE state = ? AND ended_at IS NULL ORDER BY touched_at")
      let rows = try Row.fetchCursor(statement, arguments: [state])
      while let row = try rows.next() {
        let row = ImportRow(row)
        if slots.haveRoom(for: row) { return row }
      }
    }
    return nil
  }

  /// Counts a start of reading. An import that reached the maximum number of starts without progress fails instead: something in its file
  /// crashes the reader each time.
  ///
  /// - Returns: whether to read the import.
  static func begin(_ id: ImportID, _ transaction: Transaction) throws -> Bool {
    let database = transaction.database
    try database.cachedStatement(
      sql: "UPDATE imports SET state = 'reading', starts = starts + 1 WHERE import_id = ? AND state IN ('waiting', 'reading')"
    ).execute(arguments: [id])
    guard database.changesCount > 0, let row = try find(id, in: database) else { return false }
    guard row.starts > ImportLimits.maxStarts else { return true }
    try end(id, .failed, transaction, because: .givenUp)
    return false
  }

  /// Undoes the count of a start whose reading was stopped, not interrupted by a crash.
  static func takeBackStart(of id: ImportID, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(sql: "UPDATE imports SET starts = max(0, starts - 1) WHERE import_id = ?")
      .execute(arguments: [id])
  }

  /// Records the persons in a file, where no row belongs to the requested one.
  static func note(persons: [String], of id: ImportID, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(sql: "UPDATE imports SET persons = ? WHERE import_id = ?")
      .execute(arguments: [persons.joined(separator: "\n"), id])
  }

  /// Records the progress of reading, and publishes it now and then.
  static func note(_ outcome: ImportOutcome, position: Int, progress: Int, of row: ImportRow, _ transaction: Transaction) throws {
    let database = transaction.database
    var days = 0
    for day in outcome.days.sorted() {
      try database.run("INSERT OR IGNORE INTO import_days (import_id, day) VALUES (?, ?)", .id(row.id), .day(day))
      days += database.changesCount
    }
    try note(outcome.problems, of: row, in: database)
    let isPublished =
      progress > row.progress && transaction.now >= row.publishedAt.adding(seconds: ImportLimits.publishingSeconds)
    try database.cachedStatement(
      sql: """
        UPDATE imports SET starts = 0, position = ?, progress = max(progress, ?), taken = taken + ?, repeated = repeated + ?,
          refused = refused + ?, days = days + ?, published_at = ? WHERE import_id = ?
        """
    ).execute(arguments: [
      position, progress, outcome.taken, outcome.repeated, outcome.problems.count, days,
      isPublished ? transaction.now : row.publishedAt,
      row.id,
    ])
    if isPublished, let now = try find(row.id, in: database) { try transaction.publish(ImportProgressed(now)) }
  }

  // MARK: - Problems and exercises

  private static func note(_ problems: [ImportOutcome.Problem], of row: ImportRow, in database: Database) throws {
    let statement = try database.cachedStatement(
      sql: "INSERT INTO import_problems (import_id, number, part, line, code) VALUES (?, ?, ?, ?, ?)")
    let room = max(0, ListImportProblems.maximum - row.refused)
    for (index, problem) in problems.prefix(room).enumerated() {
      try statement.execute(arguments: [row.id, row.refused + index + 1, problem.part, problem.line, problem.reason])
    }
  }

  /// The import's problems, in the order of the file.
  static func problems(
    of id: ImportID, _ page: PageRequest, _ language: Language, in database: Database
  ) throws -> Page<ImportProblem> {
    let statement = try database.cachedStatement(
      sql: "SELECT * FROM import_problems WHERE import_id = ? AND number > ? ORDER BY number LIMIT ?")
    let rows = try Row.fetchAll(statement, arguments: [id, page.after, page.fetchLimit])
    return page.page(of: rows, key: { $0["number"] as Int }) { row in
      let code: ImportProblemReason = row["code"]
      return ImportProblem(
        number: row["number"], part: row["part"], line: row["line"], code: code, text: ImportWords.text(code, language))
    }
  }

  /// The import's exercises, in the order of the file.
  static func exercises(of id: ImportID, _ page: PageRequest, in database: Database) throws -> Page<ImportedExercise> {
    let statement = try database.cachedStatement(
      sql: "SELECT * FROM import_exercises WHERE import_id = ? AND number > ? ORDER BY number LIMIT ?")
    let rows = try Row.fetchAll(statement, arguments: [id, page.after, page.fetchLimit])
    return page.page(of: rows, key: { $0["number"] as Int }) { row in
      ImportedExercise(
        line: row["line"], kind: row["kind"], name: row["title"], start: row["start_at"], durationSeconds: row["seconds"],
        distanceMeters: row["meters"])
    }
  }

  // MARK: - Housekeeping

  /// Ends the imports whose uploads made no progress for too long.
  static func expire(_ transaction: Transaction) throws -> [ImportRow] {
    let statement = try transaction.database.cachedStatement(
      sql: "SELECT * FROM imports WHERE state = 'uploading' AND ended_at IS NULL AND touched_at < ? LIMIT 100")
    let idle = try Row.fetchAll(statement, arguments: [transaction.now.adding(seconds: -ImportLimits.idleSeconds)])
      .map(ImportRow.init)
    for row in idle { try end(row.id, .failed, transaction, because: .expired) }
    return idle
  }

  /// Which of these are imports that have not ended.
  static func unfinished(in database: Database) throws -> Set<ImportID> {
    try Set(ImportID.fetchAll(database, sql: "SELECT import_id FROM imports WHERE ended_at IS NULL"))
  }
}

extension ImportProgressed {
  init(_ row: ImportRow) {
    self.init(accountID: row.account, importID: row.id, state: row.state, progress: row.progress, counts: row.counts)
  }
}

extension PageRequest {
  /// For lists by ascending number: only rows above it belong to the page.
  fileprivate var after: Int64 {
    get throws(Failure) {
      try cursor { text throws(FieldRule) in
        guard let number = Int64(text) else { throw PageCursor.invalid }
        return number
      } ?? 0
    }
  }
}
