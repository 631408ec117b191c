import ActivityContract
import ImportFormats
import Operations
import ServiceKit
import Storage

/// Stores the exercises of a file with its import.
enum ExerciseImport {
  static func take(
    _ exercise: FoundExercise, _ record: ImportedRecord, of row: ImportRow, in calendar: LocalCalendar,
    _ outcome: inout ImportOutcome, _ transaction: Transaction
  ) throws {
    let start = exercise.start.map { exercise.isLocal ? calendar.instant(ofLocal: $0.milliseconds) : $0 }
    let isKnown = try ImportStore.hasExercise(exercise.id, of: row.account, in: transaction.database)
    try ImportStore.add(exercise, start: start, atLine: record.line, of: row, in: transaction.database)
    if isKnown { outcome.repeated += 1 } else { outcome.taken += 1 }
  }
}
