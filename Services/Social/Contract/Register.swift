public import Operations

extension FeatureContract {
  static let register = FeatureContract(
    operations: [
      GetRegisterCheckpoint.self, GetRegisterTile.self, GetRegisterLogCheckpoint.self, GetRegisterLogTile.self,
      ListRegisterKeys.self, ProveRegisterInclusion.self, ProveRegisterConsistency.self, GetRegisterProof.self,
      ListOwnRegisterRecords.self, GetRegisterAccountLeaf.self,
    ])
}

// The register (TASK-9): an append-only log, in which nobody, not even the operator of the server, can change an entry undetected. It is
// served as c2sp.org/tlog-tiles describes.

/// The kind of event that a leaf of the register records.
public enum RegisterKind: String, Choice {
  case taskCreated, completionConfirmed, completionWithdrawn
  case teamCreated, teamChanged
  case attachmentAdded
}

/// What an account is in a record of the register.
public enum RegisterRole: String, Choice {
  /// The creator of the task or the team.
  case creator
  /// A participant of the task, or a member of the team.
  case participant, member
  /// The former owner of the team.
  case formerOwner
  /// Whose team it is.
  case owner
  /// The account that attached a file, or that made the token by which it was attached.
  case uploader, tokenMaker
}

/// Why the register does not answer.
public enum RegisterFailure: String, FailureCode {
  /// The leaf is newer than the last checkpoint.
  case notCovered = "leaf_not_covered"

  public var status: Int { 409 }
}

enum RegisterText {
  static let path = Note(
    "Level, or `entries`, and number of the tile, such as `0/x001/x234/067` or `entries/000.p/12`.", length: 1...100,
    example: "0/x001/x234/067")
  static let log = Note(
    "What stands behind the first name of the register in the origin line of its checkpoint.", length: 1...100,
    example: "2-6b1f0c9d")
  static let number = Note("The number of the leaf in the register, from 0.", range: 0...9e15, example: 73_894)
  static let size = Note("How many leaves the tree has.", range: 0...9e15, example: 109_482)
  static let hashes = Note("The hashes of the proof, SHA-256 each, in the order of RFC 6962.", items: 0...63)
  static let checkpoint = Note(
    "The checkpoint as a signed note (c2sp.org/tlog-checkpoint).", length: 1...1_000_000, breaksLines: true)
}

// MARK: - The log

/// Reads the last checkpoint: origin, size and root of the register, signed (c2sp.org/tlog-checkpoint).
public enum GetRegisterCheckpoint: OpenOperation {
  public typealias Input = Empty
  public typealias Output = MediaFile

  public static let spec = OperationSpec(
    "register.getCheckpoint", of: .social, .get("/register/checkpoint"), by: .anyone, effect: .read,
    raw: .answer(["text/plain; charset=utf-8"]), requirements: ["TASK-9"],
    "Returns the last checkpoint of the register, a signed note (c2sp.org/tlog-checkpoint).")
}

/// Reads a tile of the register, or a bundle of its entries (c2sp.org/tlog-tiles).
public enum GetRegisterTile: OpenOperation {
  public struct Input: Document, Hashable {
    public var path: String

    public init(path: String) { self.path = path }

    public static let notes: Notes = ["path": RegisterText.path]
  }

  public typealias Output = MediaFile

  public static let spec = OperationSpec(
    "register.getTile", of: .social, .get("/register/tile/{path*}"), by: .anyone, effect: .read, rate: .bulk,
    failures: [RequestFailure.notFound.kind], raw: .answer(["application/octet-stream"]), requirements: ["TASK-9"],
    "Returns a tile of the register, or a bundle of its entries (c2sp.org/tlog-tiles).")
}

/// Reads the latest checkpoint of the register as continued after a restore, under its own log name.
public enum GetRegisterLogCheckpoint: OpenOperation {
  public struct Input: Document, Hashable {
    public var log: String

    public init(log: String) { self.log = log }

    public static let notes: Notes = ["log": RegisterText.log]
  }

  public typealias Output = MediaFile

  public static let spec = OperationSpec(
    "register.getLogCheckpoint", of: .social, .get("/register/{log}/checkpoint"), by: .anyone, effect: .read,
    failures: [RequestFailure.notFound.kind], raw: .answer(["text/plain; charset=utf-8"]), requirements: ["TASK-9"],
    "Returns the last checkpoint of the register that continues under this name after a restore (c2sp.org/tlog-checkpoint).")
}

/// Reads a tile of the register as continued after a restore, at a URL that never had other content.
public enum GetRegisterLogTile: OpenOperation {
  public struct Input: Document, Hashable {
    public var log: String
    public var path: String

    public init(log: String, path: String) {
      self.log = log
      self.path = path
    }

    public static let notes: Notes = ["log": RegisterText.log, "path": RegisterText.path]
  }

  public typealias Output = MediaFile

  public static let spec = OperationSpec(
    "register.getLogTile", of: .social, .get("/register/{log}/tile/{path*}"), by: .anyone, effect: .read, rate: .bulk,
    failures: [RequestFailure.notFound.kind], raw: .answer(["application/octet-stream"]), requirements: ["TASK-9"],
    """
    Returns a tile of the register that continues under this name after a restore, or a bundle of its entries \
    (c2sp.org/tlog-tiles).
    """)
}

/// Lists the keys by which the register signs its checkpoints.
public enum ListRegisterKeys: OpenOperation {
  public typealias Input = Empty

  public struct Output: Document, Hashable {
    public var origin: String
    public var keys: [String]

    public init(origin: String, keys: [String]) {
      self.origin = origin
      self.keys = keys
    }

    public static let notes: Notes = [
      "origin": Note("The origin line of the checkpoints.", length: 1...300, example: "example.org/register"),
      "keys": Note("The keys that sign, as verifier keys (c2sp.org/signed-note), the newest last.", items: 1...16),
    ]
  }

  public static let spec = OperationSpec(
    "register.listKeys", of: .social, .get("/register/keys"), by: .anyone, effect: .read, requirements: ["TASK-9"],
    "Lists the keys by which the register signs its checkpoints. To trust them, get them once by another way too.")
}

// MARK: - Proofs

/// Names a leaf of the register.
public struct RegisterLeafKey: Document, Hashable {
  public var number: Int

  public init(number: Int) { self.number = number }

  public static let notes: Notes = ["number": RegisterText.number]
}

/// Proves that the last checkpoint covers a leaf (RFC 6962, section 2.1.1).
public enum ProveRegisterInclusion: OpenOperation {
  public typealias Input = RegisterLeafKey

  public struct Output: Document, Hashable {
    public var number: Int
    public var entry: String
    public var size: Int
    public var hashes: [Base64Bytes]
    public var checkpoint: String

    public init(number: Int, entry: String, size: Int, hashes: [Base64Bytes], checkpoint: String) {
      self.number = number
      self.entry = entry
      self.size = size
      self.hashes = hashes
      self.checkpoint = checkpoint
    }

    public static let notes: Notes = [
      "number": RegisterText.number, "entry": RegisterEntry.note, "size": RegisterText.size, "hashes": RegisterText.hashes,
      "checkpoint": RegisterText.checkpoint,
    ]
  }

  public static let spec = OperationSpec(
    "register.proveInclusion", of: .social, .get("/v1/register/leaves/{number}/inclusion"), by: .anyone, effect: .read,
    failures: [RequestFailure.notFound.kind, RegisterFailure.notCovered.kind], requirements: ["TASK-9"],
    "Returns a proof that the last checkpoint of the register covers a leaf (RFC 6962).")
}

/// Proves that a tree of the register begins with all of an earlier one (RFC 6962, section 2.1.2).
public enum ProveRegisterConsistency: OpenOperation {
  public struct Input: Document, Hashable {
    public var from: Int
    public var to: Int?

    public init(from: Int, to: Int? = nil) {
      self.from = from
      self.to = to
    }

    public static let notes: Notes = [
      "from": Note("The size of the earlier tree.", range: 0...9e15, example: 73_894),
      "to": Note("The size of the later tree; that of the last checkpoint if absent.", range: 0...9e15, example: 109_482),
    ]
  }

  public struct Output: Document, Hashable {
    public var from: Int
    public var to: Int
    public var hashes: [Base64Bytes]

    public init(from: Int, to: Int, hashes: [Base64Bytes]) {
      self.from = from
      self.to = to
      self.hashes = hashes
    }

    public static let notes: Notes = [
      "from": Note("The size of the earlier tree.", range: 0...9e15), "to": Note("The size of the later tree.", range: 0...9e15),
      "hashes": RegisterText.hashes,
    ]
  }

  public static let spec = OperationSpec(
    "register.proveConsistency", of: .social, .get("/v1/register/consistency"), by: .anyone, effect: .read,
    requirements: ["TASK-9"], "Returns a proof that the register begins with all that an earlier checkpoint covers (RFC 6962).")
}

/// Reads the proof of a leaf as a file that is checked offline (c2sp.org/tlog-proof).
public enum GetRegisterProof: OpenOperation {
  public typealias Input = RegisterLeafKey
  public typealias Output = MediaFile

  public static let spec = OperationSpec(
    "register.getProof", of: .social, .get("/v1/register/leaves/{number}/proof"), by: .anyone, effect: .read,
    failures: [RequestFailure.notFound.kind, RegisterFailure.notCovered.kind], raw: .answer(["text/plain; charset=utf-8"]),
    requirements: ["TASK-9"], "Returns the proof of a leaf as a file that can be checked offline (c2sp.org/tlog-proof).")
}

// MARK: - Records

/// The bytes of a leaf.
public enum RegisterEntry {
  static let note = Note(
    "The leaf: kind, time and commitment as canonical JSON (RFC 8785).", length: 1...10_000,
    example: #"{"commitment":"…","kind":"taskCreated","time":"2026-11-21T08:43:00.000Z"}"#)
}

/// A register record that names the account, with the data that opens its commitments: the SHA-256 over salt and record is the leaf's
/// commitment, and the SHA-256 over the own salt and `{"account":"<id>"}` the one by which the record names the account.
public struct OwnRegisterRecord: Document, Hashable {
  public var number: Int
  public var kind: RegisterKind
  public var role: RegisterRole
  public var entry: String
  public var record: String
  public var salt: Base64Bytes
  public var ownSalt: Base64Bytes
  public var at: Instant

  public init(
    number: Int, kind: RegisterKind, role: RegisterRole, entry: String, record: String, salt: Base64Bytes, ownSalt: Base64Bytes,
    at: Instant
  ) {
    self.number = number
    self.kind = kind
    self.role = role
    self.entry = entry
    self.record = record
    self.salt = salt
    self.ownSalt = ownSalt
    self.at = at
  }

  public static let notes: Notes = [
    "number": RegisterText.number, "kind": "What happened.", "role": "The caller's role in it.", "entry": RegisterEntry.note,
    "record": Note("The record as canonical JSON (RFC 8785).", length: 1...100_000),
    "salt": "The record's salt: the SHA-256 over it and the record is the leaf's commitment.",
    "ownSalt": "The account's salt: the record names the account by the SHA-256 over it and `{\"account\":\"<account id>\"}`.",
    "at": "When it was registered.",
  ]
}

/// Lists the records of the register that name the account, newest first, with what opens them.
public enum ListOwnRegisterRecords: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<OwnRegisterRecord>

  public static let spec = OperationSpec(
    "register.listMyRecords", of: .social, .get("/v1/register/records"), by: .account, effect: .read, requirements: ["TASK-9"],
    "Lists the caller's records in the register, newest first, with what proves each to others.")
}

/// Reads the leaf that a record of an account became; see identity's `registerRecords.listMine`.
public enum GetRegisterAccountLeaf: OpenOperation {
  public struct Input: Document, Hashable {
    public var recordNumber: Int

    public init(recordNumber: Int) { self.recordNumber = recordNumber }

    public static let notes: Notes = ["recordNumber": Note("The record's number.", range: 1...9e15, example: 12)]
  }

  public typealias Output = RegisterLeafKey

  public static let spec = OperationSpec(
    "register.getAccountLeaf", of: .social, .get("/v1/register/account-records/{recordNumber}"), by: .anyone, effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["TASK-9"],
    "Returns the leaf of a record of an account; `not_found` while it has none.")
}
