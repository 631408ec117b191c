import Foundation
import GRDB
import IdentityContract
import Operations
import SecureStorage
import ServiceKit
import Storage

/// The secret by which whoever deleted an account reads how far that has come.
typealias DeletionToken = LinkToken<AccountDeletionRecord>

/// A deletion as it is kept: who it was of is an id that names nobody any more.
struct AccountDeletionRecord: MailedLink {
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

  /// Where the report goes, while it has not.
  var addressee: SecretName { SecretName(.deletionAddressee, of: id.bytes) }

  /// By when its last bytes leave the files, those of its address too: promised as it is deleted, however long the services take.
  func cleanBy(_ seconds: Int) -> Instant { requestedAt.adding(seconds: seconds) }

  var state: AccountDeletion.State {
    if finishedAt != nil { return .finished }
    return erasedAt == nil ? .erasing : .reporting
  }
}

extension Database {
  /// The deletion of that id.
  func accountDeletion(_ id: AccountDeletionID) throws -> AccountDeletionRecord? {
    try Row.fetchOne(cachedStatement(sql: "SELECT * FROM account_deletions WHERE deletion_id = ?"), arguments: [id])
      .map(AccountDeletionRecord.init)
  }

  /// How far a deletion has come.
  ///
  /// - Parameter cleanSeconds: within which the bytes of what is deleted leave the files.
  func view(_ deletion: AccountDeletionRecord, cleanSeconds: Int) throws -> AccountDeletion {
    let statement = try cachedStatement(
      sql: "SELECT service, counts FROM account_deletion_parts WHERE deletion_id = ? ORDER BY service")
    let services = try Row.fetchAll(statement, arguments: [deletion.id]).map { row in
      ServiceErasure(service: row["service"], counts: try Erasure.counts(row["counts"]))
    }
    return AccountDeletion(
      id: deletion.id, state: deletion.state, requestedAt: deletion.requestedAt,
      cleanBy: deletion.cleanBy(cleanSeconds), erasedAt: deletion.erasedAt, finishedAt: deletion.finishedAt, services: services)
  }

  /// Deletions that lack nothing but a last look at the file.
  fileprivate func deletionsToFinish() throws -> [AccountDeletionID] {
    try AccountDeletionID.fetchAll(
      self,
      sql: """
        SELECT deletion_id FROM account_deletions
        WHERE finished_at IS NULL AND erased_at IS NOT NULL AND reported_at IS NOT NULL ORDER BY requested_at
        """)
  }
}

extension Transaction {
  /// Deletes the account: everything of it in this store, its sessions and tokens, and tells all services to do the same. Of what there
  /// is much, some goes later (``IdentityErasure``). What is left is its address, sealed, until the report has been sent.
  func deleteAccount(
    _ account: AccountRecord, _ erasure: Erasure, _ keys: IdentityKeys, _ secrets: SecureStorage
  ) throws -> AccountDeletionRecord {
    let id = AccountDeletionID()
    // Where there are more, they end in the next steps of the erasure.
    _ = try endSessions(ofDeleted: account.id, limit: IdentityErasure.sessionsAtOnce)
    try revokeAllButSessions(of: account.id)
    try database.cachedStatement(
      sql: """
        INSERT INTO ended_sessions (session_id, account_id, ended_at)
        SELECT session_id, account_id, revoked_at FROM sessions WHERE account_id = ?1 AND revoked_at > ?2
        ON CONFLICT (session_id) DO NOTHING
        """
    ).execute(arguments: [account.id, now.adding(seconds: -Snapshot.revocationsPublishedSeconds)])
    try reserve(ofDeleted: account.username, key: keys.usernames)
    try database.cachedStatement(
      sql: "INSERT INTO account_deletions (deletion_id, account_id, requested_at) VALUES (?, ?, ?)"
    ).execute(arguments: [id, account.id, now])
    try keepAddressee(of: account, id, secrets)
    try erasure.begin(
      account.id, id, registration: AnonymousRequest(RegisterAccount.spec.name, at: account.createdAt), self)
    try publish(AccountDeleted(deletionID: id, accountID: account.id, at: now))
    try record(SecurityEvent(.accountDeleted, account: nil), from: .service(.identity))
    return try deletion(id)
  }

  /// An address that cannot be kept safely is not kept: the deletion goes on without a report.
  private func keepAddressee(of account: AccountRecord, _ id: AccountDeletionID, _ secrets: SecureStorage) throws {
    let addressee = ReadAddressee.Output(email: account.email, username: account.username, language: account.language)
    do {
      try keepSecret(addressee.json, SecretName(.deletionAddressee, of: id.bytes), in: secrets)
    } catch is SecureStorageFailure {
      try endReport(id, isDelivered: false)
    }
  }

  /// Notes what a service has erased. When all have, the report is to be sent.
  func confirmErasure(_ id: AccountDeletionID, by service: ServiceName, _ counts: [ErasureCount]) throws {
    let before = try deletion(id)
    try database.cachedStatement(
      sql: """
        INSERT INTO account_deletion_parts (deletion_id, service, counts, confirmed_at) VALUES (?, ?, ?, ?)
        ON CONFLICT (deletion_id, service) DO NOTHING
        """
    ).execute(arguments: [id, service, Erasure.text(counts), now])
    let confirmed = try ServiceName.fetchSet(
      database.cachedStatement(sql: "SELECT service FROM account_deletion_parts WHERE deletion_id = ?"), arguments: [id])
    guard before.erasedAt == nil, ServiceName.allCases.allSatisfy({ $0 == .gateway || confirmed.contains($0) }) else { return }
    try database.cachedStatement(sql: "UPDATE account_deletions SET erased_at = ? WHERE deletion_id = ?")
      .execute(arguments: [now, id])
    if before.reportedAt == nil { try publish(AccountErased(deletionID: id, accountID: before.accountID)) }
  }

  /// Notes that the report was sent or given up, and forgets where it went.
  func endReport(_ id: AccountDeletionID, isDelivered: Bool) throws {
    let deletion = try deletion(id)
    try forgetSecret(deletion.addressee)
    try database.cachedStatement(
      sql: "UPDATE account_deletions SET reported_at = ?, is_delivered = ? WHERE deletion_id = ? AND reported_at IS NULL"
    ).execute(arguments: [now, isDelivered, id])
  }

  /// What the report needs; nil once it has ended. If the address is damaged, the report ends here.
  func deletionReport(
    _ id: AccountDeletionID, _ secrets: SecureStorage, cleanSeconds: Int
  ) throws -> ReadDeletionReport.Output? {
    guard let deletion = try database.accountDeletion(id), deletion.reportedAt == nil else { return nil }
    guard let json = try secret(deletion.addressee, of: nil, in: secrets) else {
      try endReport(id, isDelivered: false)
      return nil
    }
    return ReadDeletionReport.Output(
      addressee: try .decode(json), deletion: try database.view(deletion, cleanSeconds: cleanSeconds))
  }

  private func deletion(_ id: AccountDeletionID) throws -> AccountDeletionRecord {
    guard let deletion = try database.accountDeletion(id) else { throw Failure(RequestFailure.notFound) }
    return deletion
  }
}

/// Finishes the deletions whose report has ended: the address is gone from the file as well.
enum FinishedDeletions {
  /// - Returns: false where the file cannot be cleaned yet.
  @Sendable static func finish(_ store: Store) async throws -> Bool {
    let waiting = try await store.read { try $0.deletionsToFinish() }
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
