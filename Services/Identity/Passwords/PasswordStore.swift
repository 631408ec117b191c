import GRDB
import IdentityContract
import Operations
import Storage

/// The accounts' passwords.
enum PasswordStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "when passwords were changed") { database in
      try database.execute(
        sql: """
          ALTER TABLE accounts ADD COLUMN password_changed_at INTEGER;
          """)
    }
  }

  /// Whether the password is still the one with which the account was registered.
  static func isFirst(of account: AccountID, in database: Database) throws -> Bool {
    try database.first("SELECT password_changed_at IS NULL FROM accounts WHERE account_id = ?", .id(account)) { $0.truth(0) }
      ?? false
  }

  /// Notes that a new account has no password, only a hash without a known password.
  static func noteNone(of account: AccountID, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(sql: "UPDATE accounts SET has_password = 0 WHERE account_id = ?")
      .execute(arguments: [account])
  }

  /// Disables the account's password until the owner chooses one by a mailed link: somebody else knows it.
  ///
  /// - Parameter unusablePassword: the hash that replaces it, of a password that nobody knows.
  static func disable(of account: AccountID, _ unusablePassword: PasswordHash, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE accounts SET password_hash = ?, has_password = 0, password_changed_at = ? WHERE account_id = ?"
    ).execute(arguments: [unusablePassword.text, transaction.now, account])
    try PasswordRecoveryStore.replaceAll(of: account, transaction)
  }

  /// Changes the account's password and publishes that. Links to recover the former password stop working, as do links that a person who
  /// knew it sent to another address.
  static func change(of account: AccountID, to hash: PasswordHash, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE accounts SET password_hash = ?, has_password = 1, password_changed_at = ? WHERE account_id = ?"
    ).execute(arguments: [hash.text, transaction.now, account])
    try PasswordRecoveryStore.replaceAll(of: account, transaction)
    try EmailChangeStore.replaceAll(of: account, transaction)
    try transaction.publish(PasswordChanged(changeID: PasswordChangeID(), accountID: account))
  }
}
