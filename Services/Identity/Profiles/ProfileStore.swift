import GRDB
import Operations
import Storage

/// The profiles, which are columns of the accounts.
enum ProfileStore {
  static func edit(_ account: AccountID, _ form: ProfileForm, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE accounts SET username = ?, nickname = ?, name = ?, age = ?, revision = revision + 1 WHERE account_id = ?"
    ).execute(arguments: [form.username, form.nickname, form.name, form.age, account])
  }
}
