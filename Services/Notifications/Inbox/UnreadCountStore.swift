import GRDB
import Operations
import ServiceKit
import Storage

/// How many notifications of each category an account has not read.
///
/// Triggers of `notifications`, and whoever adds a mark, keep the numbers: counting at each call takes longer the more there are. A migration
/// that changes a notification's category, number or account has to count anew.
enum UnreadCountStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "unread notifications counted by category") { database in
      try database.execute(
        sql: """
          CREATE TABLE unread_counts (
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            category TEXT NOT NULL,
            count INTEGER NOT NULL CHECK (count >= 0),
            PRIMARY KEY (account_id, category)
          ) STRICT, WITHOUT ROWID;
          -- Through the index, in its order: no row of a notification is read.
          INSERT INTO unread_counts (account_id, category, count)
          SELECT account_id, category, 1 FROM notifications INDEXED BY notifications_unread
          WHERE read_at IS NULL AND deleted_at IS NULL AND NOT EXISTS (
            SELECT 1 FROM read_marks WHERE read_marks.account_id = notifications.account_id AND through >= number)
          ON CONFLICT (account_id, category) DO UPDATE SET count = count + 1;
          ALTER TABLE inboxes DROP COLUMN unread_count;
          CREATE TRIGGER unread_counts_raised AFTER INSERT ON notifications
          WHEN NEW.read_at IS NULL AND NEW.deleted_at IS NULL
          BEGIN
            INSERT INTO unread_counts (account_id, category, count) VALUES (NEW.account_id, NEW.category, 1)
            ON CONFLICT (account_id, category) DO UPDATE SET count = count + 1;
          END;
          CREATE TRIGGER unread_counts_lowered AFTER UPDATE OF read_at, deleted_at ON notifications
          WHEN OLD.read_at IS NULL AND OLD.deleted_at IS NULL AND (NEW.read_at IS NOT NULL OR NEW.deleted_at IS NOT NULL)
            -- What a mark covers is not counted any more.
            AND NOT EXISTS (SELECT 1 FROM read_marks WHERE account_id = OLD.account_id AND through >= OLD.number)
          BEGIN
            UPDATE unread_counts SET count = count - 1 WHERE account_id = OLD.account_id AND category = OLD.category;
          END;
          CREATE TRIGGER unread_counts_marked AFTER INSERT ON read_marks
          BEGIN
            -- Later marks have higher numbers.
            DELETE FROM unread_counts WHERE account_id = NEW.account_id;
            INSERT INTO unread_counts (account_id, category, count)
            SELECT account_id, category, count(*) FROM notifications INDEXED BY notifications_unread
            WHERE account_id = NEW.account_id AND number > NEW.through AND read_at IS NULL AND deleted_at IS NULL
            GROUP BY category;
          END;
          """)
    }
  }

  /// Whoever adds a mark counts: the trigger counted all that was left unread.
  static func markMigration(_ number: Int) -> Migration {
    Migration(number, "unread notifications counted without a trigger of marks") { database in
      try database.execute(sql: "DROP TRIGGER unread_counts_marked")
    }
  }

  /// How many unread notifications are looked through for those that a block hides: older ones count until the worker has deleted them.
  private static let maxSearched = 2_000

  /// How many are not read, by the name of their category; those with none are left out.
  static func counts(of account: AccountID, in database: Database) throws -> [String: Int] {
    var counts = try stored(of: account, in: database)
    if try BlockedNotificationStore.isHiding(from: account, in: database) {
      try database.each(
        """
        SELECT category, count(*) FROM (
          SELECT account_id, notification_id, number, category FROM notifications INDEXED BY notifications_unread
          WHERE account_id = ? AND number > ? AND read_at IS NULL AND deleted_at IS NULL
          ORDER BY number DESC LIMIT \(maxSearched)) AS newest
        WHERE EXISTS (SELECT 1 FROM notification_accounts a WHERE a.notification_id = newest.notification_id
          AND \(BlockedNotificationStore.isHidden("newest", naming: "a.account_id")))
        GROUP BY category
        """, .id(account), .number(try ReadMarkStore.through(of: account, in: database))
      ) {
        counts[$0.text(0), default: 0] -= $0.number(1)
        return true
      }
    }
    return counts.filter { $0.value > 0 }
  }

  private static func stored(of account: AccountID, in database: Database) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    try database.each("SELECT category, count FROM unread_counts WHERE account_id = ?", .id(account)) {
      counts[$0.text(0)] = $0.number(1)
      return true
    }
    return counts
  }

  // MARK: - Marks

  /// Of so many, those that are read and those that are left are counted at first.
  private static let firstCounted = 1_000

  /// How many are not read once all after one number up to another are: of those that are read now and those that are left the fewer are
  /// counted. Which are fewer shows by counting more and more of both.
  ///
  /// - Parameter first: up to there all were read before.
  static func countsLeft(
    of account: AccountID, readingAfter first: Int, through last: Int, in database: Database
  ) throws -> [String: Int] {
    var limit = firstCounted
    while true {
      if let read = try unread(of: account, after: first, through: last, limit: limit, in: database) {
        var counts = try stored(of: account, in: database)
        for (category, count) in read { counts[category, default: 0] -= count }
        return counts
      }
      if let left = try unread(of: account, after: last, through: .max, limit: limit, in: database) { return left }
      limit *= 4
    }
  }

  /// The numbers of those not read after one number up to another, whatever the marks say; nil where there are `limit` of them or more.
  private static func unread(
    of account: AccountID, after first: Int, through last: Int, limit: Int, in database: Database
  ) throws -> [String: Int]? {
    var counts: [String: Int] = [:]
    try database.each(
      """
      SELECT category, count(*) FROM (
        SELECT category FROM notifications INDEXED BY notifications_unread
        WHERE account_id = ? AND number > ? AND number <= ? AND read_at IS NULL AND deleted_at IS NULL
        ORDER BY number LIMIT ?)
      GROUP BY category
      """, .id(account), .number(first), .number(last), .number(limit)
    ) {
      counts[$0.text(0)] = $0.number(1)
      return true
    }
    return counts.values.reduce(0, +) < limit ? counts : nil
  }

  /// Stores the numbers of an account.
  static func set(_ counts: [String: Int], of account: AccountID, in database: Database) throws {
    try database.run("DELETE FROM unread_counts WHERE account_id = ?", .id(account))
    for (category, count) in counts where count > 0 {
      try database.run(
        "INSERT INTO unread_counts (account_id, category, count) VALUES (?, ?, ?)", .id(account), .text(category),
        .number(count))
    }
  }
}
