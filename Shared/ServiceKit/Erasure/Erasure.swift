public import IdentityContract
public import Operations
public import Storage
import Synchronization

/// The erasure of accounts in one store (ID-12).
///
/// The transaction that receives a deletion records it: from then on nothing of the account is written, or shown to others. If the account
/// has few rows, they are erased in the same transaction. If it has many, ``ErasureWorker`` erases some in each of many transactions, so
/// that no other write waits for all of them; the last transaction checks once more for all rows.
public struct Erasure: Sendable {
  /// Events that are searched in one transaction at most.
  static let eventsPerTransaction = 2_000

  let tables: [ErasedTable]
  private let eventsKept: Set<String>
  /// The same of those that were published since the erasure began: those that report the rows' end as well.
  private let laterEventsKept: Set<String>
  /// Rows that are erased in one transaction at most, besides those that are erased ``ErasedTable/atOnce``.
  let rowsPerTransaction: Int

  /// - Parameters:
  ///   - tables: all tables of the service's migrations, each once.
  ///   - names: events that hold only ids, which subscribers still have to receive.
  public init(_ tables: [ErasedTable], keepingEvents names: Set<String> = [], rowsPerTransaction: Int = 200) {
    self.tables = tables
    eventsKept = names
    laterEventsKept = tables.reduce(into: names) { $0.formUnion($1.endNames) }
    self.rowsPerTransaction = rowsPerTransaction
  }

  /// Begins to erase an account, and finishes its rows if they are few; does nothing if it was erased before.
  ///
  /// - Parameter registration: the account's registration, if it was registered here.
  public func begin(
    _ account: AccountID, _ deletion: AccountDeletionID, registration: AnonymousRequest? = nil, _ transaction: Transaction
  ) throws {
    guard try !transaction.database.isErased(account) else { return }
    var counts: [ErasedKind: Int] = [:]
    try transaction.noteErasure(of: account, by: deletion, counts: Counts(counts).text)
    if let registration { try transaction.forgetReply(to: registration) }
    for table in tables { try table.stop(account, transaction) }
    for table in tables where table.isAtOnce { try table.erase(account, transaction, &counts) }
    try transaction.noteErased(account, counts: Counts(counts).text)
    var rows = 0
    for table in tables where rows <= rowsPerTransaction {
      rows += try table.weight(account, limit: rowsPerTransaction + 1, transaction)
    }
    // The search of events is work as well, and the other deletions of the same commit search them too.
    let search = try transaction.database.keptEvents() * rowsPerTransaction / Erasure.eventsPerTransaction
    if transaction.takeErasedRows(max(rows + search, 1), of: rowsPerTransaction) { return try finish(account, transaction) }
    // Only the search is left to the worker.
    guard transaction.takeErasedRows(max(rows, 1), of: rowsPerTransaction) else { return }
    for table in tables { try table.erase(account, transaction, &counts) }
    try transaction.noteErased(account, counts: Counts(counts).text)
  }

  /// Erases some more of an account's rows, and ends the erasure when none are left.
  ///
  /// - Parameter position: the position of the previous step, so that not every step searches all tables for remaining rows.
  /// - Returns: whether there may be more.
  func step(_ account: AccountID, rows: Int, from position: Position, _ transaction: Transaction) throws -> Bool {
    guard let erasure = try transaction.database.erasure(of: account), !erasure.areRowsErased else { return false }
    var counts = try Counts.decode(Array(erasure.counts.utf8)).byKind
    // All tables are checked once more after the last one: erasing a table's rows may have written to an earlier table.
    for _ in position.emptyTables.load(ordering: .relaxed)..<tables.count {
      let table = tables[position.table.load(ordering: .relaxed)]
      if try table.step(account, limit: rows, transaction, &counts) > 0 {
        position.emptyTables.store(0, ordering: .relaxed)
        try transaction.noteErased(account, counts: Counts(counts).text)
        return true
      }
      position.advance(in: tables.count)
    }
    if let numbers = try eventsToSearch(erasure, transaction) {
      let names = numbers.upperBound <= erasure.publishedThrough ? eventsKept : laterEventsKept
      counts[.events, default: 0] += try transaction.emptyEvents(naming: account, except: names, in: numbers)
      try transaction.noteErased(account, counts: Counts(counts).text, emptiedThrough: numbers.upperBound)
      return true
    }
    if try transaction.forgetReplies(to: account, limit: rows) > 0 { return true }
    try finish(account, transaction)
    return false
  }

  /// The next events to search in a transaction of their own; nil if so few are left that the last transaction searches them.
  private func eventsToSearch(_ erasure: ErasedAccount, _ transaction: Transaction) throws -> ClosedRange<Int64>? {
    let database = transaction.database
    guard let oldest = try database.first("SELECT number FROM outbox ORDER BY number LIMIT 1", read: { $0.number(0) }),
      let newest = try database.first("SELECT number FROM outbox ORDER BY number DESC LIMIT 1", read: { $0.number(0) })
    else { return nil }
    let first = max(erasure.emptiedThrough + 1, Int64(oldest))
    guard Int64(newest) - first >= Int64(Erasure.eventsPerTransaction) else { return nil }
    let last = first <= erasure.publishedThrough ? erasure.publishedThrough : Int64(newest)
    return first...min(first + Int64(Erasure.eventsPerTransaction) - 1, last)
  }

  /// The position of an account's erasure among the tables. It is not stored: a restart at the first table finds the same rows.
  final class Position: Sendable {
    fileprivate let table = Atomic(0)
    /// How many tables in a row had no rows left.
    fileprivate let emptyTables = Atomic(0)

    fileprivate func advance(in count: Int) {
      table.store((table.load(ordering: .relaxed) + 1) % count, ordering: .relaxed)
      emptyTables.add(1, ordering: .relaxed)
    }
  }

  /// Erases all that is left, in one transaction.
  private func finish(_ account: AccountID, _ transaction: Transaction) throws {
    guard let erasure = try transaction.database.erasure(of: account) else { return }
    var counts = try Counts.decode(Array(erasure.counts.utf8)).byKind
    for table in tables { try table.erase(account, transaction, &counts) }
    var emptied = 0
    if erasure.emptiedThrough < erasure.publishedThrough {
      emptied += try transaction.emptyEvents(
        naming: account, except: eventsKept, in: erasure.emptiedThrough + 1...erasure.publishedThrough)
    }
    // What was published since: of its end, or before somebody knew of it.
    let searched = max(erasure.emptiedThrough, erasure.publishedThrough)
    emptied += try transaction.emptyEvents(naming: account, except: laterEventsKept, in: searched + 1...Int64.max)
    counts[.events, default: 0] += emptied
    _ = try transaction.forgetReplies(to: account)
    try transaction.noteErased(
      account, counts: Counts(counts).text, emptiedThrough: searched, isDone: true)
  }

  /// The counts in their stored form.
  public static func text(_ counts: [ErasureCount]) -> String { Counts(counts: counts).text }

  /// The counts from their stored form.
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

    var byKind: [ErasedKind: Int] { Dictionary(counts.map { ($0.kind, $0.count) }, uniquingKeysWith: +) }

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
