import GRDB
import Storage

extension EntryStore {
  /// What can be recorded besides the progress; a later migration than the table's.
  static func detailsMigration(_ number: Int) -> Migration {
    Migration(number, "entries' details") { database in
      for sql in [details, EntryPhotoStore.table, EntryPlaceStore.table] { try database.execute(sql: sql) }
    }
  }

  /// Entries with everything that can be recorded besides the progress. The table is recreated: each entry names its account, so that a
  /// history of all of an account's activities uses one index.
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
    """
}
