import GRDB
import Operations
import RewardsContract
import Storage

/// The administrator of each correction, for the operator.
enum AdjustmentStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "corrections by administrators") { database in
      try database.execute(
        sql: """
          CREATE TABLE coin_adjustments (
            transfer_id BLOB NOT NULL PRIMARY KEY REFERENCES transfers (transfer_id),
            -- null once the administrator's account was erased
            administrator_id BLOB CHECK (length(administrator_id) = 16)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX coin_adjustments_by_administrator ON coin_adjustments (administrator_id);
          """)
    }
  }

  static func note(_ transfer: TransferID, by administrator: AccountID, in database: Database) throws {
    try database.run(
      "INSERT INTO coin_adjustments (transfer_id, administrator_id) VALUES (?, ?)", .id(transfer), .id(administrator))
  }
}
