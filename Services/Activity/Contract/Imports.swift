public import Operations

/// A file of another program whose records are taken over (MOVE-3).
///
/// It is made, sent in chunks, and completed; then it is read, beside everything else, while its progress can be looked at and is told
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
  /// Why it ended before the end of the file.
  public var reason: ImportEnd?
  /// The same in the caller's language.
  public var reasonText: String?
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

  /// An import from its parts.
  public init(
    id: ImportID, name: String, format: ImportFormat?, state: ImportState, reason: ImportEnd?, reasonText: String?,
    totalBytes: Int, receivedBytes: Int, progress: Int, counts: ImportCounts, createdAt: Instant, endedAt: Instant?
  ) {
    self.id = id
    self.name = name
    self.format = format
    self.state = state
    self.reason = reason
    self.reasonText = reasonText
    self.totalBytes = totalBytes
    self.receivedBytes = receivedBytes
    self.progress = progress
    self.counts = counts
    self.createdAt = createdAt
    self.endedAt = endedAt
  }

  public static let notes: Notes = [
    "id": "Names the import.", "name": ImportText.name, "format": "What the file is, once that is known.",
    "state":
      "`uploading`: chunks are awaited; `waiting`: to be read; `reading`; `done`; `failed`: ended before the end of the file, see `reason`; `cancelled`.",
    "reason": "Why it ended before the end of the file.", "reasonText": "The same in the caller's language.",
    "totalBytes": Note("How large the file is.", example: 41_943_040),
    "receivedBytes": "How much of it has arrived: the offset of the next chunk.",
    "progress": Note("How much of it was read, in hundredths.", range: 0...100, example: 40), "counts": "What was found so far.",
    "createdAt": "When it was made.", "endedAt": "When it ended.",
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
    "records": "Records that were read: measures, exercises, habits and their marks; what Racha does not keep is passed over.",
    "taken": "How many of them were new.", "repeated": "How many were there already.",
    "refused": "How many were not taken; see the import's problems.", "days": "Days whose totals or entries changed.",
  ]
}

/// What a file can be.
public enum ImportFormat: String, Choice {
  /// `export.xml` of Apple Health, and the archive in which it comes.
  case appleHealth, appleHealthZip
  /// Fitbit's hourly steps as CSV.
  case fitbitHours
  /// Google Takeout's daily summaries of Fit, and its file of one day, as CSV.
  case googleFitDays, googleFitDay
  /// Tracks.
  case gpx
  /// A backup of Loop Habit Tracker, its CSV files, and the archive in which these come.
  case loopDatabase, loopHabits, loopCheckmarks, loopZip

  static let note =
    "`appleHealth` (export.xml), `appleHealthZip`, `fitbitHours`, `googleFitDays`, `googleFitDay`, `gpx`, `loopDatabase`, `loopHabits` (Habits.csv), `loopCheckmarks` (Checkmarks.csv), `loopZip`."
}

/// Where an import stands.
public enum ImportState: String, Choice {
  case uploading, waiting, reading, done, failed, cancelled

  /// Whether nothing more comes of it.
  public var isEnded: Bool { self == .done || self == .failed || self == .cancelled }
}

/// Why an import ended before the end of its file; the words are at `import.<case>`.
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
  /// The consent to activity data was withdrawn.
  case consentWithdrawn
  /// Nothing arrived for too long.
  case expired
  /// The file is no longer there, as after a restored backup.
  case lost
}

/// Why a single record was not taken; the words are at `importProblem.<case>`.
public enum ImportProblemReason: String, Choice {
  case badRow, badTime, badNumber, badUnit, badPlace, badSchedule
  case missingValue, timeBackwards, withoutTime, otherPerson, unknownHabit, notPlanned
  case inFuture, endsBeforeStart, tooLong, tooOld, outOfRange, tooManyActivities
  /// The file ends or breaks here.
  case brokenOff
}

/// A record that was not taken (MOVE-3).
public struct ImportProblem: Document, Hashable {
  /// Counts the import's problems, from 1.
  public var number: Int
  /// The file within an archive, or the table of a database.
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
    "part": Note("The file within an archive, or the table of a database.", example: "Checkmarks.csv"),
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

/// Ways in which an import's operation can fail.
public enum ImportFailure: String, FailureCode {
  /// There is none of that id among the caller's own.
  case notFound = "import_not_found"
  /// The account has as many unfinished ones as one may have.
  case tooMany = "too_many_imports"
  /// There is no room for the file at the moment.
  case noRoom = "import_no_room"
  /// It takes no more chunks: it was completed, or has ended.
  case notUploading = "import_not_uploading"
  /// Bytes are still lacking.
  case incomplete = "import_incomplete"
  /// The file cannot be imported; the import's reason says why.
  case unusable = "import_unusable"

  public var status: Int {
    switch self {
    case .notFound: 404
    case .tooMany, .notUploading, .incomplete: 409
    case .unusable: 422
    case .noRoom: 503
    }
  }
}

/// Announces a file to be imported (MOVE-3).
public enum CreateImport: Operation {
  /// What is to be sent.
  public struct Input: Document {
    /// The file's name.
    public var name: String
    /// Its size.
    public var totalBytes: Int
    /// What it is; found out if absent.
    public var format: ImportFormat?
    /// The SHA-256 of its bytes, to be compared when all have arrived.
    public var sha256: String?
    /// Whose rows are taken, of a Fitbit file with several people's.
    public var person: String?

    /// The input from its parts.
    public init(name: String, totalBytes: Int, format: ImportFormat? = nil, sha256: String? = nil, person: String? = nil) {
      self.name = name
      self.totalBytes = totalBytes
      self.format = format
      self.sha256 = sha256
      self.person = person
    }

    /// The largest file.
    public static let mostBytes = 2 << 30

    public static let notes: Notes = [
      "name": ImportText.name,
      "totalBytes": Note("Its size, at most 2 GiB.", range: 1...Double(mostBytes), example: 41_943_040),
      "format": Note(ImportFormat.note + " Found out by the content if absent, and compared with it if not."),
      "sha256": Note("The SHA-256 of its bytes in hexadecimal, compared when all have arrived.", length: 64...64),
      "person": Note("Of a Fitbit file with several people's rows, the `Id` whose rows are taken.", length: 1...64),
    ]

    public func check(_ fields: inout FieldChecks) {
      fields.expect(!name.isBlank, "name", FieldRule("empty"))
      if let sha256 { fields.expect(sha256.utf8.allSatisfy(Self.isHexadecimal), "sha256", FieldRule("not_hexadecimal")) }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
      switch byte {
      case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
      default: false
      }
    }
  }

  public typealias Output = Import

  public static let spec = OperationSpec(
    "imports.create", of: .activity, .post("/v1/imports"), by: .account, effect: .create,
    failures: [ImportFailure.tooMany.kind, ImportFailure.noRoom.kind, RequestFailure.consentRequired.kind],
    requirements: ["ID-13", "MOVE-3"], "Announce a file of another program to be imported.")
}

/// Sends a part of the file (MOVE-3). Chunks come one after the other; one that was lost or is repeated does no harm: the answer says
/// where to go on.
public enum UploadImportChunk: Operation {
  /// A part of the file.
  public struct Input: Document {
    /// Names the import.
    public var importID: ImportID
    /// Where in the file it begins.
    public var offset: Int
    /// The bytes.
    public var content: Base64Bytes

    /// The input from its parts.
    public init(importID: ImportID, offset: Int, content: Base64Bytes) {
      self.importID = importID
      self.offset = offset
      self.content = content
    }

    /// The largest chunk, so that it fits into a message in base64.
    public static let mostBytes = 512 << 10

    public static let notes: Notes = [
      "importID": ImportText.id,
      "offset": Note("Where in the file it begins.", range: 0...Double(CreateImport.Input.mostBytes), example: 524_288),
      "content": "The bytes, at most 524,288.",
    ]

    public func check(_ fields: inout FieldChecks) {
      fields.expect(
        (1...Self.mostBytes).contains(content.bytes.count), "content",
        FieldRule("bytes_out_of_range", ["least": .number(1), "most": .number(Self.mostBytes)]))
    }
  }

  /// How far the file has come.
  public struct Output: Document, Hashable {
    /// Where the next chunk is to begin.
    public var nextOffset: Int
    /// How large the file is.
    public var totalBytes: Int

    /// The output from its parts.
    public init(nextOffset: Int, totalBytes: Int) {
      self.nextOffset = nextOffset
      self.totalBytes = totalBytes
    }

    public static let notes: Notes = [
      "nextOffset": "Where the next chunk is to begin: behind this one, or where the file stood if this one does not continue it.",
      "totalBytes": "How large the file is.",
    ]
  }

  public static let spec = OperationSpec(
    "imports.uploadChunk", of: .activity, .put("/v1/imports/{importID}/chunks/{offset}"), by: .account, effect: .write,
    rate: .bulk,
    failures: [ImportFailure.notFound.kind, ImportFailure.notUploading.kind, RequestFailure.consentRequired.kind],
    takesIdempotencyKey: false, raw: .body("content", "application/octet-stream"), requirements: ["ID-13", "MOVE-3"],
    "Send a part of the file; the answer says where the next one is to begin.")
}

/// Names an import.
public struct ImportName: Document {
  /// Names the import.
  public var importID: ImportID

  /// The input from its parts.
  public init(importID: ImportID) { self.importID = importID }

  public static let notes: Notes = ["importID": ImportText.id]
}

/// Says that the whole file was sent, so that it is read (MOVE-3).
public enum CompleteImport: Operation {
  public typealias Input = ImportName
  public typealias Output = Import

  public static let spec = OperationSpec(
    "imports.complete", of: .activity, .post("/v1/imports/{importID}/complete"), by: .account, effect: .write,
    failures: [
      ImportFailure.notFound.kind, ImportFailure.notUploading.kind, ImportFailure.incomplete.kind, ImportFailure.unusable.kind,
      RequestFailure.consentRequired.kind,
    ], takesIdempotencyKey: false, requirements: ["ID-13", "MOVE-3"],
    "Say that the whole file was sent: it is looked at at once, and read beside everything else.")
}

/// Shows an import (MOVE-3).
public enum GetImport: Operation {
  public typealias Input = ImportName
  public typealias Output = Import

  public static let spec = OperationSpec(
    "imports.get", of: .activity, .get("/v1/imports/{importID}"), by: .account, effect: .read,
    failures: [ImportFailure.notFound.kind], requirements: ["MOVE-3"], "Show how far an import has come, and what it found.")
}

/// Lists the account's imports, newest first (MOVE-3).
public enum ListImports: Operation {
  public typealias Input = ListPage
  public typealias Output = Page<Import>

  public static let spec = OperationSpec(
    "imports.list", of: .activity, .get("/v1/imports"), by: .account, effect: .read, requirements: ["MOVE-3"],
    "List the account's imports, newest first.")
}

/// Ends an import (MOVE-3). What was taken stays.
public enum CancelImport: Operation {
  public typealias Input = ImportName
  public typealias Output = Import

  public static let spec = OperationSpec(
    "imports.cancel", of: .activity, .post("/v1/imports/{importID}/cancel"), by: .account, effect: .write,
    failures: [ImportFailure.notFound.kind], requirements: ["MOVE-3"],
    "End an import and remove its file; what was taken before stays. One that has ended stays as it is.")
}

/// What lists of things within an import take.
public struct ImportPage: ListInput, Hashable {
  /// Names the import.
  public var importID: ImportID
  public var limit: Int?
  public var cursor: PageCursor?

  /// The input from its parts.
  public init(importID: ImportID, limit: Int? = nil, cursor: PageCursor? = nil) {
    self.importID = importID
    self.limit = limit
    self.cursor = cursor
  }

  public static let notes = listNotes(["importID": ImportText.id])
}

/// Lists the records that were not taken (MOVE-3).
public enum ListImportProblems: Operation {
  public typealias Input = ImportPage
  public typealias Output = Page<ImportProblem>

  /// How many are kept of an import; beyond, they are only counted.
  public static let most = 1000

  public static let spec = OperationSpec(
    "imports.problems", of: .activity, .get("/v1/imports/{importID}/problems"), by: .account, effect: .read,
    failures: [ImportFailure.notFound.kind], requirements: ["MOVE-3"],
    "List the records that were not taken, each with its line and the reason, in the order of the file; the first 1,000.")
}

/// Lists the exercises that were found (MOVE-3).
public enum ListImportedExercises: Operation {
  public typealias Input = ImportPage
  public typealias Output = Page<ImportedExercise>

  public static let spec = OperationSpec(
    "imports.exercises", of: .activity, .get("/v1/imports/{importID}/exercises"), by: .account, effect: .read,
    failures: [ImportFailure.notFound.kind], requirements: ["MOVE-3"],
    "List the tracks and workouts that the file holds, in its order; at most 10,000.")
}

/// An import has come further. Told at most once in two seconds of each while it is read, and at its end.
public struct ImportProgressed: Event, Hashable {
  /// Whose it is.
  public var accountID: AccountID
  /// The import.
  public var importID: ImportID
  /// Where it stands: `reading`, `done`, `failed` or `cancelled`.
  public var state: ImportState
  /// How much of the file was read, in hundredths; grows from event to event.
  public var progress: Int
  /// What was found so far.
  public var counts: ImportCounts

  /// The event from its parts.
  public init(accountID: AccountID, importID: ImportID, state: ImportState, progress: Int, counts: ImportCounts) {
    self.accountID = accountID
    self.importID = importID
    self.state = state
    self.progress = progress
    self.counts = counts
  }

  public static let notes: Notes = [
    "accountID": "Whose it is.", "importID": "The import.",
    "state": "Where it stands: `reading`, `done`, `failed` or `cancelled`.",
    "progress": "How much of the file was read, in hundredths; grows from event to event.", "counts": "What was found so far.",
  ]

  public static let spec = EventSpec(
    "imports.progressed", by: .activity, requirements: ["MOVE-3"],
    "An import has come further: at most every two seconds, and at its end.")
}
