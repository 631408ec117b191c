import GRDB
import Storage

extension MovementDayStore {
  /// Renames the column of a day's flags.
  static func flagsMigration(_ number: Int) -> Migration {
    Migration(number, "flags of movement days") { database in
      try database.execute(sql: "ALTER TABLE movement_days RENAME COLUMN marks TO flags")
    }
  }

  /// The tables of the sources of each day, as ``MovementSampleStore/migration(_:)`` creates them.
  static let sourceTables = """
    -- The sources that measured on a day, and a time that covers their samples.
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

    -- Days to be recalculated.
    CREATE TABLE movement_stale_days (
      account_number INTEGER NOT NULL REFERENCES movement_accounts,
      kind INTEGER NOT NULL,
      day INTEGER NOT NULL,
      PRIMARY KEY (account_number, kind, day)
    ) STRICT, WITHOUT ROWID;
    """

  /// The table of the totals of days, which the same migration makes from those of steps.
  static let table = """
    -- A day's totals at the end of each local day on which they changed; the highest revision is the present one.
    ALTER TABLE step_totals RENAME TO movement_days;
    ALTER TABLE movement_days ADD COLUMN walking INTEGER NOT NULL DEFAULT 0 CHECK (walking >= 0);
    ALTER TABLE movement_days ADD COLUMN running INTEGER NOT NULL DEFAULT 0 CHECK (running >= 0);
    ALTER TABLE movement_days ADD COLUMN cycling INTEGER NOT NULL DEFAULT 0 CHECK (cycling >= 0);
    -- The steps without flags.
    ALTER TABLE movement_days ADD COLUMN plausible_steps INTEGER NOT NULL DEFAULT 0 CHECK (plausible_steps BETWEEN 0 AND steps);
    -- DayFlags.rawValue
    ALTER TABLE movement_days ADD COLUMN marks INTEGER NOT NULL DEFAULT 0;
    UPDATE movement_days SET plausible_steps = steps;
    """

  /// Separates distances that may earn from those that may not, as for steps.
  ///
  /// Days without flags of that kind earn in full. The other days are counted again, since only their samples show what is not flagged.
  static func earningDistancesMigration(_ number: Int) -> Migration {
    Migration(number, "distances that may earn") { database in
      try database.execute(
        sql: """
          -- The millimetres without flags.
          ALTER TABLE movement_days ADD COLUMN plausible_walking INTEGER NOT NULL DEFAULT 0
            CHECK (plausible_walking BETWEEN 0 AND walking);
          ALTER TABLE movement_days ADD COLUMN plausible_running INTEGER NOT NULL DEFAULT 0
            CHECK (plausible_running BETWEEN 0 AND running);
          ALTER TABLE movement_days ADD COLUMN plausible_cycling INTEGER NOT NULL DEFAULT 0
            CHECK (plausible_cycling BETWEEN 0 AND cycling);
          UPDATE movement_days SET
            plausible_walking = iif(flags >> 8 & 255 = 0, walking, 0),
            plausible_running = iif(flags >> 16 & 255 = 0, running, 0),
            plausible_cycling = iif(flags >> 24 & 255 = 0, cycling, 0)
          WHERE walking > 0 OR running > 0 OR cycling > 0;
          INSERT OR IGNORE INTO movement_stale_days (account_number, kind, day)
            SELECT account_number, kinds.value, day FROM movement_days JOIN movement_accounts USING (account_id)
            JOIN json_each('[1, 2, 3]') AS kinds
            WHERE flags >> 8 * kinds.value & 255 <> 0;
          """)
    }
  }
}
