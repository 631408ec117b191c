import GRDB
public import IdentityContract
import Operations
import Storage

/// How a table forgets an account. Every table of a service's store is declared once, and a test fails where one is not:
///
///     service.erase([
///       .rows("activities", "account_id = :account", .activities),
///       .untouched("offers", "the partners' own"),
///     ], environment)
///
/// The statements of one table see those before it done, so what refers to others comes first. Parameters: `:account` (the id's
/// bytes), `:text` (the id as text), `:now`.
public struct ErasedTable: Sendable {
  public let name: String
  /// Why it holds nothing of an account; nil where it does.
  public let reason: String?
  /// The table with whose rows its own are deleted; nil for most.
  public let followed: String?
  let kind: ErasedKind?
  /// Which rows are the account's.
  let condition: String
  /// What is done; nil where the rows are just deleted.
  let statements: [String]?

  /// Rows that are deleted.
  public static func rows(_ name: String, _ condition: String, _ kind: ErasedKind) -> ErasedTable {
    ErasedTable(name: name, reason: nil, followed: nil, kind: kind, condition: condition, statements: nil)
  }

  /// Rows that are changed so that they say nothing of the account any more, by statements of their own.
  public static func changed(
    _ name: String, _ condition: String, _ kind: ErasedKind, by statements: String...
  ) -> ErasedTable {
    ErasedTable(name: name, reason: nil, followed: nil, kind: kind, condition: condition, statements: statements)
  }

  /// Rows that the schema deletes with those of another table (`ON DELETE CASCADE`).
  public static func following(_ name: String, _ other: String) -> ErasedTable {
    ErasedTable(name: name, reason: nil, followed: other, kind: nil, condition: "", statements: [])
  }

  /// A table that holds nothing of any account.
  public static func untouched(_ name: String, _ reason: String) -> ErasedTable {
    ErasedTable(name: name, reason: reason, followed: nil, kind: nil, condition: "", statements: [])
  }

  /// The read model of accounts, see ``Accounts``.
  static let readModel = ErasedTable.rows("accounts", "account_id = :account", .profiles)

  private var counting: String { "SELECT count(*) FROM \(name) WHERE \(condition)" }
  private var erasing: [String] { statements ?? ["DELETE FROM \(name) WHERE \(condition)"] }

  /// All that is asked of the store for the table, in its order; for a test of how the store goes about it.
  public var sql: [String] { kind == nil ? [] : [counting] + erasing }

  /// Erases the account's rows, and adds their number to those of their kind.
  func erase(_ account: AccountID, _ transaction: Transaction, _ counts: inout [ErasedKind: Int]) throws {
    guard let kind else { return }
    func run<T>(_ sql: String, _ body: (Database, StatementArguments) throws -> T) throws -> T {
      let values: [String: (any DatabaseValueConvertible)?] = [
        "account": account, "text": account.description, "now": transaction.now,
      ]
      return try body(transaction.database, StatementArguments(values.filter { sql.contains(":\($0.key)") }))
    }
    counts[kind, default: 0] += try run(counting) { try Int.fetchOne($0, sql: counting, arguments: $1) ?? 0 }
    for statement in erasing {
      try run(statement) { try $0.execute(sql: statement, arguments: $1) }
    }
  }
}

extension ErasedTable {
  /// The tables that every store has beside those of its service; `Erasure` sees to them.
  public static let ofEveryStore: Set<String> = [
    "store_migrations", "store_states", "outbox", "outbox_listeners", "inbox_cursors", "idempotency_records", "erasures",
  ]
}
