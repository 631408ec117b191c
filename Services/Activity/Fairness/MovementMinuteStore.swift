import ActivityContract
import GRDB
import Operations
import Storage

/// The minutes of days for which more earning movement may still be reported; see ``FairnessRules/firstOpenDay(on:)``.
///
/// They are derived from the samples: where a day's minutes are missing, as for days before this table existed, the day is counted again.
enum MovementMinuteStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "minutes of movement") { database in
      try database.execute(
        sql: """
          -- The counted movement of a day in each minute, without flagged samples.
          CREATE TABLE movement_minutes (
            account_number INTEGER NOT NULL REFERENCES movement_accounts,
            kind INTEGER NOT NULL,
            day INTEGER NOT NULL,
            -- The first minute, counted from 1970.
            first_minute INTEGER NOT NULL,
            -- Steps or millimetres, four bytes a minute, the lowest first.
            sums BLOB NOT NULL CHECK (length(sums) % 4 = 0),
            PRIMARY KEY (account_number, kind, day)
          ) STRICT;
          """)
    }
  }

  /// Returns a day's minutes; nil where they are not stored.
  static func find(_ key: DaySettlement.DayKey, of account: Int64, in database: Database) throws -> MinuteSums? {
    try database.first(
      "SELECT first_minute, sums FROM movement_minutes WHERE account_number = ? AND kind = ? AND day = ?", .integer(account),
      .number(key.kind.number), .day(key.day)
    ) { MinuteSums(first: Int64($0.number(0)), bytes: $0.bytes(1)) }
  }

  static func keep(_ minutes: MinuteSums, _ key: DaySettlement.DayKey, of account: Int64, in database: Database) throws {
    try database.run(
      """
      INSERT INTO movement_minutes (account_number, kind, day, first_minute, sums) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET first_minute = excluded.first_minute, sums = excluded.sums
      """, .integer(account), .number(key.kind.number), .day(key.day), .integer(minutes.first), .bytes(minutes.bytes))
  }

  static func forget(_ key: DaySettlement.DayKey, of account: Int64, in database: Database) throws {
    try database.run(
      "DELETE FROM movement_minutes WHERE account_number = ? AND kind = ? AND day = ?", .integer(account),
      .number(key.kind.number), .day(key.day))
  }

  /// Deletes the minutes of the days before the given one.
  static func forget(before day: LocalDay, of account: Int64, in database: Database) throws {
    try database.run("DELETE FROM movement_minutes WHERE account_number = ? AND day < ?", .integer(account), .day(day))
  }
}
