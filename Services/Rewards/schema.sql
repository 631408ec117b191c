-- Written by a test from the migrations (RACHA_TEST_WRITE=1), which alone make the tables.

CREATE TABLE accounts (
  account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
  username TEXT NOT NULL,
  nickname TEXT,
  time_zone TEXT NOT NULL,
  day_start_hour INTEGER NOT NULL CHECK (day_start_hour BETWEEN 0 AND 6),
  language TEXT NOT NULL,
  is_verified INTEGER NOT NULL CHECK (is_verified IN (0, 1)),
  revision INTEGER NOT NULL
, consents TEXT NOT NULL DEFAULT '', mutes_help INTEGER NOT NULL DEFAULT 0 CHECK (mutes_help IN (0, 1)), photo_tag TEXT, gives_read_receipts INTEGER NOT NULL DEFAULT 1 CHECK (gives_read_receipts IN (0, 1)), suspended_until INTEGER, task_enrollment TEXT NOT NULL DEFAULT 'everybody'
  CHECK (task_enrollment IN ('everybody', 'friends', 'nobody'))) STRICT, WITHOUT ROWID;

CREATE INDEX accounts_by_username ON accounts (username);

CREATE TABLE counted_days (
  account_id BLOB NOT NULL REFERENCES earnings,
  day INTEGER NOT NULL,
  steps INTEGER NOT NULL CHECK (steps >= 0),
  -- the state of the day that was counted; older ones come too late
  revision INTEGER NOT NULL,
  PRIMARY KEY (account_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE earnings (
  account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
  carried_steps INTEGER NOT NULL,
  -- how many transfers were made of it: part of their references
  transfer_count INTEGER NOT NULL CHECK (transfer_count >= 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE ledger_accounts (
  ledger_account_id INTEGER NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('movement', 'offers', 'person')),
  account_id BLOB UNIQUE CHECK (length(account_id) = 16),
  balance INTEGER NOT NULL DEFAULT 0,
  last_transfer_id BLOB, erased_at INTEGER,
  CHECK ((kind = 'person') = (account_id IS NOT NULL)),
  CHECK (kind <> 'person' OR balance >= 0)
) STRICT;

CREATE UNIQUE INDEX ledger_accounts_of_the_house ON ledger_accounts (kind) WHERE account_id IS NULL;

CREATE TRIGGER ledger_accounts_are_not_deleted BEFORE DELETE ON ledger_accounts
BEGIN SELECT RAISE(ABORT, 'a ledger account is never deleted'); END;

CREATE TRIGGER ledger_accounts_begin_empty BEFORE INSERT ON ledger_accounts
WHEN NEW.balance <> 0 OR EXISTS (
  SELECT 1 FROM ledger_accounts WHERE ledger_account_id = NEW.ledger_account_id OR account_id = NEW.account_id)
BEGIN SELECT RAISE(ABORT, 'a ledger account begins empty, once'); END;

CREATE TRIGGER ledger_accounts_move_by_transfer BEFORE UPDATE ON ledger_accounts
WHEN (NEW.ledger_account_id <> OLD.ledger_account_id OR NEW.kind <> OLD.kind OR NEW.account_id IS NOT OLD.account_id
  OR NEW.erased_at IS NOT OLD.erased_at OR NEW.last_transfer_id IS OLD.last_transfer_id OR NOT EXISTS (
    SELECT 1 FROM transfers WHERE transfer_id = NEW.last_transfer_id AND (
      debit_id = OLD.ledger_account_id AND NEW.balance = OLD.balance - coins
      OR credit_id = OLD.ledger_account_id AND NEW.balance = OLD.balance + coins)))
  -- An erasure: another id, for ever, and nothing else.
  AND NOT (OLD.kind = 'person' AND OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL
    AND NEW.account_id IS NOT OLD.account_id AND NEW.ledger_account_id = OLD.ledger_account_id AND NEW.kind = OLD.kind
    AND NEW.balance = OLD.balance AND NEW.last_transfer_id IS OLD.last_transfer_id)
BEGIN SELECT RAISE(ABORT, 'a balance moves only by a transfer'); END;

CREATE TABLE offers (
  offer_id BLOB NOT NULL PRIMARY KEY CHECK (length(offer_id) = 16),
  title TEXT NOT NULL CHECK (title <> ''),
  reward TEXT NOT NULL CHECK (reward <> ''),
  partner_name TEXT NOT NULL CHECK (partner_name <> ''),
  cost_coins INTEGER NOT NULL CHECK (cost_coins >= 1),
  stock INTEGER NOT NULL CHECK (stock >= 1),
  remaining INTEGER NOT NULL CHECK (remaining BETWEEN 0 AND stock),
  valid_from INTEGER NOT NULL,
  valid_until INTEGER NOT NULL CHECK (valid_until > valid_from)
) STRICT, WITHOUT ROWID;

CREATE INDEX offers_by_end ON offers (valid_until, offer_id);

CREATE TABLE redemptions (
  redemption_id BLOB NOT NULL PRIMARY KEY CHECK (length(redemption_id) = 16),
  account_id BLOB NOT NULL CHECK (length(account_id) = 16),
  offer_id BLOB NOT NULL REFERENCES offers,
  transfer_id BLOB NOT NULL UNIQUE REFERENCES transfers,
  code TEXT NOT NULL UNIQUE,
  coins INTEGER NOT NULL CHECK (coins >= 1),
  redeemed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX redemptions_by_account ON redemptions (account_id, redemption_id);

CREATE INDEX redemptions_by_offer ON redemptions (offer_id);

CREATE TABLE transfers (
  transfer_id BLOB NOT NULL PRIMARY KEY CHECK (length(transfer_id) = 16),
  kind TEXT NOT NULL CHECK (kind IN ('earned', 'corrected', 'redeemed')),
  debit_id INTEGER NOT NULL REFERENCES ledger_accounts,
  credit_id INTEGER NOT NULL REFERENCES ledger_accounts,
  coins INTEGER NOT NULL CHECK (coins > 0),
  -- what the transfer is for: a second one for the same is refused
  reference TEXT NOT NULL UNIQUE,
  at INTEGER NOT NULL,
  CHECK (debit_id <> credit_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX transfers_by_credit ON transfers (credit_id, transfer_id);

CREATE INDEX transfers_by_debit ON transfers (debit_id, transfer_id);

CREATE TRIGGER transfers_are_not_changed BEFORE UPDATE ON transfers
BEGIN SELECT RAISE(ABORT, 'a transfer is never changed'); END;

CREATE TRIGGER transfers_are_not_deleted BEFORE DELETE ON transfers
BEGIN SELECT RAISE(ABORT, 'a transfer is never deleted'); END;

CREATE TRIGGER transfers_are_not_replaced BEFORE INSERT ON transfers
WHEN EXISTS (SELECT 1 FROM transfers WHERE transfer_id = NEW.transfer_id OR reference = NEW.reference)
BEGIN SELECT RAISE(ABORT, 'this transfer was made before'); END;

CREATE TRIGGER transfers_move_coins AFTER INSERT ON transfers
BEGIN
  UPDATE ledger_accounts SET balance = balance - NEW.coins, last_transfer_id = NEW.transfer_id
  WHERE ledger_account_id = NEW.debit_id;
  UPDATE ledger_accounts SET balance = balance + NEW.coins, last_transfer_id = NEW.transfer_id
  WHERE ledger_account_id = NEW.credit_id;
END;
