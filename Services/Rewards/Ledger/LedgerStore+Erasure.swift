import GRDB
import Storage

extension LedgerStore {
  /// Keeps a person's ledger account when the person is erased (ID-12): the account's id is replaced once by a random id. References of
  /// transfers contain the ledger account's number instead of the account's id.
  static func erasureMigration(_ number: Int) -> Migration {
    Migration(number, "erased persons in the ledger") { database in
      try database.execute(
        sql: """
          ALTER TABLE ledger_accounts ADD COLUMN erased_at INTEGER;

          DROP TRIGGER ledger_accounts_move_by_transfer;
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

          DROP TRIGGER transfers_are_not_changed;
          UPDATE transfers SET reference = 'steps/' || (
            SELECT ledger_account_id FROM ledger_accounts
            WHERE kind = 'person' AND ledger_account_id IN (debit_id, credit_id)) || substr(reference, 43)
          WHERE reference LIKE 'steps/%';
          CREATE TRIGGER transfers_are_not_changed BEFORE UPDATE ON transfers
          BEGIN SELECT RAISE(ABORT, 'a transfer is never changed'); END;
          """)
    }
  }

  /// Finding what administrators wrote about a person, without looking at all of its transfers.
  static func reasonMigration(_ number: Int) -> Migration {
    Migration(number, "transfers with reasons") { database in
      try database.execute(
        sql: """
          CREATE INDEX transfers_explained_by_debit ON transfers (debit_id, cause) WHERE cause = 'reason' AND title IS NOT NULL;
          CREATE INDEX transfers_explained_by_credit ON transfers (credit_id, cause) WHERE cause = 'reason' AND title IS NOT NULL;
          """)
    }
  }
}
