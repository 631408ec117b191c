import GRDB
import Storage

extension ImportStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "imports") { try $0.execute(sql: first) }
  }

  /// Renames the column with the time of the last published progress.
  static func publishedMigration(_ number: Int) -> Migration {
    Migration(number, "published progress of imports") { database in
      try database.execute(sql: "ALTER TABLE imports RENAME COLUMN told_at TO published_at")
    }
  }

  private static let first = """
    CREATE TABLE imports (
      import_id BLOB NOT NULL PRIMARY KEY CHECK (length(import_id) = 16),
      account_id BLOB NOT NULL CHECK (length(account_id) = 16),
      name TEXT NOT NULL CHECK (name <> ''),
      -- What was said of the file, and what it was found to be.
      said_format TEXT,
      sha256 TEXT,
      person TEXT,
      format TEXT,
      state TEXT NOT NULL CHECK (state IN ('uploading', 'waiting', 'reading', 'done', 'failed', 'cancelled')),
      reason TEXT,
      total_bytes INTEGER NOT NULL CHECK (total_bytes > 0),
      received_bytes INTEGER NOT NULL CHECK (received_bytes BETWEEN 0 AND total_bytes),
      progress INTEGER NOT NULL CHECK (progress BETWEEN 0 AND 100),
      -- How many records of the file have been dealt with: reading begins behind them.
      position INTEGER NOT NULL CHECK (position >= 0),
      taken INTEGER NOT NULL,
      repeated INTEGER NOT NULL,
      refused INTEGER NOT NULL,
      days INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      -- When a chunk arrived last, and when progress was published last.
      touched_at INTEGER NOT NULL,
      told_at INTEGER NOT NULL,
      ended_at INTEGER,
      CHECK ((state IN ('done', 'failed', 'cancelled')) = (ended_at IS NOT NULL)),
      CHECK ((state = 'failed') = (reason IS NOT NULL)),
      CHECK (state NOT IN ('waiting', 'reading', 'done') OR (format IS NOT NULL AND received_bytes = total_bytes))
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX imports_by_account ON imports (account_id, import_id);
    CREATE INDEX imports_unfinished ON imports (state, touched_at) WHERE ended_at IS NULL;

    CREATE TABLE import_problems (
      import_id BLOB NOT NULL REFERENCES imports ON DELETE CASCADE,
      number INTEGER NOT NULL CHECK (number > 0),
      part TEXT,
      line INTEGER NOT NULL,
      code TEXT NOT NULL,
      PRIMARY KEY (import_id, number)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE import_exercises (
      import_id BLOB NOT NULL REFERENCES imports ON DELETE CASCADE,
      number INTEGER NOT NULL CHECK (number > 0),
      account_id BLOB NOT NULL CHECK (length(account_id) = 16),
      -- Of its content, so that the same exercise of another import is known.
      name_of_content TEXT NOT NULL,
      line INTEGER NOT NULL,
      kind TEXT NOT NULL,
      title TEXT,
      start_at INTEGER,
      seconds INTEGER,
      meters REAL,
      PRIMARY KEY (import_id, number)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX import_exercises_by_content ON import_exercises (account_id, name_of_content);

    -- The days that an import has changed so far.
    CREATE TABLE import_days (
      import_id BLOB NOT NULL REFERENCES imports ON DELETE CASCADE,
      day INTEGER NOT NULL,
      PRIMARY KEY (import_id, day)
    ) STRICT, WITHOUT ROWID;

    -- The activities created from habits of another program.
    CREATE TABLE imported_habits (
      account_id BLOB NOT NULL CHECK (length(account_id) = 16),
      habit TEXT NOT NULL,
      activity_id BLOB NOT NULL REFERENCES activities ON DELETE CASCADE,
      PRIMARY KEY (account_id, habit)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX imported_habits_by_activity ON imported_habits (activity_id);
    """
}
