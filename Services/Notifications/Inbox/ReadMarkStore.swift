import GRDB
import NotificationsContract
import Operations
import Storage

/// Marks up to which an inbox was read as a whole, kept until each notification up to them is marked itself: an account with 100,000 of
/// them delays no one else.
///
/// A notification without a read time was read at the first mark that is not before it. To find out whether one is unread, use
/// ``isUnread(_:)``, which includes the marks.
enum ReadMarkStore {
  /// Up to this many unread notifications are marked at once.
  static let rowsAtOnce = 500

  static func migration(_ number: Int) -> Migration {
    Migration(number, "marks of read notifications") { database in
      try database.execute(
        sql: """
          -- All up to that number were read at that time, though some are not marked yet. Later marks of an account have higher numbers.
          CREATE TABLE read_marks (
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            through INTEGER NOT NULL CHECK (through > 0),
            read_at INTEGER NOT NULL,
            PRIMARY KEY (account_id, through)
          ) STRICT, WITHOUT ROWID;
          """)
    }
  }

  /// When a notification was read, as SQL; NULL while it was not.
  ///
  /// - Parameter row: SQL for the row of `notifications`.
  static func readAt(_ row: String) -> String {
    """
    coalesce(\(row).read_at, (SELECT read_at FROM read_marks
      WHERE read_marks.account_id = \(row).account_id AND through >= \(row).number ORDER BY through LIMIT 1))
    """
  }

  /// Whether a notification was not read, as SQL.
  ///
  /// - Parameter row: SQL for the row of `notifications`.
  static func isUnread(_ row: String) -> String {
    """
    (\(row).read_at IS NULL AND NOT EXISTS (
      SELECT 1 FROM read_marks WHERE read_marks.account_id = \(row).account_id AND through >= \(row).number))
    """
  }

  /// Up to which number all are read; 0 where there is no mark.
  static func through(of account: AccountID, in database: Database) throws -> Int {
    try database.first("SELECT max(through) FROM read_marks WHERE account_id = ?", .id(account)) {
      $0.isNull(0) ? 0 : $0.number(0)
    } ?? 0
  }

  /// Marks all after one number up to another as read.
  ///
  /// - Parameter first: up to there they were read before.
  static func add(after first: Int, through number: Int, of account: AccountID, _ transaction: Transaction) throws {
    let database = transaction.database
    let left = try UnreadCountStore.countsLeft(of: account, readingAfter: first, through: number, in: database)
    try UnreadCountStore.set(left, of: account, in: database)
    try database.run(
      "INSERT INTO read_marks (account_id, through, read_at) VALUES (?, ?, ?)", .id(account), .number(number),
      .instant(transaction.now))
  }

  /// Writes the read time of some notifications of an account, those of its first mark first, and counts them as opened on the day of the
  /// mark. With the last one, the mark is deleted.
  ///
  /// - Parameter limit: the most at once.
  static func settle(_ account: AccountID, limit: Int, _ transaction: Transaction) throws {
    let database = transaction.database
    let mark = try database.first(
      "SELECT through, read_at FROM read_marks WHERE account_id = ? ORDER BY through LIMIT 1", .id(account)
    ) { (through: $0.number(0), readAt: $0.instant(1)) }
    guard let mark else { return }
    let statement = try database.cachedStatement(
      sql: """
        UPDATE notifications SET read_at = ? WHERE notification_id IN (
          SELECT notification_id FROM notifications INDEXED BY notifications_unread
          WHERE account_id = ? AND number <= ? AND read_at IS NULL AND deleted_at IS NULL ORDER BY number LIMIT ?)
        RETURNING kind
        """)
    let kinds = try String.fetchAll(statement, arguments: [mark.readAt, account, mark.through, limit])
    for (kind, rows) in Dictionary(grouping: kinds, by: { $0 }) {
      try DeliveryStore.count(.inbox, kind, "opened", reason: nil, by: rows.count, at: mark.readAt, transaction)
    }
    guard kinds.count < limit else { return }
    try database.run("DELETE FROM read_marks WHERE account_id = ? AND through = ?", .id(account), .number(mark.through))
  }
}
