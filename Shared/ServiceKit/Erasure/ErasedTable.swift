public import GRDB
public import IdentityContract
public import Operations
public import Storage

/// How a table forgets an account. Every table of a service's store is declared once, by its ``Feature``; a test fails if one is not:
///
///     let tables: [ErasedTable] = [
///       .rows("activities", "account_id = :account", .activities),
///       .untouched("offers", "the partners' own"),
///     ]
///
/// The statements of one table run after those of the tables before it, so referring tables come first. Parameters: `:account` (the id's
/// bytes), `:text` (the id as text), `:now`, `:limit` (for work in steps).
///
/// If an account has many rows, they are erased in steps, over many transactions (``Erasure``). Meanwhile they must not be shown to others:
/// either they are erased ``atOnce``, or code that reads them for others leaves out accounts in `erasures`. Nor may anything go on with
/// them: see ``stopped(by:)``.
public struct ErasedTable: Sendable {
  /// The events that report the rows' end, for the first rows by their primary key, at most `limit` (all if negative); ids alone.
  public typealias Ends = @Sendable (AccountID, _ limit: Int, Transaction) throws -> [any Event]
  /// Does at most `limit` (all if negative) units of the work that must precede the deletion of rows, and returns how many it did.
  public typealias Preparation = @Sendable (AccountID, _ limit: Int, Transaction) throws -> Int

  public let name: String
  /// Why the table holds nothing of an account; nil if it does.
  public let reason: String?
  /// The table whose deleted rows take this table's rows with them; nil for most.
  public let followed: String?
  /// Whether the table is erased in the transaction that receives the deletion, however many rows there are.
  private(set) var isAtOnce = false
  /// The statement that the transaction that receives the deletion runs, for rows that are erased later.
  private var stopping: String?
  /// Whether the report of the deletion counts the table's rows.
  private var isCounted = true
  let kind: ErasedKind?
  /// Which rows are the account's; empty if that is not needed.
  let condition: String
  /// The statements that erase; nil if the rows are just deleted.
  let statements: [String]?
  /// The statements that erase `:limit` of the rows, if they are not just deleted; changes to the table itself are counted.
  let steps: [String]?
  /// The names of the events that report the rows' end, and the closure that makes them.
  private(set) var endNames: Set<String> = []
  private var ends: Ends?
  private var preparation: Preparation?

  private init(
    name: String, reason: String? = nil, followed: String? = nil, kind: ErasedKind? = nil, condition: String = "",
    statements: [String]? = nil, steps: [String]? = nil
  ) {
    self.name = name
    self.reason = reason
    self.followed = followed
    self.kind = kind
    self.condition = condition
    self.statements = statements
    self.steps = steps
  }

  /// Rows that are deleted.
  public static func rows(_ name: String, _ condition: String, _ kind: ErasedKind) -> ErasedTable {
    ErasedTable(name: name, kind: kind, condition: condition)
  }

  /// Rows that are changed by statements of their own, so that they say nothing of the account any more.
  ///
  /// - Parameter steps: the same for `:limit` rows, if there may be many.
  public static func changed(
    _ name: String, _ condition: String, _ kind: ErasedKind, by statements: String..., steps: [String]? = nil
  ) -> ErasedTable {
    ErasedTable(name: name, kind: kind, condition: condition, statements: statements, steps: steps)
  }

  /// The same by statements each of which does it for `:limit` rows: for all if that is negative.
  public static func changed(
    _ name: String, _ condition: String, _ kind: ErasedKind, inSteps statements: String...
  ) -> ErasedTable {
    ErasedTable(name: name, kind: kind, condition: condition, statements: statements, steps: statements)
  }

  /// Rows that the schema deletes with those of another table (`ON DELETE CASCADE`).
  ///
  /// - Parameter condition: which rows are the account's, if one row of the other table may have many: they are deleted before it, in
  ///   steps.
  public static func following(_ name: String, _ other: String, where condition: String = "") -> ErasedTable {
    ErasedTable(name: name, followed: other, condition: condition, statements: [])
  }

  /// A table that holds nothing of any account.
  public static func untouched(_ name: String, _ reason: String) -> ErasedTable {
    ErasedTable(name: name, reason: reason, statements: [])
  }

  /// The same table, erased in the transaction that receives the deletion: for few rows that others read, or that show that the account
  /// exists.
  public var atOnce: ErasedTable {
    var table = self
    table.isAtOnce = true
    return table
  }

  /// The same table, with a statement of the transaction that receives the deletion: it ends what is going on with the rows, which are
  /// erased later.
  public func stopped(by statement: String) -> ErasedTable {
    var table = self
    table.stopping = statement
    return table
  }

  /// The same table, left out of the counts in the report of the deletion: the account's owner knows of no such thing.
  public var uncounted: ErasedTable {
    var table = self
    table.isCounted = false
    return table
  }

  /// The same table, with events that publish the rows' end.
  public func publishing(_ names: Set<String>, _ ends: @escaping Ends) -> ErasedTable {
    var table = self
    (table.endNames, table.ends) = (names, ends)
    return table
  }

  /// The same table, whose rows are deleted only after that preparation.
  public func preceded(by preparation: @escaping Preparation) -> ErasedTable {
    var table = self
    table.preparation = preparation
    return table
  }

  private var counting: String { "SELECT count(*) FROM \(name) WHERE \(condition)" }
  private var erasing: [String] { statements ?? ["DELETE FROM \(name) WHERE \(condition)"] }
  /// Whether there may be so many rows that they are erased in steps.
  var isInSteps: Bool { isWeighed && (statements == nil || followed != nil || steps != nil) }
  /// Whether the rows count among those that a deletion erases later if they are many.
  private var isWeighed: Bool { !isAtOnce && !condition.isEmpty }

  /// All statements that the store runs for the table, in order; for a test of how the store runs them.
  public func sql(in database: Database) throws -> [String] {
    (kind == nil ? [] : (isCounted ? [counting] : []) + erasing) + (isWeighed ? [weighing] : [])
      + (isInSteps ? try stepping(database) : []) + (stopping.map { [$0] } ?? [])
  }

  private var weighing: String { "SELECT count(*) FROM (SELECT 1 FROM \(name) WHERE \(condition) LIMIT :limit)" }

  private func stepping(_ database: Database) throws -> [String] {
    if let steps { return steps }
    let columns = try database.primaryKey(name).columns
    let key = columns.joined(separator: ", ")
    // Rows whose end is published are deleted in the order of their key; for others any order will do. With the plus sign, SQLite finds the
    // rows by the condition and then sorts them, instead of scanning the table in key order.
    let order = ends == nil ? "" : " ORDER BY \(columns.map { "+\($0)" }.joined(separator: ", "))"
    return ["DELETE FROM \(name) WHERE (\(key)) IN (SELECT \(key) FROM \(name) WHERE \(condition)\(order) LIMIT :limit)"]
  }

  private func run<T>(
    _ sql: String, _ account: AccountID, limit: Int = -1, _ transaction: Transaction,
    _ body: (Database, StatementArguments) throws -> T
  ) throws -> T {
    let values: [String: (any DatabaseValueConvertible)?] = [
      "account": account, "text": account.description, "now": transaction.now, "limit": limit,
    ]
    return try body(transaction.database, StatementArguments(values.filter { sql.contains(":\($0.key)") }))
  }

  /// Ends what is going on with the account's rows.
  func stop(_ account: AccountID, _ transaction: Transaction) throws {
    guard let stopping else { return }
    try run(stopping, account, transaction) { try $0.execute(sql: stopping, arguments: $1) }
  }

  /// Erases the account's rows, and adds their number to the count of their kind.
  func erase(_ account: AccountID, _ transaction: Transaction, _ counts: inout [ErasedKind: Int]) throws {
    _ = try preparation?(account, -1, transaction)
    guard let kind else { return }
    if isCounted {
      counts[kind, default: 0] += try run(counting, account, transaction) {
        try Int.fetchOne($0, sql: counting, arguments: $1) ?? 0
      }
    }
    try publishEnds(account, limit: -1, transaction)
    for statement in erasing {
      try run(statement, account, transaction) { try $0.execute(sql: statement, arguments: $1) }
    }
  }

  /// How many rows of the account there are, or `limit` if there are more.
  func weight(_ account: AccountID, limit: Int, _ transaction: Transaction) throws -> Int {
    guard isWeighed else { return 0 }
    return try run(weighing, account, limit: limit, transaction) { try Int.fetchOne($0, sql: weighing, arguments: $1) ?? 0 }
  }

  /// Erases some of the account's rows and adds their number to the count of their kind, or does part of the preparation.
  ///
  /// - Returns: how many rows those were.
  func step(
    _ account: AccountID, limit: Int, _ transaction: Transaction, _ counts: inout [ErasedKind: Int]
  ) throws -> Int {
    guard isInSteps else { return 0 }
    if let prepared = try preparation?(account, limit, transaction), prepared > 0 { return prepared }
    try publishEnds(account, limit: limit, transaction)
    var count = 0
    for statement in try stepping(transaction.database) {
      let changes = try run(statement, account, limit: limit, transaction) {
        try $0.cachedStatement(sql: statement).execute(arguments: $1)
        return $0.changesCount
      }
      if changesRows(statement) { count += changes }
    }
    if let kind, isCounted { counts[kind, default: 0] += count }
    return count
  }

  /// Whether a statement changes the table itself.
  private func changesRows(_ statement: String) -> Bool {
    let words = statement.split(maxSplits: 3, whereSeparator: \.isWhitespace).prefix(3)
    return words.starts(with: ["UPDATE", name]) { $0 == $1 } || words.elementsEqual(["DELETE", "FROM", name]) { $0 == $1 }
  }

  private func publishEnds(_ account: AccountID, limit: Int, _ transaction: Transaction) throws {
    guard let ends else { return }
    for event in try ends(account, limit, transaction) { try transaction.publish(event) }
  }
}

extension ErasedTable {
  /// The tables that every store has in addition to its service's; `Erasure` takes care of them.
  public static let ofEveryStore: Set<String> = [
    "store_migrations", "store_states", "outbox", "outbox_ancestors", "outbox_subscribers", "subscription_cursors",
    "idempotency_records", "idempotency_draws", "erasures",
  ]
}
