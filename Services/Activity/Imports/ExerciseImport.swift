import ImportFormats
import Storage

/// Keeps the exercises of a file with its import.
enum ExerciseImport {
  static func take(
    _ exercise: FoundExercise, _ record: ImportedRecord, of row: ImportRow, _ outcome: inout ImportOutcome,
    _ transaction: Transaction
  ) throws {
    let isKnown = try ImportStore.hasExercise(exercise.id, of: row.account, in: transaction.database)
    try ImportStore.add(exercise, atLine: record.line, of: row, in: transaction.database)
    if isKnown { outcome.repeated += 1 } else { outcome.taken += 1 }
  }
}
