public import IdentityContract
public import Operations
public import Storage

/// The erasure of one account in one store, in one transaction (ID-12).
public enum Erasure {
  /// Erases what the tables hold of the account, the events that name it and the replies to its requests, and notes what was
  /// erased; nothing happens where it was erased before.
  ///
  /// - Parameters:
  ///   - names: events that hold ids alone, which others still have to hear.
  ///   - following: what others are to be told of it, read before the rows are gone; ids alone.
  ///   - registration: of the account, where it was registered here.
  public static func erase(
    _ account: AccountID, _ deletion: AccountDeletionID, _ tables: [ErasedTable], keepingEvents names: Set<String> = [],
    registration: AnonymousRequest? = nil, following: (AccountID, Transaction) throws -> [any Event] = { _, _ in [] },
    _ transaction: Transaction
  ) throws {
    guard try !transaction.database.isErased(account) else { return }
    let following = try following(account, transaction)
    var counts: [ErasedKind: Int] = [:]
    for table in tables { try table.erase(account, transaction, &counts) }
    counts[.events, default: 0] += try transaction.emptyEvents(naming: account, except: names)
    try transaction.forgetReplies(to: account, registration: registration)
    for event in following { try transaction.tell(event) }
    try transaction.noteErasure(of: account, by: deletion, counts: Counts(counts).text)
  }

  /// Counts as a store keeps them.
  public static func text(_ counts: [ErasureCount]) -> String { Counts(counts: counts).text }

  /// Counts from what a store keeps.
  ///
  /// - Throws: `Failure` if a newer version of the program knew further kinds.
  public static func counts(_ text: String) throws -> [ErasureCount] { try Counts.decode(Array(text.utf8)).counts }

  /// The counts as JSON.
  struct Counts: Document {
    let counts: [ErasureCount]

    init(counts: [ErasureCount]) { self.counts = counts }

    init(_ counts: [ErasedKind: Int]) {
      self.counts = ErasedKind.allCases.compactMap { kind in counts[kind].map { ErasureCount(kind: kind, count: $0) } }
    }

    static let notes: Notes = ["counts": "What was erased."]

    var text: String { String(decoding: json, as: UTF8.self) }
  }
}

extension ErasedAccount {
  /// The deletion that the erasure is part of.
  public var deletionID: AccountDeletionID {
    guard let id = AccountDeletionID(bytes: deletion) else { preconditionFailure("the schema sees to 16 bytes") }
    return id
  }

  /// How much was erased.
  ///
  /// - Throws: `Failure` if a newer version of the program knew further kinds.
  public func erasureCounts() throws -> [ErasureCount] { try Erasure.counts(counts) }
}
