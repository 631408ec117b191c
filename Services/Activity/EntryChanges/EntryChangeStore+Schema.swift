import GRDB
import Storage

extension EntryChangeStore {
  /// The tables of what entries' changes leave behind.
  static func migration(_ number: Int) -> Migration {
    Migration(number, "entries' changes") { try $0.execute(sql: sql) }
  }

  private static let sql = """
    -- The write of each field that counts; that of the progress is stored with the entry.
    CREATE TABLE entry_stamps (
      activity_id BLOB NOT NULL,
      day INTEGER NOT NULL,
      field TEXT NOT NULL CHECK (field IN ('comment', 'location', 'photo')),
      written_at INTEGER NOT NULL,
      -- null for what was written online
      change_id TEXT,
      device_id TEXT,
      PRIMARY KEY (activity_id, day, field),
      FOREIGN KEY (activity_id, day) REFERENCES entries ON DELETE CASCADE,
      CHECK ((change_id IS NULL) = (device_id IS NULL))
    ) STRICT, WITHOUT ROWID;

    -- The last deletion of an entry: a write made before it that arrives later does not restore the entry.
    CREATE TABLE entry_deletions (
      activity_id BLOB NOT NULL REFERENCES activities ON DELETE CASCADE,
      day INTEGER NOT NULL,
      written_at INTEGER NOT NULL,
      change_id TEXT,
      device_id TEXT,
      PRIMARY KEY (activity_id, day),
      CHECK ((change_id IS NULL) = (device_id IS NULL))
    ) STRICT, WITHOUT ROWID;

    -- Writes that do not count, or no longer count.
    CREATE TABLE entry_changes (
      activity_id BLOB NOT NULL REFERENCES activities ON DELETE CASCADE,
      day INTEGER NOT NULL,
      -- grows with each write of the entry
      step INTEGER NOT NULL,
      -- the first step of those that were lost together
      first_step INTEGER NOT NULL,
      field TEXT NOT NULL CHECK (field IN ('progress', 'comment', 'location', 'photo', 'entry')),
      progress INTEGER,
      comment TEXT,
      latitude REAL,
      longitude REAL,
      accuracy_meters REAL,
      photo_tag TEXT,
      written_at INTEGER NOT NULL,
      change_id TEXT,
      device_id TEXT,
      cause TEXT NOT NULL CHECK (cause IN ('overwritten', 'deleted', 'late', 'undone')),
      lost_at INTEGER NOT NULL,
      PRIMARY KEY (activity_id, day, step),
      CHECK ((field = 'progress') = (progress IS NOT NULL)),
      CHECK ((latitude IS NULL) = (longitude IS NULL)),
      CHECK ((change_id IS NULL) = (device_id IS NULL))
    ) STRICT, WITHOUT ROWID;
    """
}
