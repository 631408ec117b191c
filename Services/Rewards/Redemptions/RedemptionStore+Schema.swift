import Foundation
import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

extension RedemptionStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "redemptions") { database in
      try database.execute(
        sql: """
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
          """)
    }
  }

  /// Encrypts codes and finds them by a keyed hash; stores the words at the time of redemption, and the use and voiding of codes; lets the
  /// account be erased. Earlier codes do not expire.
  static func sealingMigration(_ number: Int, _ codes: SealedCodes, _ keys: RedemptionKeys) -> Migration {
    Migration(number, "sealed codes of redemptions") { database in
      try database.execute(sql: "ALTER TABLE redemptions RENAME TO clear_redemptions;" + table)
      let rows = try Row.fetchCursor(
        database, sql: "SELECT r.*, o.title, o.reward, o.partner_name FROM clear_redemptions r JOIN offers o USING (offer_id)")
      while let row = try rows.next() {
        let (id, at): (RedemptionID, Instant) = (row["redemption_id"], row["redeemed_at"])
        let code: RedemptionCode = row["code"]
        try database.cachedStatement(
          sql: """
            INSERT INTO redemptions (redemption_id, account_id, offer_id, transfer_id, title, reward, partner_name, coins,
              redeemed_at, day, code_hash, state)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open')
            """
        ).execute(arguments: [
          id, row["account_id"] as AccountID, row["offer_id"] as OfferID, row["transfer_id"] as TransferID,
          row["title"] as String, row["reward"] as String, row["partner_name"] as String, row["coins"] as Int, at,
          OfferViewStore.day(of: at), Data(try keys.hash(of: code)),
        ])
        try codes.keep(code, of: id, in: database)
      }
      try database.execute(sql: "DROP TABLE clear_redemptions;" + indexes)
    }
  }

  static func keyMigration(_ number: Int) -> Migration {
    Migration(number, "sealed codes by their key") { database in
      // The head of a sealed code names its key.
      try database.execute(
        sql: "CREATE INDEX redemptions_by_key ON redemptions (substr(sealed_code, 1, 6)) WHERE sealed_code IS NOT NULL")
    }
  }

  private static let table = """
    CREATE TABLE redemptions (
      redemption_id BLOB NOT NULL PRIMARY KEY CHECK (length(redemption_id) = 16),
      -- Null once the account is erased.
      account_id BLOB CHECK (length(account_id) = 16),
      offer_id BLOB NOT NULL REFERENCES offers (offer_id),
      -- The offer's then; null of an operator's own.
      partner_id BLOB REFERENCES partners (partner_id),
      transfer_id BLOB NOT NULL UNIQUE REFERENCES transfers (transfer_id),
      -- The offer's words when it was redeemed.
      title TEXT NOT NULL,
      reward TEXT NOT NULL,
      terms TEXT,
      partner_name TEXT NOT NULL,
      coins INTEGER NOT NULL CHECK (coins >= 1),
      redeemed_at INTEGER NOT NULL,
      -- The account's day then.
      day INTEGER NOT NULL,
      -- Null where the code does not end.
      usable_until INTEGER,
      -- Keyed; null once nobody is to find it any more.
      code_hash BLOB UNIQUE CHECK (length(code_hash) = 32),
      sealed_code BLOB,
      state TEXT NOT NULL CHECK (state IN ('open', 'used', 'voided')),
      used_at INTEGER,
      voided_at INTEGER,
      void_reason TEXT,
      refund_id BLOB UNIQUE REFERENCES transfers (transfer_id),
      CHECK ((state = 'used') = (used_at IS NOT NULL)),
      CHECK ((state = 'voided') = (voided_at IS NOT NULL AND refund_id IS NOT NULL))
    ) STRICT, WITHOUT ROWID;

    """

  private static let indexes = """
    CREATE INDEX redemptions_by_account ON redemptions (account_id, redemption_id) WHERE account_id IS NOT NULL;
    CREATE INDEX redemptions_by_account_and_offer ON redemptions (account_id, offer_id, day) WHERE account_id IS NOT NULL;
    CREATE INDEX redemptions_by_offer ON redemptions (offer_id);
    CREATE INDEX redemptions_by_partner ON redemptions (partner_id, redemption_id) WHERE partner_id IS NOT NULL;
    """
}
