import GRDB
import Storage

extension ActiveDayStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "active days") { try $0.execute(sql: activeDays) }
  }

  /// Maintained by triggers, because entries are written and deleted in many ways, also with their activities.
  private static let activeDays = """
    CREATE TABLE active_days (
      account_id BLOB NOT NULL CHECK (length(account_id) = 16),
      day INTEGER NOT NULL,
      -- how many entries of the day reached their goals
      done INTEGER NOT NULL CHECK (done >= 0),
      PRIMARY KEY (account_id, day)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO active_days (account_id, day, done)
      SELECT account_id, day, count(*) FROM entries WHERE is_done = 1 GROUP BY account_id, day;

    CREATE TRIGGER active_days_added AFTER INSERT ON entries WHEN new.is_done = 1 BEGIN
      INSERT INTO active_days (account_id, day, done) VALUES (new.account_id, new.day, 1)
        ON CONFLICT (account_id, day) DO UPDATE SET done = done + 1;
    END;
    CREATE TRIGGER active_days_changed AFTER UPDATE OF is_done ON entries WHEN new.is_done <> old.is_done BEGIN
      INSERT INTO active_days (account_id, day, done) VALUES (new.account_id, new.day, new.is_done)
        ON CONFLICT (account_id, day) DO UPDATE SET done = done + iif(new.is_done = 1, 1, -1);
    END;
    CREATE TRIGGER active_days_removed AFTER DELETE ON entries WHEN old.is_done = 1 BEGIN
      UPDATE active_days SET done = done - 1 WHERE account_id = old.account_id AND day = old.day;
      DELETE FROM active_days WHERE account_id = old.account_id AND day = old.day AND done = 0;
    END;
    """
}
