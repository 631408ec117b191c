import GRDB
import ImportFormats
import Operations
import Storage

/// Keeps the exercises of a file with its import.
enum ExerciseImport {
  static func take(
    _ exercise: FoundExercise, _ record: ImportedRecord, of row: ImportRow, _ outcome: inout ImportOutcome,
    _ transaction: Transaction
  ) throws {
    let database = transaction.database
    let isKnown = try database.first(
      "SELECT 1 FROM import_exercises WHERE account_id = ? AND name_of_content = ? LIMIT 1", .id(row.account), .text(exercise.id)
    ) { _ in true }
    try database.cachedStatement(
      sql: """
        INSERT INTO import_exercises (import_id, number, account_id, name_of_content, line, kind, title, start_at, seconds, meters)
        SELECT ?1, ifnull(max(number), 0) + 1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM import_exercises WHERE import_id = ?1
        HAVING ifnull(max(number), 0) < ?10
        """
    ).execute(arguments: [
      row.id, row.account, exercise.id, record.line, exercise.kind, exercise.name, exercise.start, exercise.durationSeconds,
      exercise.distanceMeters, ImportLimits.maxExercises,
    ])
    if isKnown == nil { outcome.taken += 1 } else { outcome.repeated += 1 }
  }
}
