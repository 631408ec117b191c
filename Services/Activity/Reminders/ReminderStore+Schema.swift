import GRDB
import Storage

extension ReminderStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "reminders that come due") { try $0.execute(sql: sql) }
  }

  /// Reminders are set in several ways, and deleted with their activities; so triggers keep one row for each. Existing ones become due from
  /// now on.
  private static let sql = """
    CREATE TABLE due_reminders (
      activity_id BLOB NOT NULL REFERENCES activities ON DELETE CASCADE,
      minute INTEGER NOT NULL CHECK (minute BETWEEN 0 AND 1439),
      -- whether its owner asked to be reminded again, which is done once
      is_again INTEGER NOT NULL CHECK (is_again IN (0, 1)),
      account_id BLOB NOT NULL CHECK (length(account_id) = 16),
      -- 0 where that is to be counted; null while the activity is put away or over
      due_at INTEGER,
      -- the account's day to which it belongs
      day INTEGER,
      -- it comes later than that: when it came last, or was set where null
      after_at INTEGER,
      -- the last day of which it came
      after_day INTEGER,
      PRIMARY KEY (activity_id, minute, is_again),
      CHECK (is_again = 0 OR (due_at IS NOT NULL AND day IS NOT NULL))
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX due_reminders_by_due ON due_reminders (due_at) WHERE due_at IS NOT NULL;
    CREATE INDEX due_reminders_by_account ON due_reminders (account_id);

    CREATE TABLE reminded_activities (
      activity_id BLOB NOT NULL PRIMARY KEY REFERENCES activities ON DELETE CASCADE,
      -- the last day of which its owner was reminded, until that is no longer needed
      day INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    INSERT INTO due_reminders (activity_id, minute, is_again, account_id, due_at, after_at)
      SELECT activity_id, minute, 0, account_id, 0, unixepoch() * 1000
      FROM activity_reminders JOIN activities USING (activity_id);

    CREATE TRIGGER due_reminders_set AFTER INSERT ON activity_reminders BEGIN
      INSERT INTO due_reminders (activity_id, minute, is_again, account_id, due_at)
        SELECT activity_id, new.minute, 0, account_id, 0 FROM activities WHERE activity_id = new.activity_id;
    END;
    CREATE TRIGGER due_reminders_removed AFTER DELETE ON activity_reminders BEGIN
      DELETE FROM due_reminders WHERE activity_id = old.activity_id AND minute = old.minute AND is_again = 0;
    END;
    CREATE TRIGGER due_reminders_unarchived AFTER UPDATE OF archived_day ON activities WHEN new.archived_day IS NULL BEGIN
      UPDATE due_reminders SET due_at = 0, after_at = NULL WHERE activity_id = new.activity_id AND due_at IS NULL;
    END;
    CREATE TRIGGER due_reminders_planned AFTER INSERT ON activity_versions BEGIN
      UPDATE due_reminders SET due_at = 0, after_at = NULL WHERE activity_id = new.activity_id AND due_at IS NULL;
    END;
    """
}
