public import Operations

/// A file of another program whose records are taken over (MOVE-3).
///
/// It is made, sent in chunks, and completed; then it is read, beside everything else, while its progress can be looked at and is published
/// live. Stopping and starting again continues; importing the same file twice changes nothing.
public struct Import: Document, Hashable {
  /// Names the import.
  public var id: ImportID
  /// The file's name where it came from.
  public var name: String
  /// What it is, once that is known.
  public var format: ImportFormat?
  /// Where it stands.
  public var state: ImportState
  /// Why it failed.
  public var reason: ImportEnd?
  /// The same in the caller's language.
  public var reasonText: String?
  /// Where none of a file's rows is of the person asked for: whose rows it has.
  public var persons: [String]?
  /// How large the file is.
  public var totalBytes: Int
  /// How much of it has arrived: the offset of the next chunk.
  public var receivedBytes: Int
  /// How much of it was read, in hundredths.
  public var progress: Int
  /// What was found so far.
  public var counts: ImportCounts
  /// When it was made.
  public var createdAt: Instant
  /// When it ended.
  public var endedAt: Instant?
  /// Whether its problems and exercises are no longer kept; see ``maxDetailBytes``.
  public var areDetailsForgotten: Bool?

  /// An import from its parts.
  public init(
    id: ImportID, name: String, format: ImportFormat?, state: ImportState, reason: ImportEnd?, reasonText: String?,
    persons: [String]? = nil, totalBytes: Int, receivedBytes: Int, progress: Int, counts: ImportCounts, createdAt: Instant,
    endedAt: Instant?, areDetailsForgotten: Bool? = nil
  ) {
    self.id = id
    self.name = name
    self.format = format
    self.state = state
    self.reason = reason
    self.reasonText = reasonText
    self.persons = persons
    self.totalBytes = totalBytes
    self.receivedBytes = receivedBytes
    self.progress = progress
    self.counts = counts
    self.createdAt = createdAt
    self.endedAt = endedAt
    self.areDetailsForgotten = areDetailsForgotten
  }

  /// How many imports of an account are remembered; the oldest that have ended go first.
  public static let maxKept = 10_000
  /// How many bytes the problems and exercises of all of an account's imports may take; those of the oldest imports go first.
  public static let maxDetailBytes = 16 << 20

  /// How many persons of a file are named.
  public static let maxPersons = 20

  public static let notes: Notes = [
    "id": "Names the import.", "name": ImportText.name, "format": "What the file is, once that is known.",
    "state":
      "`uploading`: chunks are awaited; `waiting`: to be read; `reading`; `done`; `failed`: ended before the end of the file, or has nothing that could be taken, see `reason`; `cancelled`.",
    "reason": "Why it failed.", "reasonText": "The same in the caller's language.",
    "persons":
      "Where none of the file's rows is of the `person` that was given: whose rows it has, the first 20. Announce it again with one of them.",
    "totalBytes": Note("How large the file is.", example: 41_943_040),
    "receivedBytes": "How much of it has arrived: the offset of the next chunk.",
    "progress": Note("How much of it was read, in hundredths.", range: 0...100, example: 40), "counts": "What was found so far.",
    "createdAt": "When it was made.", "endedAt": "When it ended.",
    "areDetailsForgotten":
      "`true` where its problems and exercises are no longer kept: an account keeps 16 MiB of them, those of its latest imports. What was taken stays.",
  ]
}

/// Names an import.
public typealias ImportID = ID<Import>

/// What was found in a file: `taken`, `repeated` and `refused` add up to `records`.
public struct ImportCounts: Document, Hashable {
  /// Records that were read: measures, exercises, habits and their marks.
  public var records: Int
  /// How many of them were new.
  public var taken: Int
  /// How many were there already.
  public var repeated: Int
  /// How many were not taken; see the import's problems.
  public var refused: Int
  /// Days whose totals or entries changed.
  public var days: Int

  /// Counts from their parts.
  public init(records: Int, taken: Int, repeated: Int, refused: Int, days: Int) {
    self.records = records
    self.taken = taken
    self.repeated = repeated
    self.refused = refused
    self.days = days
  }

  public static let notes: Notes = [
    "records": "Records that were read: measures, exercises, habits and their marks; what Racha does not keep is ignored.",
    "taken": "How many of them were new.", "repeated": "How many were there already.",
    "refused": "How many were not taken; see the import's problems.", "days": "Days whose totals or entries changed.",
  ]
}

/// What a file can be.
public enum ImportFormat: String, Choice {
  /// `export.xml` of Apple Health, and the archive in which it comes.
  case appleHealth, appleHealthZip
  /// Fitbit's hourly steps as CSV, and the files of its export with a row a minute: `steps_….csv`, and `steps-….json` of older ones.
  case fitbitHours, fitbitSteps, fitbitStepsJSON
  /// Google Takeout's daily summaries of Fit, and its file of one day, as CSV.
  case googleFitDays, googleFitDay
  /// An archive of Google Takeout, zip or tgz, or of Fitbit: what is known in it of Fit and of Fitbit.
  case takeout
  /// Tracks.
  case gpx
  /// A backup of Loop Habit Tracker, its CSV files, and the archive in which these come.
  case loopDatabase, loopHabits, loopCheckmarks, loopZip

  static let note =
    "`appleHealth` (export.xml), `appleHealthZip`, `fitbitHours`, `fitbitSteps` (steps_….csv), `fitbitStepsJSON` (steps-….json), `googleFitDays`, `googleFitDay`, `takeout` (an archive of Google Takeout or of Fitbit), `gpx`, `loopDatabase`, `loopHabits` (Habits.csv), `loopCheckmarks` (Checkmarks.csv), `loopZip`."
}

/// Where an import stands.
public enum ImportState: String, Choice {
  case uploading, waiting, reading, done, failed, cancelled

  /// Whether nothing more comes of it.
  public var isEnded: Bool { self == .done || self == .failed || self == .cancelled }
}

/// Why an import failed: it ended before the end of its file, or there was nothing to be taken; the words are at `import.<case>`.
public enum ImportEnd: String, Choice {
  /// None of the formats that are read.
  case unrecognized
  /// Another format than was said.
  case otherFormat
  /// Another format than the name's ending says.
  case otherName
  /// Not the bytes that were announced.
  case otherBytes
  /// Cut off, or against the rules of its format.
  case damaged
  /// Declares entities, or nests without measure.
  case unsafe
  /// An encrypted archive.
  case encrypted
  /// An archive that unpacks to more than any export.
  case tooLarge
  /// An archive without an export in it.
  case noExport
  /// A day's file whose name does not say the day.
  case dayMissing
  /// None of its rows is of the person that was asked for.
  case unknownPerson
  /// The marks of one habit, in a file that does not say of which.
  case habitMissing
  /// A table whose columns cannot be told apart, since there is a comma in the name of a habit.
  case ambiguousNames
  /// It was read to its end, and had nothing that could be taken.
  case nothingUsable
  /// The consent to activity data was withdrawn.
  case consentWithdrawn
  /// Nothing arrived for too long.
  case expired
  /// The file is no longer there, as after a restored backup.
  case lost
  /// Its reading was begun three times without coming on.
  case givenUp
}

/// Why a single record was not taken; the words are at `importProblem.<case>`.
public enum ImportProblemReason: String, Choice {
  case badRow, badTime, badNumber, badUnit, badPlace, badSchedule
  /// What XML does not allow stands there, and was read as a space.
  case badCharacter
  /// A goal or limit of 0, and a word that is none of those which may stand there.
  case zeroGoal, badChoice
  /// It is not said how somebody moved, or that it was on foot and by wheel, so that the distance is neither's.
  case unknownMovement, mixedMovement
  /// What Racha holds of a habit only in part: a goal of a week or more, a reminder on some weekdays, a long note.
  case goalOfSeveralDays, reminderOfSomeDays, noteCut
  /// A file of an archive that is not read, named as all of its kind.
  case fileIgnored
  case missingValue, timeBackwards, withoutTime, otherPerson, unknownHabit
  /// Marks of habits on days on which there is nothing to be written.
  case notPlanned, paused, skipped, archived
  case inFuture, tooFarAhead, endsBeforeStart, tooLong, tooOld, outOfRange, tooManySources, tooManySamples, tooManyActivities
  /// Of a habit that was taken without its reminder.
  case tooManyReminders
  /// The file ends or breaks here.
  case brokenOff
}

/// A record that was not taken (MOVE-3).
public struct ImportProblem: Document, Hashable {
  /// Counts the import's problems, from 1.
  public var number: Int
  /// The file within an archive, or all of its kind with `*` for the digits of their names, or the table of a database.
  public var part: String?
  /// The line of text, from 1, or the row's number.
  public var line: Int
  /// Why.
  public var code: ImportProblemReason
  /// Why, in the caller's language.
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
    "number": "Counts the import's problems, from 1.",
    "part": Note(
      "The file within an archive, for `fileIgnored` all of its kind with `*` for the digits of their names; or the table of a database.",
      example: "Checkmarks.csv"),
    "line": Note("The line of text, from 1, or the row's number in the table.", example: 4071), "code": "Why it was not taken.",
    "text": "Why, in the caller's language.",
  ]
}

/// How somebody moved in an exercise.
public enum ExerciseKind: String, Choice {
  case walking, running, cycling, other
}

/// An exercise from start to end that a file holds: a track, a workout (MOVE-3). It is shown, and adds nothing to the days' totals.
public struct ImportedExercise: Document, Hashable {
  /// The line at which it begins in the file.
  public var line: Int
  /// How.
  public var kind: ExerciseKind
  /// What it is called.
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
    "line": "The line at which it begins in the file.", "kind": "How.", "name": Note("What it is called.", example: "Mojstrovka"),
    "start": "When it began; absent where the file has no times.",
    "durationSeconds": "How long it took; of a track the sum of its segments.",
    "distanceMeters": Note("How far it went, along the great circle from point to point.", example: .number(800.1)),
  ]
}

enum ImportText {
  static let name = Note("The file's name where it came from.", length: 1...200, example: "export.zip")
  static let id: Note = "Names the import."
}
