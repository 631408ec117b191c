import Foundation
import GRDB
import Operations
import Storage

/// The devices that have logged in.
enum DeviceTokenStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "devices that have logged in") { database in
      try database.execute(
        sql: """
          CREATE TABLE device_tokens (
            token_hash BLOB NOT NULL PRIMARY KEY CHECK (length(token_hash) = 32),
            account_id BLOB NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
            -- The session that the device logged in to last; what ends it for a reason of safety ends the token.
            session_id BLOB NOT NULL CHECK (length(session_id) = 16),
            last_used_at INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX device_tokens_by_account ON device_tokens (account_id, last_used_at);
          CREATE INDEX device_tokens_by_session ON device_tokens (session_id);
          CREATE INDEX device_tokens_by_use ON device_tokens (last_used_at);
          """)
    }
  }

  /// Whether a device with that token has logged in to that account, and nothing has happened since that makes it doubtful.
  static func isKnown(_ token: DeviceToken, to account: AccountID, now: Instant, in database: Database) throws -> Bool {
    let statement = try database.cachedStatement(
      sql: "SELECT 1 FROM device_tokens WHERE token_hash = ? AND account_id = ? AND last_used_at > ?")
    return try Row.fetchOne(
      statement, arguments: [token.hash, account, now.adding(seconds: -LoginHistoryStore.keptSeconds)]) != nil
  }

  /// Remembers the device by its token, or by a new one if it has none.
  ///
  /// - Returns: the device's token.
  static func remember(
    _ token: DeviceToken?, of account: AccountID, in session: SessionID, _ transaction: Transaction
  ) throws -> DeviceToken {
    let token = token ?? DeviceToken()
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO device_tokens (token_hash, account_id, session_id, last_used_at) VALUES (?, ?, ?, ?)
        ON CONFLICT (token_hash) DO UPDATE SET session_id = excluded.session_id, last_used_at = excluded.last_used_at
        """
    ).execute(arguments: [token.hash, account, session, transaction.now])
    try transaction.database.cachedStatement(
      sql: """
        DELETE FROM device_tokens WHERE account_id = ?1 AND token_hash IN (
          SELECT token_hash FROM device_tokens WHERE account_id = ?1 ORDER BY last_used_at DESC, token_hash LIMIT -1 OFFSET ?2)
        """
    ).execute(arguments: [account, LoginHistoryStore.maxKnown])
    return token
  }

  /// Forgets the device of that session.
  static func forget(of session: SessionID, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(sql: "DELETE FROM device_tokens WHERE session_id = ?").execute(arguments: [session])
  }

  /// Forgets the device that logged in with the login of that alert, also if its session has ended.
  static func forget(under alert: LoginAlertRecord, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: """
        DELETE FROM device_tokens WHERE account_id = ? AND EXISTS (
          SELECT 1 FROM login_alert_sessions AS begun
          WHERE begun.alert_id = ? AND begun.session_id = device_tokens.session_id)
        """
    ).execute(arguments: [alert.accountID, alert.id])
  }

  /// Forgets the devices of the account, but for that of one session.
  static func forgetAll(of account: AccountID, except session: SessionID? = nil, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(sql: "DELETE FROM device_tokens WHERE account_id = ?1 AND session_id IS NOT ?2")
      .execute(arguments: [account, session])
  }
}
