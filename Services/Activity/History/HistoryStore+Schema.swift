import GRDB
import Storage

extension HistoryStore {
  /// The tables that narrow a search of the history.
  static func migration(_ number: Int) -> Migration {
    Migration(number, "history") { try $0.execute(sql: indexes) }
  }

  /// Indexes places by area, account and day, and comments by their trigrams. Account and day are in the keys of both, so that the first
  /// page takes as long among a million entries as among a thousand.
  private static let indexes = """
    -- A short number for each account makes it part of the keys below.
    CREATE TABLE history_accounts (
      account_number INTEGER NOT NULL PRIMARY KEY CHECK (account_number < 16777216),
      account_id BLOB NOT NULL UNIQUE CHECK (length(account_id) = 16)
    ) STRICT;

    CREATE INDEX entry_places_by_account ON entry_places (account_id, day, activity_id);
    CREATE VIRTUAL TABLE entry_areas USING rtree(
      place_id, south, north, west, east, first_day, last_day, first_owner, last_owner);
    INSERT INTO history_accounts (account_id) SELECT DISTINCT account_id FROM entry_places;
    INSERT INTO entry_areas
      SELECT place_id, latitude, latitude, longitude, longitude, day, day, account_number, account_number
      FROM entry_places JOIN history_accounts USING (account_id);
    CREATE TRIGGER entry_areas_added AFTER INSERT ON entry_places BEGIN
      INSERT INTO history_accounts (account_id) SELECT new.account_id
        WHERE NOT EXISTS (SELECT 1 FROM history_accounts WHERE account_id = new.account_id);
      INSERT INTO entry_areas
        SELECT new.place_id, new.latitude, new.latitude, new.longitude, new.longitude, new.day, new.day, account_number,
          account_number
        FROM history_accounts WHERE account_id = new.account_id;
    END;
    CREATE TRIGGER entry_areas_changed AFTER UPDATE OF latitude, longitude ON entry_places BEGIN
      UPDATE entry_areas SET south = new.latitude, north = new.latitude, west = new.longitude, east = new.longitude
        WHERE place_id = new.place_id;
    END;
    CREATE TRIGGER entry_areas_removed AFTER DELETE ON entry_places BEGIN
      DELETE FROM entry_areas WHERE place_id = old.place_id;
    END;

    CREATE TABLE entry_comments (
      -- Account number, day, and which comment of that day it is, in the bits that `CommentKey` says: newest last.
      comment_id INTEGER NOT NULL PRIMARY KEY,
      activity_id BLOB NOT NULL,
      day INTEGER NOT NULL,
      -- as it is compared with what is looked for
      folded TEXT NOT NULL,
      UNIQUE (activity_id, day),
      FOREIGN KEY (activity_id, day) REFERENCES entries ON DELETE CASCADE
    ) STRICT;
    CREATE VIRTUAL TABLE entry_comment_index USING fts5(
      folded, content = 'entry_comments', content_rowid = 'comment_id', tokenize = 'trigram case_sensitive 1', detail = none);
    CREATE TRIGGER entry_comment_index_added AFTER INSERT ON entry_comments BEGIN
      INSERT INTO entry_comment_index (rowid, folded) VALUES (new.comment_id, new.folded);
    END;
    CREATE TRIGGER entry_comment_index_changed AFTER UPDATE OF folded ON entry_comments BEGIN
      INSERT INTO entry_comment_index (entry_comment_index, rowid, folded) VALUES ('delete', old.comment_id, old.folded);
      INSERT INTO entry_comment_index (rowid, folded) VALUES (new.comment_id, new.folded);
    END;
    CREATE TRIGGER entry_comment_index_removed AFTER DELETE ON entry_comments BEGIN
      INSERT INTO entry_comment_index (entry_comment_index, rowid, folded) VALUES ('delete', old.comment_id, old.folded);
    END;
    """
}
