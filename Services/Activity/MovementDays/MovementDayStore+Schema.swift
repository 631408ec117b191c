import GRDB
import Storage

extension MovementDayStore {
  /// A day's flags are called so.
  static func flagsMigration(_ number: Int) -> Migration {
    Migration(number, "flags of movement days") { database in
      try database.execute(sql: "ALTER TABLE movement_days RENAME COLUMN marks TO flags")
    }
  }

  /// What is kept of the sources of each day, as ``MovementSampleStore/migration(_:)`` makes it.
  static let sourceTables = """
    -- Which sources measured on a day, and between when: at least that long.
    CREATE TABLE movement_day_sources (
      account_number INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      day INTEGER NOT NULL,
      source_number INTEGER NOT NULL,
      from_at INTEGER NOT NULL,
      until_at INTEGER NOT NULL CHECK (until_at > from_at),
      PRIMARY KEY (account_number, kind, day, source_number),
      FOREIGN KEY (account_number, source_number) REFERENCES movement_sources
    ) STRICT, WITHOUT ROWID;

    -- Days to be counted anew.
    CREATE TABLE movement_stale_days (
      account_number INTEGER NOT NULL REFERENCES movement_accounts,
      kind INTEGER NOT NULL,
      day INTEGER NOT NULL,
      PRIMARY KEY (account_number, kind, day)
    ) STRICT, WITHOUT ROWID;
    """

  /// The totals of days, made by the same migration of those of steps.
  static let table = """
    -- A day's totals as they stood at the end of each local day on which they were changed; the highest revision is the present one.
    ALTER TABLE step_totals RENAME TO movement_days;
    ALTER TABLE movement_days ADD COLUMN walking INTEGER NOT NULL DEFAULT 0 CHECK (walking >= 0);
    ALTER TABLE movement_days ADD COLUMN running INTEGER NOT NULL DEFAULT 0 CHECK (running >= 0);
    ALTER TABLE movement_days ADD COLUMN cycling INTEGER NOT NULL DEFAULT 0 CHECK (cycling >= 0);
    -- The steps that are not marked.
    ALTER TABLE movement_days ADD COLUMN plausible_steps INTEGER NOT NULL DEFAULT 0 CHECK (plausible_steps BETWEEN 0 AND steps);
    -- DayFlags.rawValue
    ALTER TABLE movement_days ADD COLUMN marks INTEGER NOT NULL DEFAULT 0;
    UPDATE movement_days SET plausible_steps = steps;
    """
}
