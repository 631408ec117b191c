-- Written by a test from the migrations (RACHA_TEST_WRITE=1), which alone make the tables.

CREATE TABLE erasures (
  account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
  deletion_id BLOB NOT NULL UNIQUE CHECK (length(deletion_id) = 16),
  -- How much was erased, of each kind.
  counts TEXT NOT NULL CHECK (json_valid(counts)),
  erased_at INTEGER NOT NULL,
  -- When nothing was left in the files, and when identity had acknowledged that.
  cleaned_at INTEGER,
  confirmed_at INTEGER, published_through INTEGER NOT NULL DEFAULT 0, emptied_through INTEGER NOT NULL DEFAULT 0, rows_erased_at INTEGER,
  CHECK (confirmed_at IS NULL OR cleaned_at IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX erasures_unconfirmed ON erasures (erased_at) WHERE confirmed_at IS NULL;

CREATE TABLE idempotency_draws (
  id INTEGER PRIMARY KEY,
  owner TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE INDEX idempotency_draws_by_age ON idempotency_draws (at);

CREATE INDEX idempotency_draws_by_owner ON idempotency_draws (owner, at);

CREATE TABLE idempotency_records (
  id INTEGER PRIMARY KEY,
  caller TEXT NOT NULL,
  key TEXT NOT NULL,
  payload_hash BLOB NOT NULL CHECK (length(payload_hash) = 32),
  sealed_reply BLOB NOT NULL,
  at INTEGER NOT NULL, operation TEXT,
  UNIQUE (caller, key)
) STRICT;

CREATE INDEX idempotency_records_unsigned ON idempotency_records (at) WHERE caller >= 'anonymous ' AND caller < 'anonymous!';

CREATE TABLE "outbox" (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  at INTEGER NOT NULL,
  traceparent TEXT,
  body BLOB NOT NULL
) STRICT;

CREATE TRIGGER outbox_is_history BEFORE UPDATE ON outbox
WHEN NEW.number <> OLD.number OR NEW.name <> 'events.erased' OR NEW.at <> OLD.at OR NEW.traceparent IS NOT NULL
  OR NEW.body <> x'7B7D'
BEGIN SELECT RAISE(ABORT, 'a published event does not change'); END;

CREATE TRIGGER outbox_keeps_its_numbering BEFORE DELETE ON outbox WHEN OLD.number = (SELECT max(number) FROM outbox)
BEGIN SELECT RAISE(ABORT, 'the last event holds the numbering'); END;

CREATE TABLE outbox_ancestors (
  position INTEGER PRIMARY KEY,
  -- An epoch that the present one descends from, and the last of its numbers that are in this file.
  epoch TEXT NOT NULL UNIQUE,
  end_number INTEGER NOT NULL CHECK (end_number >= 0)
) STRICT;

CREATE TABLE "outbox_subscribers" (
  subscriber TEXT PRIMARY KEY,
  number INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE store_migrations (
  series TEXT NOT NULL CHECK (series IN ('store', 'service')),
  number INTEGER NOT NULL CHECK (number > 0),
  name TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (series, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE store_states (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  service TEXT NOT NULL,
  -- The outbox's numbering lives in this epoch, which began after that number.
  epoch TEXT NOT NULL,
  epoch_start INTEGER NOT NULL,
  -- Whether this file is a copy that was never opened as a store.
  is_copy INTEGER NOT NULL DEFAULT 0 CHECK (is_copy IN (0, 1)),
  opened_at INTEGER NOT NULL
, scrubbed_pages INTEGER NOT NULL DEFAULT 0, scrubbed_at INTEGER) STRICT;

CREATE TABLE "subscription_cursors" (
  publisher TEXT PRIMARY KEY,
  epoch TEXT NOT NULL,
  number INTEGER NOT NULL
, snapshot_number INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
