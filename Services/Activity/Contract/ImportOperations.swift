public import Operations

extension FeatureContract {
  static let importOperations = FeatureContract(
    operations: [
      CreateImport.self, UploadImportChunk.self, CompleteImport.self, GetImport.self, ListImports.self, ListImportProblems.self,
      ListImportedExercises.self, CancelImport.self,
    ],
    events: [ImportProgressed.self])
}

/// Ways in which an operation on an import can fail.
public enum ImportFailure: String, FailureCode {
  /// The account has no import with that id.
  case notFound = "import_not_found"
  /// The account has reached the maximum number of unfinished imports.
  case tooMany = "too_many_imports"
  /// The account has reached the maximum number of bytes in unfinished imports.
  case accountFull = "import_account_full"
  /// The server has no room for the file at the moment.
  case noRoom = "import_no_room"
  /// The import takes no more chunks: it was completed, or has ended.
  case notUploading = "import_not_uploading"
  /// Some bytes of the file have not arrived.
  case incomplete = "import_incomplete"
  /// The file cannot be imported; the import's reason says why.
  case unusable = "import_unusable"

  public var status: Int {
    switch self {
    case .notFound: 404
    case .tooMany, .accountFull, .notUploading, .incomplete: 409
    case .unusable: 422
    case .noRoom: 503
    }
  }
}

/// Announces a file to be imported (MOVE-3). Movement and exercises need the consent to activity data; data of Loop Habit Tracker needs
/// none. Where the format is not given, consent is checked once the format is known: when the file is complete.
public enum CreateImport: AccountOperation {
  /// Describes the file.
  public struct Input: Document {
    /// The file's name.
    public var name: String
    /// Its size.
    public var totalBytes: Int
    /// The file's format; detected if absent.
    public var format: ImportFormat?
    /// The SHA-256 of the file, compared when all bytes have arrived.
    public var sha256: String?
    /// For a Fitbit file with several people: whose rows are taken.
    public var person: String?
    /// The kind of movement for tracks of a GPX file that do not name one.
    public var movement: ExerciseKind?

    /// The input from its parts.
    public init(
      name: String, totalBytes: Int, format: ImportFormat? = nil, sha256: String? = nil, person: String? = nil,
      movement: ExerciseKind? = nil
    ) {
      self.name = name
      self.totalBytes = totalBytes
      self.format = format
      self.sha256 = sha256
      self.person = person
      self.movement = movement
    }

    /// The largest file.
    public static let maxBytes = 2 << 30

    public static let notes: Notes = [
      "name": ImportText.name,
      "totalBytes": Note("Its size, at most 2 GiB.", range: 1...Double(maxBytes), example: 41_943_040),
      "format": Note(ImportFormat.note + " Found out by the content if absent, and compared with it if not."),
      "sha256": Note("The SHA-256 of its bytes in hexadecimal, checked when all have arrived.", length: 64...64),
      "person": Note(
        "For a Fitbit file with rows of several people: the `Id` whose rows are imported. If the file has none of them, the import ends as `unknownPerson` and lists the people whose rows it has.",
        length: 1...64),
      "movement":
        "The kind of movement of tracks in a GPX file whose type is missing or unknown. Without it, such a track is shown, but its distance is added to no day.",
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
    failures: [
      ImportFailure.tooMany.kind, ImportFailure.accountFull.kind, ImportFailure.noRoom.kind, RequestFailure.consentRequired.kind,
    ],
    requirements: ["ID-13", "MOVE-3"],
    "Announces a file of another program to be imported. All formats but Loop Habit Tracker's need the consent to activity data.")
}

/// Sends a chunk of the file (MOVE-3). Chunks are sent in order. A lost or repeated chunk does no harm: the reply says where to continue.
/// Bytes that have arrived stay: other bytes for the same position are refused.
public enum UploadImportChunk: AccountOperation {
  /// A part of the file.
  public struct Input: Document {
    /// Names the import.
    public var importID: ImportID
    /// The chunk's offset in the file.
    public var offset: Int
    /// The bytes.
    public var content: Base64Bytes

    /// The input from its parts.
    public init(importID: ImportID, offset: Int, content: Base64Bytes) {
      self.importID = importID
      self.offset = offset
      self.content = content
    }

    /// The rule for a chunk that exceeds the announced size of the file.
    public static func beyondEnd(of total: Int) -> FieldRule { FieldRule("beyond_end", ["total": .number(total)]) }

    /// The rule for a chunk that differs from what arrived for its position before.
    public static let otherBytes = FieldRule("other_bytes")

    /// The maximum size of a chunk; in base64 it fits into a message.
    public static let maxBytes = 512 << 10

    public static let notes: Notes = [
      "importID": ImportText.id,
      "offset": Note(
        "The offset in the file at which it begins.", range: 0...Double(CreateImport.Input.maxBytes), example: 524_288),
      "content": "The bytes, at most 524,288. Bytes that have arrived before must be the same again.",
    ]

    public func check(_ fields: inout FieldChecks) {
      fields.expect(
        (1...Self.maxBytes).contains(content.bytes.count), "content",
        FieldRule("bytes_out_of_range", ["min": .number(1), "max": .number(Self.maxBytes)]))
    }
  }

  /// How much of the file has arrived.
  public struct Output: Document, Hashable {
    /// The offset of the next chunk.
    public var nextOffset: Int
    /// The file's size.
    public var totalBytes: Int

    /// The output from its parts.
    public init(nextOffset: Int, totalBytes: Int) {
      self.nextOffset = nextOffset
      self.totalBytes = totalBytes
    }

    public static let notes: Notes = [
      "nextOffset":
        "The offset of the next chunk: the end of this one, or the end of what has arrived if this one does not continue it.",
      "totalBytes": "The size of the file.",
    ]
  }

  public static let spec = OperationSpec(
    "imports.uploadChunk", of: .activity, .put("/v1/imports/{importID}/chunks/{offset}"), by: .account, effect: .write,
    rate: .bulk,
    failures: [
      ImportFailure.notFound.kind, ImportFailure.notUploading.kind, ImportFailure.noRoom.kind,
      RequestFailure.consentRequired.kind,
    ],
    takesIdempotencyKey: false, raw: .body("content", "application/octet-stream"), requirements: ["ID-13", "MOVE-3"],
    "Uploads a part of the file; the answer says where the next one begins.")
}

/// Names an import.
public struct ImportName: Document {
  /// Names the import.
  public var importID: ImportID

  /// The input from its parts.
  public init(importID: ImportID) { self.importID = importID }

  public static let notes: Notes = ["importID": ImportText.id]
}

/// Declares the upload complete, so that the file is read (MOVE-3).
public enum CompleteImport: AccountOperation {
  public typealias Input = ImportName
  public typealias Output = Import

  public static let spec = OperationSpec(
    "imports.complete", of: .activity, .post("/v1/imports/{importID}/complete"), by: .account, effect: .write,
    failures: [
      ImportFailure.notFound.kind, ImportFailure.notUploading.kind, ImportFailure.incomplete.kind, ImportFailure.unusable.kind,
      RequestFailure.consentRequired.kind,
    ], takesIdempotencyKey: false, requirements: ["ID-13", "MOVE-3"],
    """
    Completes the upload: the file is checked at once and imported in the background. If it is refused because consent is \
    missing, it can be completed again once consent is given.
    """)
}

/// Returns an import (MOVE-3).
public enum GetImport: AccountOperation {
  public typealias Input = ImportName
  public typealias Output = Import

  public static let spec = OperationSpec(
    "imports.get", of: .activity, .get("/v1/imports/{importID}"), by: .account, effect: .read,
    failures: [ImportFailure.notFound.kind], requirements: ["MOVE-3"], "Returns how far an import has come, and what it found.")
}

/// Lists the account's imports, newest first (MOVE-3).
public enum ListImports: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<Import>

  public static let spec = OperationSpec(
    "imports.list", of: .activity, .get("/v1/imports"), by: .account, effect: .read, requirements: ["MOVE-3"],
    "Lists the caller's imports, newest first: the latest 10,000 are kept, and 16 MiB of their problems and exercises.")
}

/// Cancels an import (MOVE-3). Records that were taken stay.
public enum CancelImport: AccountOperation {
  public typealias Input = ImportName
  public typealias Output = Import

  public static let spec = OperationSpec(
    "imports.cancel", of: .activity, .post("/v1/imports/{importID}/cancel"), by: .account, effect: .write,
    failures: [ImportFailure.notFound.kind], requirements: ["MOVE-3"],
    "Cancels an import and removes its file; what was imported before stays. An import that has ended stays as it is.")
}

/// The input of operations that list details of an import.
public struct ImportDetailsInput: ListInput, Hashable {
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

/// Lists the records that were refused (MOVE-3).
public enum ListImportProblems: AccountOperation {
  public typealias Input = ImportDetailsInput
  public typealias Output = Page<ImportProblem>

  /// The maximum number of problems kept per import; further ones are only counted.
  public static let maximum = 1000

  public static let spec = OperationSpec(
    "imports.listProblems", of: .activity, .get("/v1/imports/{importID}/problems"), by: .account, effect: .read,
    failures: [ImportFailure.notFound.kind], requirements: ["MOVE-3"],
    "Lists the records that were not imported, each with its line and the reason, in the order of the file; the first 1,000.")
}

/// Lists the exercises that were found (MOVE-3).
public enum ListImportedExercises: AccountOperation {
  public typealias Input = ImportDetailsInput
  public typealias Output = Page<ImportedExercise>

  public static let spec = OperationSpec(
    "imports.listExercises", of: .activity, .get("/v1/imports/{importID}/exercises"), by: .account, effect: .read,
    failures: [ImportFailure.notFound.kind], requirements: ["MOVE-3"],
    "Lists the tracks and workouts in the file, in its order; at most 10,000.")
}

/// Reports the progress of an import. Published at most every two seconds per import while the file is read, and at its end.
public struct ImportProgressed: Event, Hashable {
  /// The counts of the import (``ImportCounts``), under the names that earlier events have too.
  public struct Counts: Document, Hashable {
    /// Records that were read.
    public var records: Int
    /// How many records were new.
    public var taken: Int
    /// How many records existed already.
    public var repeated: Int
    /// How many records were rejected.
    public var refused: Int
    /// Days whose totals or entries changed.
    public var days: Int

    /// The same counts as operations answer.
    public init(_ counts: ImportCounts) {
      records = counts.records
      taken = counts.accepted
      repeated = counts.repeated
      refused = counts.rejected
      days = counts.days
    }

    public static let notes: Notes = [
      "records": "Records that were read.", "taken": "The number of new records.",
      "repeated": "The number of records that were there already.",
      "refused": "The number of records that were not imported.",
      "days": "The number of days whose totals or entries changed.",
    ]
  }

  /// The account that owns the import.
  public var accountID: AccountID
  /// The import.
  public var importID: ImportID
  /// The import's state: `reading`, `done`, `failed` or `cancelled`.
  public var state: ImportState
  /// How much of the file was read, in per cent; grows from event to event.
  public var progress: Int
  /// Counts of what was found so far.
  public var counts: Counts

  /// The event from its parts.
  public init(accountID: AccountID, importID: ImportID, state: ImportState, progress: Int, counts: ImportCounts) {
    self.accountID = accountID
    self.importID = importID
    self.state = state
    self.progress = progress
    self.counts = Counts(counts)
  }

  public static let notes: Notes = [
    "accountID": "The account that it belongs to.", "importID": "The import.",
    "state": "The import's state: `reading`, `done`, `failed` or `cancelled`.",
    "progress": "The part of the file read so far, in hundredths; grows from event to event.", "counts": "What was found so far.",
  ]

  public static let spec = EventSpec(
    "imports.progressed", by: .activity, requirements: ["MOVE-3"],
    "An import made progress; published at most once every two seconds, and when it ends.")
}
