import GRDB
import Storage

extension StreakStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "streaks") { try $0.execute(sql: streaks) }
  }

  /// The streaks of existing activities are counted one after the other, as soon as the service runs.
  private static let streaks = """
    CREATE TABLE streaks (
      activity_id BLOB NOT NULL PRIMARY KEY REFERENCES activities ON DELETE CASCADE,
      account_id BLOB NOT NULL CHECK (length(account_id) = 16),
      -- how many days or weeks in a row up to now; null until they were counted
      run INTEGER CHECK (run >= 0),
      longest INTEGER CHECK (longest >= run),
      unit TEXT CHECK (unit IN ('days', 'weeks')),
      -- the account's day on which it came to be so
      day INTEGER,
      -- of the last that was published; 0 before the first
      revision INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
      -- grows with whatever may change the streak
      changes INTEGER NOT NULL DEFAULT 0,
      -- when it is to be counted anew
      due_at INTEGER NOT NULL DEFAULT 0,
      CHECK ((run IS NULL) = (longest IS NULL) AND (run IS NULL) = (unit IS NULL) AND (run IS NULL) = (day IS NULL)),
      CHECK ((run IS NULL) = (revision = 0))
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX streaks_by_due ON streaks (due_at);
    CREATE INDEX streaks_by_account ON streaks (account_id);
    INSERT INTO streaks (activity_id, account_id) SELECT activity_id, account_id FROM activities;

    CREATE TRIGGER streaks_begun AFTER INSERT ON activities BEGIN
      INSERT INTO streaks (activity_id, account_id) VALUES (new.activity_id, new.account_id);
    END;
    \(marking.joined(separator: "\n"))
    """

  /// A trigger for each way in which the data of a streak is written.
  private static let marking: [String] = [
    ("entries", ["INSERT": "new", "UPDATE OF progress": "new", "DELETE": "old"]),
    ("activity_versions", ["INSERT": "new", "UPDATE": "new", "DELETE": "old"]),
    ("activity_pauses", ["INSERT": "new", "UPDATE": "new", "DELETE": "old"]),
    ("activity_skips", ["INSERT": "new", "DELETE": "old"]),
  ].flatMap { table, writes in
    writes.sorted { $0.key < $1.key }.map { write, row in
      """
      CREATE TRIGGER streaks_of_\(table)_\(write.split(separator: " ")[0].lowercased()) AFTER \(write) ON \(table) BEGIN
        UPDATE streaks SET changes = changes + 1, due_at = 0 WHERE activity_id = \(row).activity_id;
      END;
      """
    }
  }
}
