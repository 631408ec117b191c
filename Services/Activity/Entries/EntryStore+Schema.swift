import GRDB
import Storage

extension EntryStore {
  /// What may be recorded beside the progress, as a migration behind the first.
  static func detailsMigration(_ number: Int) -> Migration {
    Migration(number, "entries' details") { try $0.execute(sql: details) }
  }

  /// Entries with all that may be recorded beside the progress. The table is made anew: each entry names its account, so that a
  /// history over all of an account's activities is one index.
  private static let details = """
    CREATE TABLE entries_with_details (
      activity_id BLOB NOT NULL REFERENCES activities ON DELETE CASCADE,
      day INTEGER NOT NULL,
      account_id BLOB NOT NULL CHECK (length(account_id) = 16),
      -- in the unit of the activity's goal_target
      progress INTEGER NOT NULL CHECK (progress >= 0),
      is_done INTEGER NOT NULL CHECK (is_done IN (0, 1)),
      -- when any of it was last written, by this service's clock
      recorded_at INTEGER NOT NULL,
      comment TEXT CHECK (comment <> ''),
      -- names exactly the bytes of the photo
      photo_tag TEXT CHECK (length(photo_tag) = 32),
      -- The write of the progress that counts: when, and for one made offline by which change of which device. Null where the
      -- progress was never written.
      progress_at INTEGER,
      progress_change TEXT CHECK (progress_change <> ''),
      progress_device TEXT CHECK (progress_device <> ''),
      -- What the progress was before its last write, until it goes into the entry's history; null where it did, or was nothing.
      previous_progress INTEGER CHECK (previous_progress >= 0),
      previous_at INTEGER,
      PRIMARY KEY (activity_id, day),
      CHECK ((progress_change IS NULL) = (progress_device IS NULL)),
      CHECK ((previous_progress IS NULL) = (previous_at IS NULL)),
      CHECK (progress_at IS NOT NULL OR (progress = 0 AND progress_change IS NULL))
    ) STRICT, WITHOUT ROWID;
    INSERT INTO entries_with_details (activity_id, day, account_id, progress, is_done, recorded_at, progress_at)
      SELECT activity_id, day, account_id, progress, is_done, recorded_at, recorded_at
      FROM entries JOIN activities USING (activity_id);
    DROP TABLE entries;
    ALTER TABLE entries_with_details RENAME TO entries;
    CREATE INDEX entries_by_account ON entries (account_id, day, activity_id);

    -- Apart from the entries, so that reading one does not read its photo.
    CREATE TABLE entry_photos (
      photo_id INTEGER NOT NULL PRIMARY KEY,
      activity_id BLOB NOT NULL,
      day INTEGER NOT NULL,
      media_type TEXT NOT NULL CHECK (media_type IN ('image/jpeg', 'image/png', 'image/webp')),
      content BLOB NOT NULL CHECK (length(content) BETWEEN 1 AND 65536),
      UNIQUE (activity_id, day),
      FOREIGN KEY (activity_id, day) REFERENCES entries ON DELETE CASCADE
    ) STRICT;

    CREATE TABLE entry_places (
      place_id INTEGER NOT NULL PRIMARY KEY,
      account_id BLOB NOT NULL CHECK (length(account_id) = 16),
      activity_id BLOB NOT NULL,
      day INTEGER NOT NULL,
      latitude REAL NOT NULL CHECK (latitude BETWEEN -90 AND 90),
      longitude REAL NOT NULL CHECK (longitude BETWEEN -180 AND 180),
      -- null where the device did not say
      accuracy_meters REAL CHECK (accuracy_meters >= 0),
      UNIQUE (activity_id, day),
      FOREIGN KEY (activity_id, day) REFERENCES entries ON DELETE CASCADE
    ) STRICT;
    """
}
