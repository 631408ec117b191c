import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// The accounts.
enum AccountStore {
  /// The first tables, those of other features too, which declare theirs: they came into the world together.
  static func migration(_ number: Int) -> Migration {
    Migration(number, "accounts, sessions, links, failures") { database in
      let tables = [
        table, SessionStore.tables, VerificationLinkStore.table, LoginFailureStore.table, SecurityEventStore.table,
      ]
      for sql in tables { try database.execute(sql: sql) }
    }
  }

  private static let table = """
    CREATE TABLE accounts (
      account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
      email TEXT NOT NULL,
      -- Lower case, the domain in ASCII: what makes two addresses the same.
      email_normalized TEXT NOT NULL,
      username TEXT NOT NULL COLLATE NOCASE,
      -- PHC string of Argon2id.
      password_hash TEXT NOT NULL CHECK (password_hash LIKE '$argon2id$%'),
      name TEXT,
      age INTEGER CHECK (age BETWEEN 0 AND 150),
      nickname TEXT,
      time_zone TEXT NOT NULL,
      day_start_hour INTEGER NOT NULL DEFAULT 0 CHECK (day_start_hour BETWEEN 0 AND 6),
      language TEXT NOT NULL,
      is_administrator INTEGER NOT NULL DEFAULT 0 CHECK (is_administrator IN (0, 1)),
      created_at INTEGER NOT NULL,
      verified_at INTEGER,
      -- Grows with each change that is published.
      revision INTEGER NOT NULL DEFAULT 1 CHECK (revision > 0)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX accounts_by_email ON accounts (email_normalized);
    CREATE UNIQUE INDEX accounts_by_username ON accounts (username);
    """

  /// Until when an account is suspended, which its row says (SOC-8).
  static func suspensionMigration(_ number: Int) -> Migration {
    Migration(number, "until when accounts are suspended") { database in
      try database.execute(
        sql: """
          -- Until when it is suspended; in the past if the suspension is over.
          ALTER TABLE accounts ADD COLUMN suspended_until INTEGER;
          """)
    }
  }

  /// All accounts as events; see `SnapshotParts`.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let accounts = try Row.fetchAll(
      database.cachedStatement(sql: "SELECT * FROM accounts WHERE account_id > ? ORDER BY account_id LIMIT ?"),
      arguments: [try SnapshotParts.last(key), SnapshotParts.pageSize]
    ).map(AccountRecord.init)
    return SnapshotParts.page(accounts.map(\.changed), of: accounts, key: \.id)
  }
}

extension SnapshotParts {
  /// The id of the last row that was published, by which identity's parts go on; before all ids for nil.
  static func last(_ key: String?) throws -> ID<Never> { try key.map { try ID(text: $0) } ?? .placeholder }
}

extension AccountStore {
  /// The account of that id.
  static func find(_ id: AccountID, in database: Database) throws -> AccountRecord? {
    try Row.fetchOne(database.cachedStatement(sql: "SELECT * FROM accounts WHERE account_id = ?"), arguments: [id]).map(
      AccountRecord.init)
  }

  /// The account of that username.
  static func find(_ username: Username, in database: Database) throws -> AccountRecord? {
    try Row.fetchOne(database.cachedStatement(sql: "SELECT * FROM accounts WHERE username = ?"), arguments: [username])
      .map(AccountRecord.init)
  }

  /// The account of that e-mail address.
  static func find(_ email: EmailAddress, in database: Database) throws -> AccountRecord? {
    try Row.fetchOne(
      database.cachedStatement(sql: "SELECT * FROM accounts WHERE email_normalized = ?"), arguments: [email.normalized]
    )
    .map(AccountRecord.init)
  }

  /// Adds an account and publishes it.
  static func add(_ form: RegistrationForm, _ hash: PasswordHash, _ transaction: Transaction) throws -> AccountRecord {
    let id = AccountID()
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO accounts (account_id, email, email_normalized, username, password_hash, name, age, nickname, time_zone, language,
          created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      id, form.email, form.email.normalized, form.username, hash.text, form.name, form.age, form.nickname, form.timeZone,
      form.language, transaction.now,
    ])
    try ConsentStore.change(of: id, from: [], by: form.consents, transaction)
    return try publish(id, transaction)
  }

  /// Notes that the e-mail address is verified, if it was not, and publishes that.
  static func verify(_ id: AccountID, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE accounts SET verified_at = ?, revision = revision + 1 WHERE account_id = ? AND verified_at IS NULL"
    ).execute(arguments: [transaction.now, id])
    guard transaction.database.changesCount > 0 else { return }
    _ = try publish(id, transaction)
    try transaction.publish(AccountVerified(accountID: id, at: transaction.now))
  }

  /// Keeps the same password's hash at today's cost.
  static func renewPasswordHash(_ id: AccountID, _ hash: PasswordHash, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(sql: "UPDATE accounts SET password_hash = ? WHERE account_id = ?")
      .execute(arguments: [hash.text, id])
  }

  /// Publishes the account as it is now, and lets directory and register follow.
  static func publish(_ id: AccountID, _ transaction: Transaction) throws -> AccountRecord {
    guard let account = try find(id, in: transaction.database) else { throw Failure(RequestFailure.notFound) }
    try transaction.publish(account.changed)
    try DirectoryStore.update(account, transaction)
    try RegisterRecordStore.note(account, transaction)
    return account
  }
}
