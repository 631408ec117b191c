/// The table of withdrawn access, of which a listener that comes late must learn all the same: links do not end by themselves.
enum AccessWithdrawalSchema {
  static let first = """
    CREATE TABLE access_withdrawals (
      withdrawal_id BLOB NOT NULL PRIMARY KEY CHECK (length(withdrawal_id) = 16),
      account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
      -- access made before that stays; null if none does
      since INTEGER,
      withdrawn_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX access_withdrawals_by_account ON access_withdrawals (account_id, withdrawn_at);
    """
}
