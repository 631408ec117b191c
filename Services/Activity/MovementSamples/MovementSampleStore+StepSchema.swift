import GRDB
import Storage

extension MovementSampleStore {
  /// The first tables of movement, for steps only.
  static func stepsMigration(_ number: Int) -> Migration {
    Migration(number, "step samples") { database in
      try database.execute(
        sql: """
          -- A short number for each account keeps the keys of its many samples small.
          CREATE TABLE step_accounts (
            account_number INTEGER NOT NULL PRIMARY KEY,
            account_id BLOB NOT NULL UNIQUE CHECK (length(account_id) = 16)
          ) STRICT;
          CREATE TABLE step_sources (
            source_id INTEGER NOT NULL PRIMARY KEY,
            account_number INTEGER NOT NULL REFERENCES step_accounts,
            -- '' where the sample names none
            source TEXT NOT NULL,
            device TEXT NOT NULL,
            UNIQUE (account_number, source, device)
          ) STRICT;
          CREATE TABLE step_samples (
            account_number INTEGER NOT NULL REFERENCES step_accounts,
            sample_id TEXT NOT NULL,
            start_at INTEGER NOT NULL,
            end_at INTEGER NOT NULL CHECK (end_at >= start_at),
            steps INTEGER NOT NULL CHECK (steps >= 0),
            source_id INTEGER NOT NULL REFERENCES step_sources,
            day INTEGER NOT NULL,
            -- the steps of that day; those of later days are in step_sample_days
            day_steps INTEGER NOT NULL CHECK (day_steps BETWEEN 0 AND steps),
            PRIMARY KEY (account_number, sample_id)
          ) STRICT, WITHOUT ROWID;
          CREATE TABLE step_sample_days (
            account_number INTEGER NOT NULL,
            sample_id TEXT NOT NULL,
            day INTEGER NOT NULL,
            steps INTEGER NOT NULL CHECK (steps >= 0),
            PRIMARY KEY (account_number, sample_id, day),
            FOREIGN KEY (account_number, sample_id) REFERENCES step_samples ON DELETE CASCADE
          ) STRICT, WITHOUT ROWID;
          -- A day's total as it stood at the end of each local day on which it was changed; the highest revision is the present one.
          CREATE TABLE step_totals (
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            day INTEGER NOT NULL,
            recorded_day INTEGER NOT NULL,
            steps INTEGER NOT NULL CHECK (steps >= 0),
            revision INTEGER NOT NULL CHECK (revision >= 1),
            PRIMARY KEY (account_id, day, recorded_day)
          ) STRICT, WITHOUT ROWID;
          """)
    }
  }
}
