import GRDB
import Operations
import ServiceKit
import Storage

/// How many notifications of each category an account has not read.
///
/// Triggers of `notifications` and `read_marks` keep the numbers: counting at each call takes longer the more there are. A migration that
/// changes a notification's category, number or account has to count anew.
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

  /// How many are not read, by the name of their category; those with none are left out.
  static func counts(of account: AccountID, in database: Database) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    let statement = try database.cachedStatement(sql: "SELECT category, count FROM unread_counts WHERE account_id = ?")
    for row in try Row.fetchAll(statement, arguments: [account]) { counts[row["category"]] = row["count"] }
    let blocked = try BlockedNotificationStore.names(of: account, in: database)
    if !blocked.isEmpty {
      let hidden = try Row.fetchAll(
        database,
        sql: """
          SELECT category, count(*) AS count FROM notifications
          WHERE account_id = ? AND number > ? AND read_at IS NULL AND deleted_at IS NULL AND \(blocked)
          GROUP BY category
          """, arguments: [account, try ReadMarkStore.through(of: account, in: database)])
      for row in hidden { counts[row["category"], default: 0] -= row["count"] as Int }
    }
    return counts.filter { $0.value > 0 }
  }
}
