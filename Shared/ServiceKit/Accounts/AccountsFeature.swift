import GRDB
import IdentityContract
import Operations
public import Storage
import Synchronization

/// The read model of accounts, ``Accounts``, as the first feature of a service.
///
/// Before a signed-in account's call is handled, the read model holds that account; see ``AccountCall``.
public struct AccountsFeature: Feature {
  public let migrations: [Migration]
  public let tables: [ErasedTable]

  /// - Parameters:
  ///   - migrations: the numbers of its five migrations among the service's.
  ///   - isErasedLast: whether the service itself needs an account's row for as long as there are other rows of the account; then code that
  ///     reads for others leaves out erased accounts. Otherwise the row is deleted in the transaction that receives the deletion.
  public init(migrations: (table: Int, settings: Int, people: Int, enrollment: Int, everyone: Int), isErasedLast: Bool = false) {
    self.migrations = [
      AccountsFeature.table(migrations.table), AccountsFeature.settings(migrations.settings),
      AccountsFeature.people(migrations.people), AccountsFeature.enrollment(migrations.enrollment),
      AccountsFeature.everyone(migrations.everyone),
    ]
    let table = ErasedTable.rows("accounts", "account_id = :account", .profiles)
    tables = [isErasedLast ? table : table.atOnce]
  }

  public func register(in service: inout ServiceDefinition) { service.keepAccounts() }

  private static func table(_ number: Int) -> Migration {
    Migration(number, "accounts") { database in
      try database.execute(
        sql: """
          CREATE TABLE accounts (
            account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
            username TEXT NOT NULL,
            nickname TEXT,
            time_zone TEXT NOT NULL,
            day_start_hour INTEGER NOT NULL CHECK (day_start_hour BETWEEN 0 AND 6),
            language TEXT NOT NULL,
            is_verified INTEGER NOT NULL CHECK (is_verified IN (0, 1)),
            revision INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX accounts_by_username ON accounts (username);
          """)
    }
  }

  private static func settings(_ number: Int) -> Migration {
    Migration(number, "accounts' settings") { database in
      try database.execute(
        sql: """
          -- The purposes consented to, separated by blanks.
          ALTER TABLE accounts ADD COLUMN consents TEXT NOT NULL DEFAULT '';
          ALTER TABLE accounts ADD COLUMN mutes_help INTEGER NOT NULL DEFAULT 0 CHECK (mutes_help IN (0, 1));
          """)
    }
  }

  private static func people(_ number: Int) -> Migration {
    Migration(number, "accounts' photos, read receipts and suspensions") { database in
      try database.execute(
        sql: """
          ALTER TABLE accounts ADD COLUMN photo_tag TEXT;
          ALTER TABLE accounts ADD COLUMN gives_read_receipts INTEGER NOT NULL DEFAULT 1 CHECK (gives_read_receipts IN (0, 1));
          ALTER TABLE accounts ADD COLUMN suspended_until INTEGER;
          """)
    }
  }

  private static func enrollment(_ number: Int) -> Migration {
    Migration(number, "who may enrol accounts in tasks") { database in
      try database.execute(
        sql: """
          ALTER TABLE accounts ADD COLUMN task_enrollment TEXT NOT NULL DEFAULT 'everybody'
            CHECK (task_enrollment IN ('everybody', 'friends', 'nobody'));
          """)
    }
  }

  private static func everyone(_ number: Int) -> Migration {
    Migration(number, "everyone may enrol in tasks, by the name of the other settings") { database in
      // No account is touched: those that say everybody are read as everyone.
      try database.redeclare("accounts", replacing: "DEFAULT 'everybody'", with: "DEFAULT 'everyone'")
      try database.redeclare("accounts", replacing: "IN ('everybody', ", with: "IN ('everyone', 'everybody', ")
    }
  }
}

/// The accounts known to be in the read model, and until when each is suspended: every call needs this without reading the store.
final class KnownAccounts: Sendable {
  /// How many accounts are remembered; when full, all are forgotten and read again.
  static let maximum = 100_000

  private struct State {
    /// Until when each account is suspended; nil if it is not.
    var known: [AccountID: Instant?] = [:]
    /// Counts changes of suspensions, so that an account read before a change is not remembered after it.
    var changes = 0
  }

  private let state = Mutex(State())

  /// Makes sure that the read model holds the account, fetching it from identity if its event has not arrived yet.
  ///
  /// - Throws: `unauthenticated` if identity knows no such account, `account_suspended` if it is suspended.
  func require(_ account: AccountID, _ call: some Call) async throws {
    let (known, changes) = state.withLock { ($0.known[account], $0.changes) }
    if let known { return try KnownAccounts.expect(known, now: call.now) }
    guard let found = try await Accounts.resolve(account, call) else { throw Failure(RequestFailure.unauthenticated) }
    remember(found, readAfter: changes)
    try KnownAccounts.expect(found.suspendedUntil, now: call.now)
  }

  /// The same as far as is known here, without waiting: an account that the read model does not hold yet counts as not suspended.
  ///
  /// - Throws: `account_suspended`.
  func expectUnsuspended(_ account: AccountID, now: Instant, in database: Database) throws {
    let (known, changes) = state.withLock { ($0.known[account], $0.changes) }
    if let known { return try KnownAccounts.expect(known, now: now) }
    guard let found = try Accounts.find(account, in: database) else { return }
    remember(found, readAfter: changes)
    try KnownAccounts.expect(found.suspendedUntil, now: now)
  }

  /// - Parameter changes: the number of changes before the account was read.
  private func remember(_ account: Accounts.Known, readAfter changes: Int) {
    state.withLock { state in
      guard state.changes == changes else { return }
      if state.known.count == KnownAccounts.maximum { state.known.removeAll(keepingCapacity: true) }
      state.known.updateValue(account.suspendedUntil, forKey: account.id)
    }
  }

  /// Records a changed suspension of an account, once the change is durable.
  func note(_ account: AccountID, suspendedUntil until: Instant?) {
    state.withLock { state in
      state.changes += 1
      if state.known.keys.contains(account) { state.known.updateValue(until, forKey: account) }
    }
  }

  private static func expect(_ suspendedUntil: Instant?, now: Instant) throws {
    guard let suspendedUntil, now < suspendedUntil else { return }
    throw Failure.accountSuspended(until: suspendedUntil)
  }
}
