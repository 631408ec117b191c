import Foundation
import GRDB
import IdentityContract
import Operations
import SecureStorage
import ServiceKit
import Storage

/// The secret by which the former owner reads a deletion's progress.
typealias DeletionToken = LinkToken<AccountDeletionRecord>

/// A stored deletion. Its account id no longer identifies anybody.
struct AccountDeletionRecord: EmailLink {
  let id: AccountDeletionID
  let accountID: AccountID
  let requestedAt: Instant
  let erasedAt: Instant?
  let reportedAt: Instant?
  let finishedAt: Instant?

  init(_ row: Row) {
    id = row["deletion_id"]
    accountID = row["account_id"]
    requestedAt = row["requested_at"]
    erasedAt = row["erased_at"]
    reportedAt = row["reported_at"]
    finishedAt = row["finished_at"]
  }

  var binding: [UInt8] { Array("account deletion".utf8) + [0] + id.bytes }

  /// The secret that holds the report's recipient, until the report has been sent.
  var addressee: SecretName { SecretName(.deletionAddressee, of: id.bytes) }

  /// By when its last bytes leave the files, those of its address too: promised as it is deleted, however long the services take.
  func cleanBy(_ seconds: Int) -> Instant { requestedAt.adding(seconds: seconds) }

  var state: AccountDeletion.State {
    if finishedAt != nil { return .finished }
    return erasedAt == nil ? .erasing : .reporting
  }
}

/// The deletions of accounts. They outlive the accounts, and hold ids, counts and keyed hashes alone.
enum AccountDeletionStore {
  /// Its tables, and those that came with them: of sessions that ended, and of usernames that nobody can have for a while.
  static func migration(_ number: Int) -> Migration {
    Migration(number, "account deletions") { database in
      for sql in [tables, SessionStore.endedTable, ReservedUsernameStore.table] { try database.execute(sql: sql) }
    }
  }

  private static let tables = """
    CREATE TABLE account_deletions (
      deletion_id BLOB NOT NULL PRIMARY KEY CHECK (length(deletion_id) = 16),
      account_id BLOB NOT NULL UNIQUE CHECK (length(account_id) = 16),
      requested_at INTEGER NOT NULL,
      -- When every service had confirmed.
      erased_at INTEGER,
      -- When the report was sent or given up, and the address forgotten.
      reported_at INTEGER,
      is_delivered INTEGER CHECK (is_delivered IN (0, 1)),
      -- When nothing was left in the files.
      finished_at INTEGER,
      CHECK ((reported_at IS NULL) = (is_delivered IS NULL)),
      CHECK (finished_at IS NULL OR erased_at IS NOT NULL AND reported_at IS NOT NULL)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX account_deletions_unfinished ON account_deletions (requested_at) WHERE finished_at IS NULL;

    CREATE TABLE account_deletion_parts (
      deletion_id BLOB NOT NULL REFERENCES account_deletions (deletion_id),
      service TEXT NOT NULL,
      counts TEXT NOT NULL CHECK (json_valid(counts)),
      confirmed_at INTEGER NOT NULL,
      PRIMARY KEY (deletion_id, service)
    ) STRICT, WITHOUT ROWID;
    """

  /// All deletions as events: a service restored from a backup erases again what the backup brought back. The event for the report is
  /// published again until the report has ended. See `SnapshotParts`.
  @Sendable
  static func snapshot(_ database: Database, after key: String?) throws -> SnapshotParts.Page {
    let deletions = try Row.fetchAll(
      database.cachedStatement(
        sql: "SELECT * FROM account_deletions WHERE deletion_id > ? ORDER BY deletion_id LIMIT ?"),
      arguments: [try SnapshotParts.last(key), SnapshotParts.pageSize]
    ).map(AccountDeletionRecord.init)
    let events = deletions.flatMap { deletion -> [any Event] in
      let deleted = AccountDeleted(deletionID: deletion.id, accountID: deletion.accountID, at: deletion.requestedAt)
      guard deletion.erasedAt != nil, deletion.reportedAt == nil else { return [deleted] }
      return [deleted, AccountErased(deletionID: deletion.id, accountID: deletion.accountID)]
    }
    return SnapshotParts.page(events, of: deletions, key: \.id)
  }

  /// The deletion of that id.
  static func find(_ id: AccountDeletionID, in database: Database) throws -> AccountDeletionRecord? {
    try Row.fetchOne(database.cachedStatement(sql: "SELECT * FROM account_deletions WHERE deletion_id = ?"), arguments: [id])
      .map(AccountDeletionRecord.init)
  }

  /// How far a deletion has come.
  ///
  /// - Parameter cleanSeconds: within which the bytes of what is deleted leave the files.
  static func view(_ deletion: AccountDeletionRecord, cleanSeconds: Int, in database: Database) throws -> AccountDeletion {
    let statement = try database.cachedStatement(
      sql: "SELECT service, counts FROM account_deletion_parts WHERE deletion_id = ? ORDER BY service")
    let services = try Row.fetchAll(statement, arguments: [deletion.id]).map { row in
      ServiceErasure(service: row["service"], counts: try Erasure.counts(row["counts"]))
    }
    return AccountDeletion(
      id: deletion.id, state: deletion.state, requestedAt: deletion.requestedAt,
      cleanBy: deletion.cleanBy(cleanSeconds), erasedAt: deletion.erasedAt, finishedAt: deletion.finishedAt, services: services)
  }

  /// Deletions that lack nothing but a last look at the file.
  fileprivate static func unfinished(in database: Database) throws -> [AccountDeletionID] {
    try AccountDeletionID.fetchAll(
      database,
      sql: """
        SELECT deletion_id FROM account_deletions
        WHERE finished_at IS NULL AND erased_at IS NOT NULL AND reported_at IS NOT NULL ORDER BY requested_at
        """)
  }

  /// Deletes the account with its data in this store, its sessions and its tokens, and publishes that all services do the same. Large
  /// tables are erased in later steps. Only the sealed address stays, until the report has been sent.
  static func begin(
    _ account: AccountRecord, _ erasure: Erasure, _ keys: IdentityKeys, _ secrets: SecureStorage, _ transaction: Transaction
  ) throws -> AccountDeletionRecord {
    let id = AccountDeletionID()
    // Where there are more, they end in the next steps of the erasure.
    _ = try SessionStore.end(ofDeleted: account.id, limit: SessionStore.maxEndedAtOnce, transaction)
    try Revocation.revokeAllButSessions(of: account.id, transaction)
    try SessionStore.noteEnded(ofDeleted: account.id, transaction)
    try ReservedUsernameStore.reserve(ofDeleted: account.username, key: keys.usernames, transaction)
    try transaction.database.cachedStatement(
      sql: "INSERT INTO account_deletions (deletion_id, account_id, requested_at) VALUES (?, ?, ?)"
    ).execute(arguments: [id, account.id, transaction.now])
    try keepAddressee(of: account, id, secrets, transaction)
    try erasure.begin(
      account.id, id, registration: AnonymousRequest(RegisterAccount.spec.name, at: account.createdAt), transaction)
    try RegisterRecordStore.noteDeletion(of: account.id, transaction)
    try transaction.publish(AccountDeleted(deletionID: id, accountID: account.id, at: transaction.now))
    try SecurityEventStore.record(SecurityEvent(.accountDeleted, account: nil), from: .service(.identity), transaction)
    return try require(id, transaction)
  }

  /// If the address cannot be kept safely, it is not kept: the deletion goes on without a report.
  private static func keepAddressee(
    of account: AccountRecord, _ id: AccountDeletionID, _ secrets: SecureStorage, _ transaction: Transaction
  ) throws {
    let addressee = GetAddressee.Output(email: account.email, username: account.username, language: account.language)
    do {
      try SecretStore.keep(addressee.json, SecretName(.deletionAddressee, of: id.bytes), in: secrets, transaction)
    } catch is SecureStorageFailure {
      try endReport(id, isDelivered: false, transaction)
    }
  }

  /// Notes what a service has erased. When all have, the report is to be sent.
  static func confirm(
    _ id: AccountDeletionID, by service: ServiceName, _ counts: [ErasureCount], _ transaction: Transaction
  ) throws {
    let before = try require(id, transaction)
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO account_deletion_parts (deletion_id, service, counts, confirmed_at) VALUES (?, ?, ?, ?)
        ON CONFLICT (deletion_id, service) DO NOTHING
        """
    ).execute(arguments: [id, service, Erasure.text(counts), transaction.now])
    let confirmed = try ServiceName.fetchSet(
      transaction.database.cachedStatement(sql: "SELECT service FROM account_deletion_parts WHERE deletion_id = ?"),
      arguments: [id])
    guard before.erasedAt == nil, ServiceName.allCases.allSatisfy({ $0 == .gateway || confirmed.contains($0) }) else { return }
    try transaction.database.cachedStatement(sql: "UPDATE account_deletions SET erased_at = ? WHERE deletion_id = ?")
      .execute(arguments: [transaction.now, id])
    if before.reportedAt == nil { try transaction.publish(AccountErased(deletionID: id, accountID: before.accountID)) }
  }

  /// Notes that the report was sent or given up, and forgets where it went.
  static func endReport(_ id: AccountDeletionID, isDelivered: Bool, _ transaction: Transaction) throws {
    let deletion = try require(id, transaction)
    try SecretStore.forget(deletion.addressee, transaction)
    try transaction.database.cachedStatement(
      sql: "UPDATE account_deletions SET reported_at = ?, is_delivered = ? WHERE deletion_id = ? AND reported_at IS NULL"
    ).execute(arguments: [transaction.now, isDelivered, id])
  }

  /// What the report needs; nil once it has ended. If the address is damaged, the report ends here.
  static func report(
    _ id: AccountDeletionID, _ secrets: SecureStorage, cleanSeconds: Int, _ transaction: Transaction
  ) throws -> GetDeletionReport.Output? {
    guard let deletion = try find(id, in: transaction.database), deletion.reportedAt == nil else { return nil }
    guard let json = try SecretStore.read(deletion.addressee, of: nil, in: secrets, transaction) else {
      try endReport(id, isDelivered: false, transaction)
      return nil
    }
    return GetDeletionReport.Output(
      addressee: try .decode(json), deletion: try view(deletion, cleanSeconds: cleanSeconds, in: transaction.database))
  }

  private static func require(_ id: AccountDeletionID, _ transaction: Transaction) throws -> AccountDeletionRecord {
    guard let deletion = try find(id, in: transaction.database) else { throw Failure(RequestFailure.notFound) }
    return deletion
  }
}

/// Finishes the deletions whose report has ended: the address is gone from the file as well.
enum FinishedDeletions {
  /// - Returns: false where the file cannot be cleaned yet.
  @Sendable static func finish(_ store: Store) async throws -> Bool {
    let waiting = try await store.read { try AccountDeletionStore.unfinished(in: $0) }
    guard !waiting.isEmpty else { return true }
    guard try await store.cleanFiles() else { return false }
    try await store.write { transaction in
      for id in waiting {
        try transaction.database.cachedStatement(
          sql: "UPDATE account_deletions SET finished_at = ? WHERE deletion_id = ? AND finished_at IS NULL"
        ).execute(arguments: [transaction.now, id])
      }
    }
    return true
  }
}
