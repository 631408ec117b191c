import ActivityContract
import GRDB
import ImportFormats
import Operations
import Storage

/// The exercises of imported files.
extension ImportStore {
  /// Whether an exercise with that name, which is derived from its content, was in any of the account's files whose exercises are kept.
  static func hasExercise(_ name: String, of account: AccountID, in database: Database) throws -> Bool {
    try database.first(
      """
      SELECT 1 FROM import_exercises JOIN imports USING (import_id)
      WHERE import_exercises.account_id = ? AND name_of_content = ? AND details_forgotten = 0 LIMIT 1
      """, .id(account), .text(name)
    ) { _ in true } ?? false
  }

  /// Adds one to its import, as long as that has room.
  ///
  /// - Parameter start: where the account is.
  static func add(
    _ exercise: FoundExercise, start: Instant?, atLine line: Int, of row: ImportRow, in database: Database
  ) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO import_exercises (import_id, number, account_id, name_of_content, line, kind, title, start_at, seconds, meters)
        SELECT ?1, ifnull(max(number), 0) + 1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM import_exercises WHERE import_id = ?1
        HAVING ifnull(max(number), 0) < ?10
        """
    ).execute(arguments: [
      row.id, row.account, exercise.id, line, exercise.kind, exercise.name, start, exercise.durationSeconds,
      exercise.distanceMeters, ImportLimits.maxExercises,
    ])
  }
}
