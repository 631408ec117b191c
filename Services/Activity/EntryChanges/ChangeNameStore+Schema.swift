import GRDB
import Storage

extension ChangeNameStore {
  /// The table of the names of offline changes.
  static func migration(_ number: Int) -> Migration {
    Migration(number, "names of entries' changes") { try $0.execute(sql: sql) }
  }

  /// Adds a hash that distinguishes a repeated change from a different one with the same name; a later migration than the table's. Null for
  /// earlier changes, whose contents are unknown.
  static func contentsMigration(_ number: Int) -> Migration {
    Migration(number, "contents of named changes") { database in
      try database.execute(
        sql: "ALTER TABLE entry_change_names ADD COLUMN content_hash BLOB CHECK (length(content_hash) = 32)")
    }
  }

  /// Up to here a change was known by what was left of its writes; of a field that came too late the entry's history knows.
  private static let sql = """
    CREATE TABLE entry_change_names (
      activity_id BLOB NOT NULL REFERENCES activities ON DELETE CASCADE,
      day INTEGER NOT NULL,
      device_id TEXT NOT NULL CHECK (device_id <> ''),
      change_id TEXT NOT NULL CHECK (change_id <> ''),
      -- the fields of which later writes were there when it came, with blanks between them
      superseded TEXT NOT NULL,
      taken_at INTEGER NOT NULL,
      PRIMARY KEY (activity_id, day, device_id, change_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX entry_change_names_by_age ON entry_change_names (taken_at);

    INSERT INTO entry_change_names (activity_id, day, device_id, change_id, superseded, taken_at)
      SELECT activity_id, day, device_id, change_id, coalesce(group_concat(late, ' '), ''), max(at) FROM (
        SELECT activity_id, day, progress_device AS device_id, progress_change AS change_id, NULL AS late, progress_at AS at
          FROM entries
        UNION ALL SELECT activity_id, day, device_id, change_id, NULL, written_at FROM entry_stamps
        UNION ALL SELECT activity_id, day, device_id, change_id, NULL, written_at FROM entry_deletions
        UNION ALL SELECT activity_id, day, device_id, change_id, iif(cause = 'late', field, NULL), lost_at FROM entry_changes)
      WHERE change_id IS NOT NULL GROUP BY activity_id, day, device_id, change_id;
    """
}
