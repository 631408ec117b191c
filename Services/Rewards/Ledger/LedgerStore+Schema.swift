import GRDB
import Storage

extension LedgerStore {
  /// The tables, and the triggers that enforce the ledger's invariants.
  static func migration(_ number: Int) -> Migration {
    Migration(number, "ledger") { database in
      try database.execute(
        sql: """
          CREATE TABLE ledger_accounts (
            ledger_account_id INTEGER NOT NULL PRIMARY KEY,
            kind TEXT NOT NULL CHECK (kind IN ('movement', 'offers', 'person')),
            account_id BLOB UNIQUE CHECK (length(account_id) = 16),
            balance INTEGER NOT NULL DEFAULT 0,
            last_transfer_id BLOB,
            CHECK ((kind = 'person') = (account_id IS NOT NULL)),
            CHECK (kind <> 'person' OR balance >= 0)
          ) STRICT;
          CREATE UNIQUE INDEX ledger_accounts_of_the_house ON ledger_accounts (kind) WHERE account_id IS NULL;

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
          CREATE INDEX transfers_by_debit ON transfers (debit_id, transfer_id);
          CREATE INDEX transfers_by_credit ON transfers (credit_id, transfer_id);

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
          BEGIN SELECT RAISE(ABORT, 'a transfer is never changed'); END;
          CREATE TRIGGER transfers_are_not_deleted BEFORE DELETE ON transfers
          BEGIN SELECT RAISE(ABORT, 'a transfer is never deleted'); END;

          CREATE TRIGGER ledger_accounts_begin_empty BEFORE INSERT ON ledger_accounts
          WHEN NEW.balance <> 0 OR EXISTS (
            SELECT 1 FROM ledger_accounts WHERE ledger_account_id = NEW.ledger_account_id OR account_id = NEW.account_id)
          BEGIN SELECT RAISE(ABORT, 'a ledger account begins empty, once'); END;
          CREATE TRIGGER ledger_accounts_move_by_transfer BEFORE UPDATE ON ledger_accounts
          WHEN NEW.ledger_account_id <> OLD.ledger_account_id OR NEW.kind <> OLD.kind OR NEW.account_id IS NOT OLD.account_id
            OR NEW.last_transfer_id IS OLD.last_transfer_id OR NOT EXISTS (
              SELECT 1 FROM transfers WHERE transfer_id = NEW.last_transfer_id AND (
                debit_id = OLD.ledger_account_id AND NEW.balance = OLD.balance - coins
                OR credit_id = OLD.ledger_account_id AND NEW.balance = OLD.balance + coins))
          BEGIN SELECT RAISE(ABORT, 'a balance moves only by a transfer'); END;
          CREATE TRIGGER ledger_accounts_are_not_deleted BEFORE DELETE ON ledger_accounts
          BEGIN SELECT RAISE(ABORT, 'a ledger account is never deleted'); END;

          INSERT INTO ledger_accounts (ledger_account_id, kind) VALUES (1, 'movement'), (2, 'offers');
          """)
    }
  }
}
