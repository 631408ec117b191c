import GRDB
import Operations

/// The tables that every store has in addition to its service's.
enum StoreSchema {
  static let migrations = [
    Migration(1, "outbox, inbox, idempotency") { database in
      try database.execute(
        sql: """
          CREATE TABLE store_states (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            service TEXT NOT NULL,
            -- The outbox's numbering lives in this epoch, which began after that number.
            epoch TEXT NOT NULL,
            epoch_start INTEGER NOT NULL,
            -- Whether this file is a copy that was never opened as a store.
            is_copy INTEGER NOT NULL DEFAULT 0 CHECK (is_copy IN (0, 1)),
            opened_at INTEGER NOT NULL
          ) STRICT;

          -- AUTOINCREMENT: a number is not given again when the newest rows are pruned, and its counter is rolled back with a write.
          CREATE TABLE outbox (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            at INTEGER NOT NULL,
            traceparent TEXT,
            body BLOB NOT NULL
          ) STRICT;

          CREATE TRIGGER outbox_is_history BEFORE UPDATE ON outbox
          BEGIN SELECT RAISE(ABORT, 'a published event does not change'); END;

          CREATE TABLE outbox_listeners (
            listener TEXT PRIMARY KEY,
            number INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;

          CREATE TABLE inbox_cursors (
            teller TEXT PRIMARY KEY,
            epoch TEXT NOT NULL,
            number INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;

          CREATE TABLE idempotency_records (
            id INTEGER PRIMARY KEY,
            caller TEXT NOT NULL,
            key TEXT NOT NULL,
            payload_hash BLOB NOT NULL CHECK (length(payload_hash) = 32),
            sealed_reply BLOB NOT NULL,
            at INTEGER NOT NULL,
            UNIQUE (caller, key)
          ) STRICT;

          CREATE INDEX idempotency_records_by_age ON idempotency_records (at);
          """)
    },
    Migration(2, "erasures") { try $0.execute(sql: ErasureSchema.first) },
    Migration(3, "operations of idempotency records") { database in
      // Earlier records lack it until they expire, within a week.
      try database.execute(sql: "ALTER TABLE idempotency_records ADD COLUMN operation TEXT")
    },
    Migration(4, "scrubbed pages") { database in
      // A new file has only this schema's pages to check.
      try database.execute(
        sql: """
          ALTER TABLE store_states ADD COLUMN scrubbed_pages INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE store_states ADD COLUMN scrubbed_at INTEGER;
          """)
    },
    Migration(5, "erasures in steps") { try $0.execute(sql: ErasureSchema.steps) },
    IdempotencyAllowance.migration(6),
    Migration(7, "fewer pages for each write") { try $0.execute(sql: fewerPages) },
    Migration(8, "publishers and subscribers") { try $0.execute(sql: publishersAndSubscribers) },
    Migration(9, "earlier epochs") { try $0.execute(sql: earlierEpochs) },
  ]

  /// Each B-tree that a write touches adds a page to the write-ahead log, however small the change.
  private static let fewerPages = """
    -- Records are numbered in the order of their age, so what is too old is found without an index. The one of replies to those who were
    -- not signed in finds the reply to an account's registration.
    DROP INDEX idempotency_records_by_age;
    CREATE INDEX idempotency_records_unsigned ON idempotency_records (at) WHERE caller >= 'anonymous ' AND caller < 'anonymous!';

    -- Without AUTOINCREMENT, whose counter is a table of its own: the newest event is never deleted, so no number is given again.
    CREATE TABLE numbered_events (
      number INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      at INTEGER NOT NULL,
      traceparent TEXT,
      body BLOB NOT NULL
    ) STRICT;
    INSERT INTO numbered_events SELECT number, name, at, traceparent, body FROM outbox;
    -- If none is left, an empty event keeps the number of the last one.
    INSERT INTO numbered_events
      SELECT seq, 'events.erased', 0, NULL, x'7B7D' FROM sqlite_sequence
      WHERE name = 'outbox' AND seq > coalesce((SELECT max(number) FROM outbox), 0);
    DROP TABLE outbox;
    ALTER TABLE numbered_events RENAME TO outbox;
    CREATE TRIGGER outbox_is_history BEFORE UPDATE ON outbox
    WHEN NEW.number <> OLD.number OR NEW.name <> 'events.erased' OR NEW.at <> OLD.at OR NEW.traceparent IS NOT NULL
      OR NEW.body <> x'7B7D'
    BEGIN SELECT RAISE(ABORT, 'a published event does not change'); END;
    CREATE TRIGGER outbox_keeps_its_numbering BEFORE DELETE ON outbox WHEN OLD.number = (SELECT max(number) FROM outbox)
    BEGIN SELECT RAISE(ABORT, 'the last event holds the numbering'); END;
    """

  /// Every row stays: only names change.
  private static let publishersAndSubscribers = """
    ALTER TABLE outbox_listeners RENAME COLUMN listener TO subscriber;
    ALTER TABLE outbox_listeners RENAME TO outbox_subscribers;
    ALTER TABLE inbox_cursors RENAME COLUMN teller TO publisher;
    ALTER TABLE inbox_cursors RENAME TO subscription_cursors;
    ALTER TABLE erasures RENAME COLUMN told_through TO published_through;
    DROP TRIGGER outbox_is_history;
    CREATE TRIGGER outbox_is_history BEFORE UPDATE ON outbox
    WHEN NEW.number <> OLD.number OR NEW.name <> 'events.erased' OR NEW.at <> OLD.at OR NEW.traceparent IS NOT NULL
      OR NEW.body <> x'7B7D'
    BEGIN SELECT RAISE(ABORT, 'a published event does not change'); END;
    """

  /// Earlier epochs are unknown: a subscriber whose cursor is still in one of them begins from the snapshot.
  private static let earlierEpochs = """
    CREATE TABLE outbox_ancestors (
      position INTEGER PRIMARY KEY,
      -- An epoch that the present one descends from, and the last of its numbers that are in this file.
      epoch TEXT NOT NULL UNIQUE,
      end_number INTEGER NOT NULL CHECK (end_number >= 0)
    ) STRICT;
    -- The end of the log when the last page of a snapshot was read: events up to it may have taken effect.
    ALTER TABLE subscription_cursors ADD COLUMN snapshot_number INTEGER NOT NULL DEFAULT 0;
    """

  /// Throws if the file belongs to another service.
  static func checkOwner(of database: Database, is service: ServiceName) throws {
    guard try database.tableExists("store_states") else { return }
    let found = try String.fetchOne(database, sql: "SELECT service FROM store_states")
    if let found, found != service.rawValue { throw StoreFailure.otherService(found: found, expected: service) }
  }

  /// Assigns a new file to the service.
  static func claim(_ database: Database, for service: ServiceName) throws {
    try database.execute(
      sql: """
        INSERT INTO store_states (id, service, epoch, epoch_start, opened_at) VALUES (1, ?, ?, 0, 0) ON CONFLICT DO NOTHING
        """,
      arguments: [service.rawValue, Epoch.freshName()])
  }
}
