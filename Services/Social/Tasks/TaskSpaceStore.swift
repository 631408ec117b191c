import GRDB
import Operations
import Storage

/// The bytes of each account's texts in tasks. The tables with such texts keep the sums by triggers.
enum TaskSpaceStore {
  static let schema = """
    CREATE TABLE task_space (
      account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
      bytes INTEGER NOT NULL CHECK (bytes >= 0)
    ) STRICT, WITHOUT ROWID;

    """

  /// Triggers by which the sums follow a table.
  ///
  /// - Parameters:
  ///   - column: of the account that wrote the row; NULL where it was deleted.
  ///   - texts: the columns that count.
  static func triggers(on table: String, by column: String, of texts: [String]) -> String {
    func bytes(_ row: String) -> String {
      texts.map { "coalesce(length(CAST(\(row).\($0) AS BLOB)), 0)" }.joined(separator: " + ")
    }
    func add(_ row: String, _ bytes: String) -> String {
      """
      INSERT INTO task_space (account_id, bytes) VALUES (\(row).\(column), \(bytes))
          ON CONFLICT (account_id) DO UPDATE SET bytes = bytes + excluded.bytes;
      """
    }
    return """
      CREATE TRIGGER \(table)_space_added AFTER INSERT ON \(table) WHEN new.\(column) IS NOT NULL BEGIN
        \(add("new", bytes("new")))
      END;
      CREATE TRIGGER \(table)_space_changed AFTER UPDATE OF \(texts.joined(separator: ", ")) ON \(table)
      WHEN new.\(column) IS NOT NULL BEGIN
        UPDATE task_space SET bytes = bytes + (\(bytes("new"))) - (\(bytes("old"))) WHERE account_id = new.\(column);
      END;
      CREATE TRIGGER \(table)_space_removed AFTER DELETE ON \(table) WHEN old.\(column) IS NOT NULL BEGIN
        UPDATE task_space SET bytes = bytes - (\(bytes("old"))) WHERE account_id = old.\(column);
      END;

      """
  }

  /// What an account has written in tasks and is there still.
  static func bytes(of account: AccountID, in database: Database) throws -> Int {
    try database.first("SELECT bytes FROM task_space WHERE account_id = ?", .id(account)) { $0.number(0) } ?? 0
  }
}
