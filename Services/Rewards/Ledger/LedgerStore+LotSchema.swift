import GRDB
import Storage

extension LedgerStore {
  /// Numbers transfers, gives each a cause, and assigns coins to lots. Kinds of transfers and of the system's accounts are no longer listed
  /// in the schema: ``Transfer/Kind`` and ``SystemAccount`` list them.
  ///
  /// Existing data stays: balances, and transfers with their ids and references, numbered in the order in which they were made. All coins
  /// of a person are put into one lot that never expires.
  static func lotMigration(_ number: Int) -> Migration {
    Migration(number, "numbers and causes of transfers, and lots") { database in
      try database.execute(
        sql: """
          DROP TRIGGER ledger_accounts_move_by_transfer;
          DROP TRIGGER transfers_are_not_replaced;
          DROP TRIGGER transfers_move_coins;
          DROP TRIGGER transfers_are_not_changed;
          DROP TRIGGER transfers_are_not_deleted;
          """)
      try database.redeclare(
        "ledger_accounts", replacing: "CHECK (kind IN ('movement', 'offers', 'person'))", with: "CHECK (kind <> '')")
      // A transfer's key is its number from now on.
      try database.redeclare(
        "redemptions", replacing: "REFERENCES transfers,", with: "REFERENCES transfers (transfer_id),")
      try database.execute(sql: numberedTransfers)
      try database.execute(sql: guards)
      try database.execute(sql: lots)
    }
  }

  private static let numberedTransfers = """
    CREATE TABLE numbered_transfers (
      -- 1, 2, 3, …
      number INTEGER NOT NULL PRIMARY KEY,
      transfer_id BLOB NOT NULL UNIQUE CHECK (length(transfer_id) = 16),
      kind TEXT NOT NULL CHECK (kind <> ''),
      debit_id INTEGER NOT NULL REFERENCES ledger_accounts,
      credit_id INTEGER NOT NULL REFERENCES ledger_accounts,
      coins INTEGER NOT NULL CHECK (coins > 0),
      -- what must not be booked twice: a second transfer of it is refused
      reference TEXT NOT NULL UNIQUE,
      at INTEGER NOT NULL,
      -- what it is for: 'day', 'days', 'redemption', 'challenge' or 'reason', and what belongs to that
      cause TEXT NOT NULL CHECK (cause <> ''),
      day INTEGER CHECK ((cause = 'day') = (day IS NOT NULL)),
      subject TEXT,
      title TEXT,
      spanish_title TEXT,
      CHECK (debit_id <> credit_id)
    ) STRICT;
    INSERT INTO numbered_transfers
      SELECT row_number() OVER (ORDER BY t.transfer_id), t.transfer_id, t.kind, t.debit_id, t.credit_id, t.coins, t.reference, t.at,
        iif(t.kind = 'redeemed', 'redemption', 'days'), NULL,
        -- A redemption's transfer is referenced by it.
        iif(t.kind = 'redeemed', substr(t.reference, length('redemption/') + 1), NULL),
        iif(t.kind = 'redeemed', coalesce(o.title, ''), NULL), NULL
      FROM transfers t
      LEFT JOIN redemptions r ON r.transfer_id = t.transfer_id
      LEFT JOIN offers o ON o.offer_id = r.offer_id
      ORDER BY t.transfer_id;
    DROP TABLE transfers;
    ALTER TABLE numbered_transfers RENAME TO transfers;
    CREATE INDEX transfers_by_debit ON transfers (debit_id, number);
    CREATE INDEX transfers_by_credit ON transfers (credit_id, number);
    """

  private static let guards = """
    CREATE TRIGGER transfers_are_numbered_without_gaps BEFORE INSERT ON transfers
    WHEN NEW.number <> coalesce((SELECT max(number) FROM transfers), 0) + 1
    BEGIN SELECT RAISE(ABORT, 'a transfer has the next number'); END;
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
    CREATE TRIGGER transfers_are_not_changed BEFORE UPDATE ON transfers
    -- An erasure: an administrator's words about a person, and nothing else.
    WHEN NOT (OLD.cause = 'reason' AND NEW.title IS NULL AND NEW.number = OLD.number AND NEW.transfer_id = OLD.transfer_id
      AND NEW.kind = OLD.kind AND NEW.debit_id = OLD.debit_id AND NEW.credit_id = OLD.credit_id AND NEW.coins = OLD.coins
      AND NEW.reference = OLD.reference AND NEW.at = OLD.at AND NEW.cause = OLD.cause AND NEW.day IS OLD.day
      AND NEW.subject IS OLD.subject AND NEW.spanish_title IS OLD.spanish_title)
    BEGIN SELECT RAISE(ABORT, 'a transfer is never changed'); END;
    CREATE TRIGGER transfers_are_not_deleted BEFORE DELETE ON transfers
    BEGIN SELECT RAISE(ABORT, 'a transfer is never deleted'); END;

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
    """

  private static let lots = """
    CREATE TABLE coin_lots (
      lot_id INTEGER NOT NULL PRIMARY KEY,
      ledger_account_id INTEGER NOT NULL REFERENCES ledger_accounts,
      -- the local day whose steps its coins are for
      day INTEGER,
      -- until when its coins can be spent; the end of time where that is for ever
      ends_at INTEGER NOT NULL,
      is_announced INTEGER NOT NULL DEFAULT 0 CHECK (is_announced IN (0, 1)),
      rest INTEGER NOT NULL DEFAULT 0 CHECK (rest >= 0),
      -- the last transfer that moved coins of it
      last_number INTEGER
    ) STRICT;
    CREATE TABLE lot_moves (
      number INTEGER NOT NULL REFERENCES transfers,
      lot_id INTEGER NOT NULL REFERENCES coin_lots,
      -- positive came into the lot, negative left it
      coins INTEGER NOT NULL CHECK (coins <> 0),
      PRIMARY KEY (number, lot_id)
    ) STRICT, WITHOUT ROWID;

    INSERT INTO coin_lots (ledger_account_id, ends_at, rest, last_number)
      SELECT ledger_account_id, 253402300799999, balance,
        (SELECT number FROM transfers WHERE transfer_id = last_transfer_id)
      FROM ledger_accounts WHERE kind = 'person' AND last_transfer_id IS NOT NULL;
    INSERT INTO lot_moves (number, lot_id, coins)
      SELECT t.number, l.lot_id, iif(t.credit_id = l.ledger_account_id, t.coins, -t.coins)
      FROM transfers t JOIN ledger_accounts a ON a.ledger_account_id = t.credit_id
      JOIN coin_lots l ON l.ledger_account_id = iif(a.kind = 'person', t.credit_id, t.debit_id)
      ORDER BY t.number;

    CREATE INDEX coin_lots_by_end ON coin_lots (ledger_account_id, ends_at, lot_id) WHERE rest > 0;
    CREATE INDEX coin_lots_by_day ON coin_lots (ledger_account_id, day, ends_at) WHERE day IS NOT NULL;
    CREATE INDEX coin_lots_that_end ON coin_lots (ends_at) WHERE rest > 0 AND ends_at < 253402300799999;
    CREATE INDEX coin_lots_to_be_announced ON coin_lots (ends_at)
      WHERE rest > 0 AND ends_at < 253402300799999 AND is_announced = 0;
    CREATE INDEX lot_moves_by_lot ON lot_moves (lot_id, number);

    CREATE TRIGGER coin_lots_begin_empty BEFORE INSERT ON coin_lots
    WHEN NEW.rest <> 0 OR NEW.last_number IS NOT NULL
    BEGIN SELECT RAISE(ABORT, 'a lot begins empty'); END;
    CREATE TRIGGER coin_lots_move_by_transfer BEFORE UPDATE OF lot_id, ledger_account_id, day, rest, last_number ON coin_lots
    WHEN NEW.lot_id <> OLD.lot_id OR NEW.ledger_account_id <> OLD.ledger_account_id OR NEW.day IS NOT OLD.day
      OR NEW.last_number IS OLD.last_number OR NOT EXISTS (
        SELECT 1 FROM lot_moves WHERE number = NEW.last_number AND lot_id = OLD.lot_id AND NEW.rest = OLD.rest + coins)
    BEGIN SELECT RAISE(ABORT, 'a lot changes only by a transfer'); END;
    CREATE TRIGGER coin_lots_are_not_deleted BEFORE DELETE ON coin_lots
    BEGIN SELECT RAISE(ABORT, 'a lot is never deleted'); END;
    CREATE TRIGGER lot_moves_are_of_the_last_transfer BEFORE INSERT ON lot_moves
    WHEN NEW.number IS NOT (SELECT max(number) FROM transfers)
      OR EXISTS (SELECT 1 FROM lot_moves WHERE number = NEW.number AND lot_id = NEW.lot_id)
    BEGIN SELECT RAISE(ABORT, 'a transfer moves a lot once, when it is made'); END;
    CREATE TRIGGER lot_moves_move_coins AFTER INSERT ON lot_moves
    BEGIN UPDATE coin_lots SET rest = rest + NEW.coins, last_number = NEW.number WHERE lot_id = NEW.lot_id; END;
    CREATE TRIGGER lot_moves_are_not_changed BEFORE UPDATE ON lot_moves
    BEGIN SELECT RAISE(ABORT, 'what a transfer moved is never changed'); END;
    CREATE TRIGGER lot_moves_are_not_deleted BEFORE DELETE ON lot_moves
    BEGIN SELECT RAISE(ABORT, 'what a transfer moved is never deleted'); END;
    """
}
