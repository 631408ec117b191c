public import Operations

/// A file of another program whose records are imported (MOVE-3).
///
/// The client creates the import, sends the file in chunks and completes it; the file is then read in the background, and its progress can
/// be queried and is published live. Reading resumes after a restart; importing the same file twice changes nothing.
public struct Import: Document, Hashable {
  /// Names the import.
  public var id: ImportID
  /// The file's name at its origin.
  public var name: String
  /// The file's format, once known.
  public var format: ImportFormat?
  /// The import's state.
  public var state: ImportState
  /// Why the import failed.
  public var reason: ImportEnd?
  /// The reason in the caller's language.
  public var reasonText: String?
  /// The people named in the file, where none of its rows belongs to the requested person.
  public var people: [String]?
  /// The file's size.
  public var totalBytes: Int
  /// How many bytes have arrived: the offset of the next chunk.
  public var receivedBytes: Int
  /// How much of the file was read, in per cent.
  public var progress: Int
  /// Counts of what was found so far.
  public var counts: ImportCounts
  /// When the import was created.
  public var createdAt: Instant
  /// When the import ended.
  public var endedAt: Instant?
  /// Whether its problems and exercises have been dropped; see ``maxDetailBytes``.
  public var areDetailsForgotten: Bool?

  /// An import from its parts.
  public init(
    id: ImportID, name: String, format: ImportFormat?, state: ImportState, reason: ImportEnd?, reasonText: String?,
    people: [String]? = nil, totalBytes: Int, receivedBytes: Int, progress: Int, counts: ImportCounts, createdAt: Instant,
    endedAt: Instant?, areDetailsForgotten: Bool? = nil
  ) {
    self.id = id
    self.name = name
    self.format = format
    self.state = state
    self.reason = reason
    self.reasonText = reasonText
    self.people = people
    self.totalBytes = totalBytes
    self.receivedBytes = receivedBytes
    self.progress = progress
    self.counts = counts
    self.createdAt = createdAt
    self.endedAt = endedAt
    self.areDetailsForgotten = areDetailsForgotten
  }

  /// The maximum number of imports kept per account; the oldest ended ones are dropped first.
  public static let maxKept = 10_000
  /// The maximum size of the problems and exercises of all imports of an account; those of the oldest imports are dropped first.
  public static let maxDetailBytes = 16 << 20

  /// The maximum number of persons listed per file.
  public static let maxPersons = 20

  public static let notes: Notes = [
    "id": "Id of the import.", "name": ImportText.name, "format": "The format of the file, once it is known.",
    "state":
      "`uploading`: waits for chunks; `waiting`: waits to be read; `reading`; `done`; `failed`: ended before the end of the file, or found nothing to import, see `reason`; `cancelled`.",
    "reason": "Why it failed.", "reasonText": "The same in words, in the caller's language.",
    "people":
      "If the file has no rows of the given `person`: the people whose rows it has, the first 20. Announce the file again with one of them.",
    "totalBytes": Note("The size of the file.", example: 41_943_040),
    "receivedBytes": "The bytes that have arrived: the offset of the next chunk.",
    "progress": Note("The part of it read so far, in hundredths.", range: 0...100, example: 40),
    "counts": "What was found so far.",
    "createdAt": "When it was created.", "endedAt": "When it ended.",
    "areDetailsForgotten":
      "`true` if its problems and exercises are no longer kept: an account keeps 16 MiB of them, those of its latest imports. Imported records stay.",
  ]
}

/// Names an import.
public typealias ImportID = ID<Import>

/// What was found in a file: `accepted`, `repeated` and `rejected` add up to `records`.
public struct ImportCounts: Document, Hashable {
  /// Records that were read: measures, exercises, habits and their marks.
  public var records: Int
  /// How many records were new, or replaced an older version.
  public var accepted: Int
  /// How many records existed already.
  public var repeated: Int
  /// How many records were rejected; see the import's problems.
  public var rejected: Int
  /// Days whose totals or entries changed.
  public var days: Int

  /// Counts from their parts.
  public init(records: Int, accepted: Int, repeated: Int, rejected: Int, days: Int) {
    self.records = records
    self.accepted = accepted
    self.repeated = repeated
    self.rejected = rejected
    self.days = days
  }

  public static let notes: Notes = [
    "records":
      "Records that were read: measurements, exercises, habits and their marks; those that Racha does not keep are ignored.",
    "accepted": "The number of records that were new, or replaced an older version.",
    "repeated": "The number of records that were there already.",
    "rejected": "The number of records that were not imported; see the import's problems.",
    "days": "The number of days whose totals or entries changed.",
  ]
}

/// The formats of files.
public enum ImportFormat: String, Choice {
  /// Apple Health's `export.xml`, and the archive that contains it.
  case appleHealth, appleHealthZip
  /// Fitbit's hourly steps as CSV, and the files of its export with one row per minute: `steps_….csv`, and `steps-….json` of older exports.
  case fitbitHours, fitbitSteps, fitbitStepsJSON
  /// Google Fit's daily summaries and its file of one day, as CSV from Google Takeout.
  case googleFitDays, googleFitDay
  /// An archive of Google Takeout (zip or tgz) or of Fitbit, with files of Fit and of Fitbit in known formats.
  case takeout
  /// GPX tracks.
  case gpx
  /// A backup of Loop Habit Tracker, its CSV files, and the archive in which these come.
  case loopDatabase, loopHabits, loopCheckmarks, loopZip

  static let note =
    "`appleHealth` (export.xml), `appleHealthZip`, `fitbitHours`, `fitbitSteps` (steps_….csv), `fitbitStepsJSON` (steps-….json), `googleFitDays`, `googleFitDay`, `takeout` (an archive of Google Takeout or of Fitbit), `gpx`, `loopDatabase`, `loopHabits` (Habits.csv), `loopCheckmarks` (Checkmarks.csv), `loopZip`."
}

/// The state of an import.
public enum ImportState: String, Choice {
  case uploading, waiting, reading, done, failed, cancelled

  /// Whether the state is final.
  public var isEnded: Bool { self == .done || self == .failed || self == .cancelled }
}

/// Why an import failed: reading ended before the end of the file, or found nothing to take. The words are at `import.<case>`.
public enum ImportEnd: String, Choice {
  /// None of the supported formats.
  case unrecognized
  /// Not the format that the caller announced.
  case otherFormat
  /// Not the format that the name's extension says.
  case otherName
  /// The bytes differ from those that were announced.
  case otherBytes
  /// Truncated, or violates its format.
  case damaged
  /// Declares entities, or nests too deeply.
  case unsafe
  /// An encrypted archive.
  case encrypted
  /// An archive that unpacks to more than any export would.
  case tooLarge
  /// An archive that contains no export.
  case noExport
  /// A file of one day whose name does not give the day.
  case dayMissing
  /// None of the rows belongs to the requested person.
  case unknownPerson
  /// The checkmarks of one habit, in a file that does not say which.
  case habitMissing
  /// A table whose columns are ambiguous, since a habit's name contains a comma.
  case ambiguousNames
  /// The whole file was read and had nothing that could be taken.
  case nothingUsable
  /// The consent to activity data was withdrawn.
  case consentWithdrawn
  /// No data arrived for too long.
  case expired
  /// The file no longer exists, for example after a restored backup.
  case lost
  /// Reading was started three times without making progress.
  case givenUp
}

/// Why a single record was refused; the words are at `importProblem.<case>`.
public enum ImportProblemReason: String, Choice {
  case badRow, badTime, badNumber, badUnit, badPlace, badSchedule
  /// A character that XML does not allow was read as a space.
  case badCharacter
  /// A goal or limit of 0, and a value that is not one of the allowed words.
  case zeroGoal, badChoice
  /// The kind of movement is missing, or is both on foot and by wheel, so that the distance counts as neither.
  case unknownMovement, mixedMovement
  /// Habits that Racha keeps only in part: a goal of a week or more, a reminder on some weekdays, a long note.
  case goalOfSeveralDays, reminderOfSomeDays, noteCut
  /// A file of an archive that is not read, named by its kind.
  case fileIgnored
  case missingValue, timeBackwards, withoutTime, otherPerson, unknownHabit
  /// Checkmarks on days on which nothing can be recorded.
  case notPlanned, paused, skipped, archived
  case inFuture, tooFarAhead, endsBeforeStart, tooLong, tooOld, outOfRange, tooManySources, tooManySamples, tooManyActivities
  /// The habit was taken without its reminder.
  case tooManyReminders
  /// The file ends or is damaged here.
  case brokenOff
}

/// A record that was refused (MOVE-3).
public struct ImportProblem: Document, Hashable {
  /// The problem's number within the import, from 1.
  public var number: Int
  /// The file within an archive, or all of its kind with `*` for the digits of their names, or the table of a database.
  public var part: String?
  /// The line of text, from 1, or the row's number.
  public var line: Int
  /// Why the record was refused.
  public var code: ImportProblemReason
  /// The reason in the caller's language.
  public var text: String

  /// A problem from its parts.
  public init(number: Int, part: String?, line: Int, code: ImportProblemReason, text: String) {
    self.number = number
    self.part = part
    self.line = line
    self.code = code
    self.text = text
  }

  public static let notes: Notes = [
    "number": "The problem's number within the import, from 1.",
    "part": Note(
      "The file within an archive, for `fileIgnored` all of its kind with `*` for the digits of their names; or the table of a database.",
      example: "Checkmarks.csv"),
    "line": Note("The line of text, from 1, or the row's number in the table.", example: 4071),
    "code": "The reason why it was not imported.",
    "text": "The reason in words, in the caller's language.",
  ]
}

/// The kind of movement of an exercise.
public enum ExerciseKind: String, Choice {
  case walking, running, cycling, other
}

/// An exercise from a file: a track or a workout (MOVE-3). It is shown, and adds nothing to the days' totals.
public struct ImportedExercise: Document, Hashable {
  /// The line of the file at which the exercise begins.
  public var line: Int
  /// The kind of movement.
  public var kind: ExerciseKind
  /// The exercise's name.
  public var name: String?
  /// When it began; absent where the file has no times.
  public var start: Instant?
  /// How long it took.
  public var durationSeconds: Int?
  /// How far it went.
  public var distanceMeters: Double?

  /// An exercise from its parts.
  public init(line: Int, kind: ExerciseKind, name: String?, start: Instant?, durationSeconds: Int?, distanceMeters: Double?) {
    self.line = line
    self.kind = kind
    self.name = name
    self.start = start
    self.durationSeconds = durationSeconds
    self.distanceMeters = distanceMeters
  }

  public static let notes: Notes = [
    "line": "The line of the file at which it begins.", "kind": "The kind of exercise.",
    "name": Note("Its name.", example: "Mojstrovka"),
    "start": "When it began; absent if the file has no times.",
    "durationSeconds": "Its duration; for a track, the sum of its segments.",
    "distanceMeters": Note("The distance, along the great circle from point to point.", example: .number(800.1)),
  ]
}

enum ImportText {
  static let name = Note("The file's original name.", length: 1...200, example: "export.zip")
  static let id: Note = "Id of the import."
}
