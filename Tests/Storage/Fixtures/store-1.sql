-- A store as version 1 of the store's own schema and version 1 of the tests' wrote it, with three numbers published.
-- Never changed: every later version must be able to open it.
PRAGMA journal_mode = WAL;
CREATE TABLE store_migrations (
  series TEXT NOT NULL CHECK (series IN ('store', 'service')),
  number INTEGER NOT NULL CHECK (number > 0),
  name TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (series, number)
) STRICT, WITHOUT ROWID;
INSERT INTO store_migrations VALUES
  ('service', 1, 'numbers', 1760000000000),
  ('store', 1, 'outbox, inbox, idempotency', 1760000000000);
CREATE TABLE store_states (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  service TEXT NOT NULL,
  epoch TEXT NOT NULL,
  epoch_start INTEGER NOT NULL,
  is_copy INTEGER NOT NULL DEFAULT 0 CHECK (is_copy IN (0, 1)),
  opened_at INTEGER NOT NULL
) STRICT;
INSERT INTO store_states VALUES (1, 'activity', '0199a0c8-4e00-7000-8000-000000000001', 0, 0, 1760000000000);
CREATE TABLE outbox (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  at INTEGER NOT NULL,
  traceparent TEXT,
  body BLOB NOT NULL
) STRICT;
INSERT INTO outbox VALUES
  (1, 'numbers.written', 1760000000001, NULL, CAST('{"number":1}' AS BLOB)),
  (2, 'numbers.written', 1760000000002, NULL, CAST('{"number":2}' AS BLOB)),
  (3, 'numbers.written', 1760000000003, '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', CAST('{"number":3}' AS BLOB));
CREATE TRIGGER outbox_is_history BEFORE UPDATE ON outbox
BEGIN SELECT RAISE(ABORT, 'an event that was told does not change'); END;
CREATE TABLE outbox_listeners (
  listener TEXT PRIMARY KEY,
  number INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO outbox_listeners VALUES ('rewards', 2);
CREATE TABLE inbox_cursors (
  teller TEXT PRIMARY KEY,
  epoch TEXT NOT NULL,
  number INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO inbox_cursors VALUES ('identity', 'elsewhere', 17);
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
CREATE TABLE numbers (
  number INTEGER PRIMARY KEY,
  parent INTEGER REFERENCES numbers (number) DEFERRABLE INITIALLY DEFERRED,
  CHECK (number >= 0)
) STRICT;
INSERT INTO numbers (number, parent) VALUES (1, NULL), (2, 1), (3, 2);
