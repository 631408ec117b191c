import GRDB
import Operations
public import Storage

/// How long the rows of a table are kept after one of their instants.
///
///     RetentionRule("email_changes", key: "change_id", after: "expires_at", seconds: EmailLinkRules.keptSeconds)
///
/// It is declared by the table's feature, see ``Feature/retention``; the service applies it.
public struct RetentionRule: Sendable {
  public let table: String
  private let key: String
  private let instant: String
  private let seconds: Int
  private let exception: String?

  /// - Parameters:
  ///   - key: the columns of the table's primary key.
  ///   - instant: the column of the instant; it needs an index.
  ///   - seconds: how long after the instant rows are kept.
  ///   - exception: a condition for rows that are kept all the same.
  public init(_ table: String, key: String, after instant: String, seconds: Int, except exception: String? = nil) {
    self.table = table
    self.key = key
    self.instant = instant
    self.seconds = seconds
    self.exception = exception
  }

  /// Removes expired rows, and what the schema deletes with them.
  ///
  /// - Parameter limit: how many rows at most.
  /// - Returns: how many rows were removed.
  public func remove(limit: Int, _ transaction: Transaction) throws -> Int {
    let exception = exception.map { " AND NOT (\($0))" } ?? ""
    let sql = """
      DELETE FROM \(table) WHERE (\(key)) IN (
        SELECT \(key) FROM \(table) WHERE \(instant) < ?\(exception) LIMIT ?)
      """
    try transaction.database.cachedStatement(sql: sql)
      .execute(arguments: [transaction.now.adding(seconds: -seconds), limit])
    return transaction.database.changesCount
  }
}
