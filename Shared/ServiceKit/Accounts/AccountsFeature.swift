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
  private let watch: Accounts.Watch

  /// - Parameters:
  ///   - migrations: the numbers of its three migrations among the service's.
  ///   - isErasedLast: whether what the service does by itself needs an account's row for as long as there are others of it; then whoever
  ///     reads for others leaves out erased accounts. Otherwise it goes in the transaction that receives the deletion.
  ///   - moved: called in the transaction in which an account comes to count its days in another way.
  ///   - withdrawn: called in the transaction that receives consents which an account has withdrawn.
  public init(
    migrations: (table: Int, settings: Int), isErasedLast: Bool = false, whenMoved moved: Accounts.Moved? = nil,
    whenWithdrawn withdrawn: Accounts.Withdrawn? = nil
  ) {
    self.migrations = [AccountsFeature.table(migrations.table), AccountsFeature.settings(migrations.settings)]
    let table = ErasedTable.rows("accounts", "account_id = :account", .profiles)
    tables = [isErasedLast ? table : table.atOnce]
    watch = Accounts.Watch(moved: moved, withdrawn: withdrawn)
  }

  public func register(in service: inout ServiceDefinition) { service.keepAccounts(watch) }

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
          -- Purposes consented to, a blank between.
          ALTER TABLE accounts ADD COLUMN consents TEXT NOT NULL DEFAULT '';
          ALTER TABLE accounts ADD COLUMN mutes_help INTEGER NOT NULL DEFAULT 0 CHECK (mutes_help IN (0, 1));
          """)
    }
  }
}

/// Which accounts are known to be in the read model, and until when each is suspended: what every call needs, without a look at the store.
final class KnownAccounts: Sendable {
  /// How many are remembered; when it is full all are forgotten and looked for again.
  static let maximum = 100_000

  private let known = Mutex<Set<AccountID>>([])

  /// Sees to it that the read model holds the account, fetching it from identity where its event has not arrived yet.
  ///
  /// - Throws: `unauthenticated` where identity knows no such account, `account_suspended` where it is suspended.
  func require(_ account: AccountID, _ call: some Call) async throws {
    if known.withLock({ $0.contains(account) }) { return }
    guard try await Accounts.resolve(account, call) != nil else { throw Failure(RequestFailure.unauthenticated) }
    known.withLock { known in
      if known.count == KnownAccounts.maximum { known.removeAll(keepingCapacity: true) }
      known.insert(account)
    }
  }
}
