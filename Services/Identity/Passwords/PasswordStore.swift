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

  /// Lets no password log in to the account until its owner chooses one by a mailed link: somebody else knows it.
  ///
  /// - Parameter unusablePassword: what replaces it, which nobody knows.
  static func disable(of account: AccountID, _ unusablePassword: PasswordHash, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE accounts SET password_hash = ?, has_password = 0, password_changed_at = ? WHERE account_id = ?"
    ).execute(arguments: [unusablePassword.text, transaction.now, account])
    try RecoveryStore.replaceAll(of: account, transaction)
  }

  /// Gives the account another password, and publishes that: links that would recover the older one work no longer, nor do those that
  /// whoever had it has sent to an address of their own.
  static func change(of account: AccountID, to hash: PasswordHash, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE accounts SET password_hash = ?, has_password = 1, password_changed_at = ? WHERE account_id = ?"
    ).execute(arguments: [hash.text, transaction.now, account])
    try RecoveryStore.replaceAll(of: account, transaction)
    try EmailChangeStore.replaceAll(of: account, transaction)
    try transaction.publish(PasswordChanged(changeID: PasswordChangeID(), accountID: account))
  }
}
