public import Operations

extension FeatureContract {
  static let registerRecords = FeatureContract(operations: [ListRegisterRecords.self, ListOwnAccountRecords.self])
}

// What identity has registered of accounts (TASK-9): a log of its own without gaps, which outlives the accounts. Social makes leaves of its
// register of it, in its order; what opens them stays here, and goes with the account.

/// What is registered of accounts.
public enum RegisterRecordKind: String, Choice {
  /// An account was made, or was there when the register began.
  case accountCreated
  /// Username, nickname, name, age or photo changed.
  case profileChanged
  case accountDeleted
}

/// A record as others see it.
public struct RegisterRecordLine: Document, Hashable {
  /// 1, 2, 3, … without gaps.
  public var number: Int
  public var kind: RegisterRecordKind
  public var at: Instant
  /// SHA-256 over the salt and the record's canonical JSON.
  public var commitment: Base64Bytes

  public init(number: Int, kind: RegisterRecordKind, at: Instant, commitment: Base64Bytes) {
    self.number = number
    self.kind = kind
    self.at = at
    self.commitment = commitment
  }

  public static let notes: Notes = [
    "number": Note("Its number, from 1.", range: 1...9e15), "kind": "What happened.", "at": "When it happened.",
    "commitment": "The SHA-256 over salt and record.",
  ]
}

/// Gives social the records after a given one, in their order.
public enum ListRegisterRecords: OpenOperation {
  public struct Input: Document, Hashable {
    public var after: Int

    public init(after: Int) { self.after = after }

    public static let notes: Notes = ["after": Note("The number of the last record that the caller has.", range: 0...9e15)]
  }

  public struct Output: Document, Hashable {
    public var records: [RegisterRecordLine]
    public var lastNumber: Int

    public init(records: [RegisterRecordLine], lastNumber: Int) {
      self.records = records
      self.lastNumber = lastNumber
    }

    public static let notes: Notes = [
      "records": "The next ones, at most 500.",
      "lastNumber": Note("The number of the last record.", range: 0...9e15),
    ]
  }

  public static let spec = OperationSpec(
    "registerRecords.list", of: .identity, nil, by: .services([.social]), effect: .read, requirements: ["TASK-9"],
    "Lists the records of accounts in the register after a number, in its order.")
}

/// A record of the account's own, with what opens its commitments; see social's `register.listMyRecords`.
public struct OwnAccountRecord: Document, Hashable {
  public var number: Int
  public var kind: RegisterRecordKind
  public var record: String
  public var salt: Base64Bytes
  public var ownSalt: Base64Bytes
  public var at: Instant

  public init(number: Int, kind: RegisterRecordKind, record: String, salt: Base64Bytes, ownSalt: Base64Bytes, at: Instant) {
    self.number = number
    self.kind = kind
    self.record = record
    self.salt = salt
    self.ownSalt = ownSalt
    self.at = at
  }

  public static let notes: Notes = [
    "number": Note("The record's number; `register.getAccountLeaf` says which leaf of the register it is.", range: 1...9e15),
    "kind": "What happened.", "record": Note("The record as canonical JSON (RFC 8785).", length: 1...10_000),
    "salt": "The record's salt: the SHA-256 over it and the record is the leaf's commitment.",
    "ownSalt": "The account's salt: the record names the account by the SHA-256 over it and `{\"account\":\"<account id>\"}`.",
    "at": "When it was registered.",
  ]
}

/// Lists what was registered of the account itself, newest first, with what opens it.
public enum ListOwnAccountRecords: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<OwnAccountRecord>

  public static let spec = OperationSpec(
    "registerRecords.listMine", of: .identity, .get("/v1/accounts/me/register-records"), by: .account, effect: .read,
    requirements: ["TASK-9"],
    "Lists the records of the caller's account in the register, newest first, with what proves each to others.")
}
