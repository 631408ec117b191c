import ActivityContract
import GRDB
import Operations
import Storage

/// The problems and exercises of imports are kept as long as those of all imports of an account take no more than `Import.maxDetailBytes`.
/// Those of the oldest imports are forgotten, at most ``maxForgotten`` imports at once, and their rows are deleted in steps: until then
/// `detail_bytes` stays above 0.
extension ImportStore {
  static func detailsMigration(_ number: Int) -> Migration {
    Migration(number, "bytes of imports' details, and movements of tracks") { database in
      try database.execute(
        sql: """
          -- The size of the import's problems and exercises once it has ended, and whether they were deleted.
          ALTER TABLE imports ADD COLUMN detail_bytes INTEGER NOT NULL DEFAULT 0 CHECK (detail_bytes >= 0);
          ALTER TABLE imports ADD COLUMN details_forgotten INTEGER NOT NULL DEFAULT 0 CHECK (details_forgotten IN (0, 1));
          -- The kind of movement on tracks that do not name one.
          ALTER TABLE imports ADD COLUMN movement TEXT;
          UPDATE imports SET detail_bytes = \(bytes) WHERE ended_at IS NOT NULL;
          """)
    }
  }

  /// The index of imports whose forgotten problems and exercises are still to be deleted.
  static func forgottenMigration(_ number: Int) -> Migration {
    Migration(number, "forgotten details of imports") { database in
      try database.execute(
        sql: "CREATE INDEX imports_forgotten ON imports (account_id) WHERE details_forgotten = 1 AND detail_bytes > 0")
    }
  }

  /// The approximate size of problems and exercises with their indexes.
  private static let bytes = """
    ifnull((SELECT sum(80 + ifnull(length(part), 0)) FROM import_problems WHERE import_problems.import_id = imports.import_id), 0)
    + ifnull((SELECT sum(200 + ifnull(length(title), 0)) FROM import_exercises
      WHERE import_exercises.import_id = imports.import_id), 0)
    """

  /// The maximum number of imports that are forgotten in the transaction that ends another one; others are forgotten once those are
  /// deleted.
  static let maxForgotten = 200

  /// Forgets problems and exercises of the oldest imports, where the import that has just ended brings the total over the maximum.
  static func forgetDetails(of row: ImportRow, in database: Database) throws {
    // An import has few enough of them to be summed at once: see `ImportLimits.maxExercises` and `ListImportProblems.maximum`.
    try database.cachedStatement(sql: "UPDATE imports SET detail_bytes = \(bytes) WHERE import_id = ?").execute(
      arguments: [row.id])
    _ = try forgetOldest(of: row.account, except: row.id, limit: maxForgotten, in: database)
  }

  /// The newest by their ids stay.
  ///
  /// - Parameter kept: an import that is not forgotten in any case; nil for none.
  /// - Returns: how many imports are forgotten now.
  private static func forgetOldest(
    of account: AccountID, except kept: ImportID?, limit: Int, in database: Database
  ) throws -> Int {
    let old = try ImportID.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT import_id FROM (
            SELECT import_id, sum(detail_bytes) OVER (ORDER BY import_id DESC) AS kept FROM imports
            WHERE account_id = ? AND detail_bytes > 0 AND details_forgotten = 0)
          WHERE kept > ? AND import_id IS NOT ? ORDER BY import_id LIMIT ?
          """), arguments: [account, Import.maxDetailBytes, kept, limit])
    for id in old { try database.run("UPDATE imports SET details_forgotten = 1 WHERE import_id = ?", .id(id)) }
    return old.count
  }

  /// Deletes some of the forgotten problems and exercises.
  ///
  /// - Returns: whether there may be more.
  static func deleteForgotten(rows: Int, _ transaction: Transaction) throws -> Bool {
    let database = transaction.database
    var left = rows
    while left > 0 {
      let found = try database.first(
        """
        SELECT import_id, account_id FROM imports INDEXED BY imports_forgotten
        WHERE account_id > ? AND details_forgotten = 1 AND detail_bytes > 0 LIMIT 1
        """, .id(AccountID.placeholder)
      ) { (id: try $0.id(0) as ImportID, account: try $0.id(1) as AccountID) }
      guard let (id, account) = found else { return false }
      for table in ["import_exercises", "import_problems"] {
        try database.run(
          """
          DELETE FROM \(table) WHERE import_id = ?1 AND number IN (
            SELECT number FROM \(table) WHERE import_id = ?1 ORDER BY number LIMIT ?2)
          """, .id(id), .number(left))
        left -= database.changesCount
      }
      guard left > 0 else { break }
      // Before the last one of the account is done, so that nothing is left over where the process ends.
      if try !hasForgotten(of: account, except: id, in: database) {
        left -= try forgetOldest(of: account, except: nil, limit: min(left, maxForgotten), in: database)
      }
      guard left > 0 else { break }
      try database.run("UPDATE imports SET detail_bytes = 0 WHERE import_id = ?", .id(id))
      left -= 1
    }
    return true
  }

  /// Whether an account has a further import whose forgotten problems and exercises are still to be deleted.
  private static func hasForgotten(of account: AccountID, except id: ImportID, in database: Database) throws -> Bool {
    try database.first(
      """
      SELECT 1 FROM imports INDEXED BY imports_forgotten
      WHERE account_id = ? AND details_forgotten = 1 AND detail_bytes > 0 AND import_id <> ? LIMIT 1
      """, .id(account), .id(id)
    ) { _ in true } ?? false
  }
}
