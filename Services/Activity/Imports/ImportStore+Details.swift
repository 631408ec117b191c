import ActivityContract
import GRDB
import Operations
import Storage

/// The problems and exercises of imports are kept as long as those of all imports of an account take no more than `Import.maxDetailBytes`.
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

  /// The approximate size of problems and exercises with their indexes.
  private static let bytes = """
    ifnull((SELECT sum(80 + ifnull(length(part), 0)) FROM import_problems WHERE import_problems.import_id = imports.import_id), 0)
    + ifnull((SELECT sum(200 + ifnull(length(title), 0)) FROM import_exercises
      WHERE import_exercises.import_id = imports.import_id), 0)
    """

  /// Drops problems and exercises of the oldest imports, where the import that has just ended brings the total over the maximum.
  static func forgetDetails(of row: ImportRow, in database: Database) throws {
    try database.cachedStatement(sql: "UPDATE imports SET detail_bytes = \(bytes) WHERE import_id = ?").execute(
      arguments: [row.id])
    let old = try ImportID.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT import_id FROM (
            SELECT import_id, sum(detail_bytes) OVER (ORDER BY import_id DESC) AS kept FROM imports
            WHERE account_id = ? AND detail_bytes > 0)
          WHERE kept > ? AND import_id <> ?
          """), arguments: [row.account, Import.maxDetailBytes, row.id])
    for id in old {
      for table in ["import_problems", "import_exercises"] {
        try database.cachedStatement(sql: "DELETE FROM \(table) WHERE import_id = ?").execute(arguments: [id])
      }
      try database.cachedStatement(
        sql: "UPDATE imports SET detail_bytes = 0, details_forgotten = 1 WHERE import_id = ?"
      ).execute(arguments: [id])
    }
  }
}
