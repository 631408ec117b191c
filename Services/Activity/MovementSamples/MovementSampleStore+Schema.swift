import GRDB
import Operations
import Storage

extension MovementSampleStore {
  /// Generalises the tables of step samples to all kinds of movement.
  static func migration(_ number: Int) -> Migration {
    Migration(number, "movement of all kinds") { database in
      let tables = [
        MovementAccountStore.table, MovementSourceStore.table, sampleTables, MovementDayStore.sourceTables,
        MovementSeriesStore.table, MovementDayStore.table, MovementMonthStore.table,
      ]
      for sql in tables { try database.execute(sql: sql) }
      try database.execute(sql: oldSamples)
      try keepOldSplits(database)
      try database.execute(sql: oldSources)
    }
  }

  /// Renames columns after their contents: ``SampleKey`` and `SampleFlags`.
  static func namesMigration(_ number: Int) -> Migration {
    Migration(number, "positions and flags of movement samples") { database in
      try database.execute(
        sql: """
          ALTER TABLE movement_samples RENAME COLUMN place TO position;
          ALTER TABLE movement_samples RENAME COLUMN marks TO flags;
          """)
    }
  }

  private static let sampleTables = """
    CREATE TABLE movement_samples (
      -- account, kind, first local day and a number within these: SampleKey
      place INTEGER NOT NULL PRIMARY KEY,
      account_number INTEGER NOT NULL,
      sample_id TEXT NOT NULL,
      start_at INTEGER NOT NULL,
      end_at INTEGER NOT NULL,
      -- steps, or millimetres
      amount INTEGER NOT NULL,
      source_number INTEGER NOT NULL,
      version INTEGER NOT NULL,
      -- Marks.rawValue
      marks INTEGER NOT NULL,
      -- 1: it lies in several days, see movement_sample_pieces; 2: it was deleted, and its times and amount are forgotten
      form INTEGER NOT NULL,
      CHECK (end_at >= start_at AND amount >= 0 AND form BETWEEN 0 AND 2),
      FOREIGN KEY (account_number, source_number) REFERENCES movement_sources
    ) STRICT;
    CREATE UNIQUE INDEX movement_samples_by_id ON movement_samples (account_number, sample_id);

    CREATE TABLE movement_sample_pieces (
      account_number INTEGER NOT NULL,
      sample_id TEXT NOT NULL,
      day INTEGER NOT NULL,
      from_at INTEGER NOT NULL,
      until_at INTEGER NOT NULL CHECK (until_at > from_at),
      elapsed INTEGER NOT NULL CHECK (elapsed >= 0),
      PRIMARY KEY (account_number, sample_id, day, from_at),
      FOREIGN KEY (account_number, sample_id) REFERENCES movement_samples (account_number, sample_id) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    """

  private static let oldSamples = """
    INSERT INTO movement_samples
    SELECT (account_number << 19 | day + 1) << 18 | row_number() OVER (PARTITION BY account_number, day ORDER BY start_at) - 1,
      account_number, sample_id, start_at, end_at, steps, source_id, 0, 0,
      EXISTS (
        SELECT 1 FROM step_sample_days AS later
        WHERE later.account_number = step_samples.account_number AND later.sample_id = step_samples.sample_id)
    FROM step_samples;
    INSERT INTO movement_day_sources
    SELECT account_number, 0, (place >> 18 & 131071) - 1 AS day, source_number, min(start_at), max(max(end_at, start_at + 1))
    FROM movement_samples WHERE form = 0 GROUP BY account_number, day, source_number;
    """

  /// The boundary between a sample's days was not stored: it is derived from their shares.
  private static func keepOldSplits(_ database: Database) throws {
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT account_number, sample_id, start_at, end_at, steps, source_id, day, day_steps AS share FROM step_samples
        WHERE (account_number, sample_id) IN (SELECT account_number, sample_id FROM step_sample_days)
        UNION ALL
        SELECT account_number, sample_id, start_at, end_at, step_samples.steps, source_id, step_sample_days.day,
          step_sample_days.steps
        FROM step_sample_days JOIN step_samples USING (account_number, sample_id)
        ORDER BY account_number, sample_id, day
        """)
    var splits: [(account: Int64, id: String, source: Int64, start: Int64, end: Int64, steps: Int, days: [StepShare])] = []
    while let row = try rows.next() {
      let (account, id): (Int64, String) = (row["account_number"], row["sample_id"])
      if splits.last?.account != account || splits.last?.id != id {
        splits.append((account, id, row["source_id"], row["start_at"], row["end_at"], row["steps"], []))
      }
      splits[splits.count - 1].days.append(StepShare(day: row["day"], steps: row["share"]))
    }
    for split in splits {
      let length = split.end - split.start
      var given = 0
      var from: Int64 = 0
      for (index, share) in split.days.enumerated() {
        given += share.steps
        // The first instant by which that many steps were made; each day has at least a millisecond.
        let fitting = split.steps == 0 ? from + 1 : (Int64(given) * length + Int64(split.steps) - 1) / Int64(split.steps)
        let isLast = index == split.days.count - 1
        let until = isLast ? length : min(max(fitting, from + 1), length - Int64(split.days.count - 1 - index))
        try database.execute(
          sql: "INSERT INTO movement_sample_pieces VALUES (?, ?, ?, ?, ?, ?)",
          arguments: [split.account, split.id, share.day, split.start + from, split.start + until, from])
        try database.execute(
          sql: """
            INSERT INTO movement_day_sources VALUES (?, 0, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE
            SET from_at = min(from_at, excluded.from_at), until_at = max(until_at, excluded.until_at)
            """, arguments: [split.account, share.day, split.source, split.start + from, split.start + until])
        from = until
      }
    }
  }

  private struct StepShare {
    let day: LocalDay
    let steps: Int
  }

  /// Marks the days of several sources to be counted again, since overlapping sources were added up before; drops the old tables; and fills
  /// the months.
  private static let oldSources = """
    INSERT INTO movement_stale_days
    SELECT account_number, kind, day FROM movement_day_sources GROUP BY account_number, kind, day HAVING count(*) > 1;
    DROP TABLE step_sample_days;
    DROP TABLE step_samples;
    DROP TABLE step_sources;

    INSERT INTO movement_months
    SELECT account_id, month, sum(steps), 0, 0, 0, min(day), 0, max(steps)
    FROM (
      SELECT account_id, day, steps, max(revision),
        strftime('%Y', day * 86400, 'unixepoch') * 12 + strftime('%m', day * 86400, 'unixepoch') - 1 AS month
      FROM movement_days GROUP BY account_id, day)
    GROUP BY account_id, month;
    UPDATE movement_months SET best_day = (
      SELECT min(day) FROM (SELECT day, steps, max(revision) FROM movement_days AS days
        WHERE days.account_id = movement_months.account_id AND day BETWEEN first_day AND first_day + 31 GROUP BY day)
      WHERE steps = best_steps);
    """
}
