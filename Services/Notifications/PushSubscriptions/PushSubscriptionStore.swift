import Foundation
public import GRDB
import IdentityContract
public import NotificationsContract
import Operations
import Storage

extension PushEndpoint: DatabaseValueConvertible {}
extension PushSubscriptionName: DatabaseValueConvertible {}

/// The devices that take pushes, each with the session to which it belongs.
enum PushSubscriptionStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "push subscriptions") { database in
      try database.execute(
        sql: """
          CREATE TABLE push_subscriptions (
            subscription_id BLOB NOT NULL PRIMARY KEY CHECK (length(subscription_id) = 16),
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            session_id BLOB NOT NULL CHECK (length(session_id) = 16),
            endpoint TEXT NOT NULL,
            -- The device's key, and the secret that it shares with the server.
            device_key BLOB NOT NULL CHECK (length(device_key) = 65),
            secret BLOB NOT NULL CHECK (length(secret) = 16),
            -- The public half of the server's key that it was made with.
            server_key BLOB NOT NULL CHECK (length(server_key) = 65),
            name TEXT,
            -- The account's where null.
            language TEXT,
            created_at INTEGER NOT NULL,
            last_sent_at INTEGER,
            -- When identity last said how the session stands; 0 where it is to be asked before anything is sent.
            checked_at INTEGER NOT NULL,
            is_paused INTEGER NOT NULL CHECK (is_paused IN (0, 1)),
            UNIQUE (account_id, endpoint)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX push_subscriptions_by_session ON push_subscriptions (session_id);
          CREATE INDEX push_subscriptions_by_endpoint ON push_subscriptions (endpoint);
          CREATE INDEX push_subscriptions_by_check ON push_subscriptions (checked_at);
          """)
    }
  }

  /// The data of a device's subscription.
  struct Device: Sendable {
    let endpoint: PushEndpoint
    let key: PushKey
    let secret: PushSecret
    let serverKey: PushKey
    let name: PushSubscriptionName?
    let language: Language?
  }

  /// Subscribes a device; the same endpoint again is the same subscription.
  static func put(
    _ device: Device, of account: AccountID, in session: SessionID, _ transaction: Transaction
  ) throws -> ID<PushSubscription> {
    let database = transaction.database
    // The same browser after another account's login: the subscription's secret proves the device.
    let others = try database.cachedStatement(
      sql: "SELECT subscription_id FROM push_subscriptions WHERE endpoint = ? AND account_id <> ? AND secret = ?")
    try remove(
      ID<PushSubscription>.fetchAll(others, arguments: [device.endpoint, account, Data(device.secret.bytes)]), transaction)
    try PushStore.resume(device.endpoint, of: account, transaction)
    let statement = try database.cachedStatement(
      sql: """
        INSERT INTO push_subscriptions (subscription_id, account_id, session_id, endpoint, device_key, secret, server_key, name,
          language, created_at, checked_at, is_paused)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 0, 0)
        ON CONFLICT (account_id, endpoint) DO UPDATE SET session_id = ?3, device_key = ?5, secret = ?6, server_key = ?7,
          name = coalesce(?8, name), language = ?9, created_at = ?10, checked_at = 0, is_paused = 0
        RETURNING subscription_id
        """)
    let id = try ID<PushSubscription>.fetchOne(
      statement,
      arguments: [
        ID<PushSubscription>(), account, session, device.endpoint, Data(device.key.bytes), Data(device.secret.bytes),
        Data(device.serverKey.bytes), device.name, device.language, transaction.now,
      ])
    guard let id else { throw Failure(RequestFailure.internalError) }
    return id
  }

  static func rename(
    _ id: ID<PushSubscription>, of account: AccountID, _ name: PushSubscriptionName, _ transaction: Transaction
  ) throws {
    try transaction.database.cachedStatement(
      sql: "UPDATE push_subscriptions SET name = ? WHERE subscription_id = ? AND account_id = ?"
    ).execute(arguments: [name, id, account])
  }

  /// Removes a subscription, and what was on its way to it.
  static func remove(_ id: ID<PushSubscription>, _ transaction: Transaction) throws { try remove([id], transaction) }

  /// Removes subscriptions, and then what was on its way to any of them.
  private static func remove(_ ids: [ID<PushSubscription>], _ transaction: Transaction) throws {
    var messages: Set<ID<PushMessage>> = []
    for id in ids {
      messages.formUnion(try PushStore.messages(to: id, in: transaction.database))
      try transaction.database.run("DELETE FROM push_subscriptions WHERE subscription_id = ?", .id(id))
    }
    try PushStore.endRemoved(messages.sorted(), transaction)
  }

  /// Removes what belongs to a session.
  static func remove(of session: SessionID, _ transaction: Transaction) throws {
    let statement = try transaction.database.cachedStatement(
      sql: "SELECT subscription_id FROM push_subscriptions WHERE session_id = ?")
    try remove(ID<PushSubscription>.fetchAll(statement, arguments: [session]), transaction)
  }

  /// Removes what was made while somebody else may have been in.
  static func remove(withdrawn access: AccessWithdrawn, _ transaction: Transaction) throws {
    let statement = try transaction.database.cachedStatement(
      sql: "SELECT subscription_id FROM push_subscriptions WHERE account_id = ? AND created_at <= ? AND created_at >= ?")
    let since = access.since ?? Instant(milliseconds: 0)
    try remove(ID<PushSubscription>.fetchAll(statement, arguments: [access.accountID, access.at, since]), transaction)
  }

  /// Notes that its push service took something for it.
  static func noteSent(_ id: ID<PushSubscription>, _ transaction: Transaction) throws {
    try transaction.database.run(
      "UPDATE push_subscriptions SET last_sent_at = ? WHERE subscription_id = ?", .instant(transaction.now), .id(id))
  }

  // MARK: - Reading

  /// Whether the account has any device.
  static func hasAny(of account: AccountID, in database: Database) throws -> Bool {
    try database.first("SELECT 1 FROM push_subscriptions WHERE account_id = ? LIMIT 1", .id(account)) { _ in true } != nil
  }

  /// The ids of the account's devices.
  static func ids(of account: AccountID, in database: Database) throws -> [ID<PushSubscription>] {
    let statement = try database.cachedStatement(sql: "SELECT subscription_id FROM push_subscriptions WHERE account_id = ?")
    return try ID<PushSubscription>.fetchAll(statement, arguments: [account])
  }

  /// How many others than that endpoint's the account has.
  static func count(of account: AccountID, except endpoint: PushEndpoint, in database: Database) throws -> Int {
    let statement = try database.cachedStatement(
      sql: "SELECT count(*) FROM push_subscriptions WHERE account_id = ? AND endpoint <> ?")
    return try Int.fetchOne(statement, arguments: [account, endpoint]) ?? 0
  }

  static func find(_ id: ID<PushSubscription>, of account: AccountID, in database: Database) throws -> Row? {
    try Row.fetchOne(
      database.cachedStatement(sql: "SELECT * FROM push_subscriptions WHERE subscription_id = ? AND account_id = ?"),
      arguments: [id, account])
  }

  /// The account's devices after `before`, by descending ids.
  ///
  /// - Parameter session: only this session's devices; nil for all.
  static func list(
    of account: AccountID, in session: SessionID?, before: ID<PushSubscription>?, limit: Int, in database: Database
  ) throws -> [Row] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT * FROM push_subscriptions WHERE account_id = ?1 AND subscription_id < ?2
          AND (?4 IS NULL OR session_id = ?4)
        ORDER BY subscription_id DESC LIMIT ?3
        """)
    return try Row.fetchAll(statement, arguments: [account, before ?? .last, limit, session])
  }
}
