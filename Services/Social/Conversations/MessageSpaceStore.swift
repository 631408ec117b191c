import GRDB
import Operations
import Storage

/// The bytes of the messages that each account has sent: the sum over its conversations, kept by triggers.
enum MessageSpaceStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "bytes of each account's messages") { database in
      try database.execute(
        sql: """
          CREATE TABLE message_space (
            account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
            bytes INTEGER NOT NULL CHECK (bytes >= 0)
          ) STRICT, WITHOUT ROWID;
          INSERT INTO message_space (account_id, bytes)
            SELECT account_id, sum(sent_bytes) FROM conversation_sides GROUP BY account_id;
          CREATE TRIGGER conversation_sides_space_added AFTER INSERT ON conversation_sides BEGIN
            INSERT INTO message_space (account_id, bytes) VALUES (new.account_id, new.sent_bytes)
              ON CONFLICT (account_id) DO UPDATE SET bytes = bytes + excluded.bytes;
          END;
          CREATE TRIGGER conversation_sides_space_changed AFTER UPDATE OF sent_bytes ON conversation_sides BEGIN
            UPDATE message_space SET bytes = bytes + new.sent_bytes - old.sent_bytes WHERE account_id = new.account_id;
          END;
          CREATE TRIGGER conversation_sides_space_removed AFTER DELETE ON conversation_sides BEGIN
            UPDATE message_space SET bytes = bytes - old.sent_bytes WHERE account_id = old.account_id;
          END;
          """)
    }
  }

  /// What an account has sent in all its conversations and is there still.
  static func bytes(of account: AccountID, in database: Database) throws -> Int {
    try database.first("SELECT bytes FROM message_space WHERE account_id = ?", .id(account)) { $0.number(0) } ?? 0
  }
}
