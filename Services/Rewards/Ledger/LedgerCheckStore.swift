import GRDB
import Operations
import Storage

/// The night on which the ledger was last verified.
enum LedgerCheckStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "nights on which the ledger was proved") { database in
      try database.execute(
        sql: """
          CREATE TABLE ledger_checks (
            id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
            -- the last one, in days
            night INTEGER NOT NULL
          ) STRICT;
          """)
    }
  }

  /// The night of an instant; nights begin at the given hour in UTC.
  static func night(at now: Instant, hour: Int) -> Int {
    Int((now.milliseconds / 1_000 - Int64(hour) * 3_600).floorDivided(by: 86_400))
  }

  static func last(in database: Database) throws -> Int {
    try database.first("SELECT night FROM ledger_checks") { $0.number(0) } ?? .min
  }

  static func note(_ night: Int, in database: Database) throws {
    try database.run("INSERT OR REPLACE INTO ledger_checks (id, night) VALUES (1, ?)", .number(night))
  }
}
