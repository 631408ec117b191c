import GRDB
import IdentityContract
import Operations
import Storage

/// How many security events of each kind a day of UTC had.
///
/// A trigger keeps the numbers: counting for each report takes longer the more there are. They only ever grow, since events are kept longer
/// than reports look back, and an erasure changes neither what happened nor when.
enum SecurityEventCountStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "security events counted by day") { database in
      try database.execute(
        sql: """
          CREATE TABLE security_event_counts (
            -- When a day of UTC starts.
            day INTEGER NOT NULL,
            kind TEXT NOT NULL,
            severity TEXT NOT NULL,
            count INTEGER NOT NULL CHECK (count > 0),
            PRIMARY KEY (day, kind, severity)
          ) STRICT, WITHOUT ROWID;
          -- One by one: to group all events SQLite would have to sort them.
          INSERT INTO security_event_counts (day, kind, severity, count)
          SELECT at - at % 86400000, kind, severity, 1 FROM security_events WHERE TRUE
          ON CONFLICT (day, kind, severity) DO UPDATE SET count = count + 1;
          CREATE TRIGGER security_event_counts_raised AFTER INSERT ON security_events
          BEGIN
            INSERT INTO security_event_counts (day, kind, severity, count)
            VALUES (NEW.at - NEW.at % 86400000, NEW.kind, NEW.severity, 1)
            ON CONFLICT (day, kind, severity) DO UPDATE SET count = count + 1;
          END;
          """)
    }
  }

  /// How often what happened in a span, against the one before.
  static func counts(_ span: ReportSpan, in database: Database) throws -> [SecurityCount] {
    let (now, before) = (span.instants, span.before.instants)
    return try Row.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT kind, severity, sum(iif(day >= ?2, count, 0)) AS count, sum(iif(day < ?2, count, 0)) AS count_before
          FROM security_event_counts WHERE day >= ?1 AND day < ?3 GROUP BY kind, severity
          """),
      arguments: [before.lowerBound, now.lowerBound, now.upperBound]
    ).map { SecurityCount(kind: $0["kind"], severity: $0["severity"], count: $0["count"], countBefore: $0["count_before"]) }
  }
}
