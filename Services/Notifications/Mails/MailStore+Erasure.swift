import GRDB
import NotificationsContract
import Operations
import ServiceKit
import Storage
import Synchronization

extension MailStore {
  /// The number of mails that are ended or removed in one step.
  private static let erasureLimits = StepLimits(first: 50, max: 2_000)

  /// Removes the mails to an erased account: their files, then their rows. The report of the deletion is not among them.
  ///
  /// - Throws: `unavailable` while one of them is on its way.
  static func erase(_ erasure: ErasedAccount, _ folders: Set<String>, _ store: Store) async throws {
    let account = erasure.account
    // One that was on its way and failed waits for another try, for which there is no reason any more.
    let last = Last()
    try await store.writeInSteps(of: "erased mails", erasureLimits) { limit, transaction in
      let end = try endWaiting(of: account, after: last.mail.withLock { $0 }, limit: limit, transaction)
      if let end { last.mail.withLock { $0 = end } }
      return end != nil
    }
    let mails = try await store.read { database in
      try Row.fetchAll(
        database,
        sql: "SELECT mail_id, created_at, finished_at FROM mails WHERE account_id = ? AND kind <> ?",
        arguments: [account, MailSpec.deletionReport]
      ).map { (id: $0["mail_id"] as ID<Mail>, createdAt: $0["created_at"] as Instant, isOver: $0["finished_at"] != nil) }
    }
    // What is on its way may become a file yet.
    guard mails.allSatisfy(\.isOver) else { throw Failure(RequestFailure.unavailable, retryAfterSeconds: 1) }
    for mail in mails {
      for folder in folders { try MailFolder.remove(mail.id, createdAt: mail.createdAt, folder: folder) }
    }
    try await store.writeInSteps(of: "erased mails", erasureLimits) { try removeEnded(of: account, limit: $0, $1) }
  }

  /// The mail that was looked at last. It is not stored: after a restart, all are looked at again.
  private final class Last: Sendable {
    let mail = Mutex(ID<Mail>.placeholder)
  }

  /// Ends those that wait of some mails: all those of the account would be too many to look at in each step.
  ///
  /// - Parameter first: the mails after it are looked at.
  /// - Returns: the last that was looked at; nil where no more are left.
  static func endWaiting(
    of account: AccountID, after first: ID<Mail>, limit: Int, _ transaction: Transaction
  ) throws -> ID<Mail>? {
    let (database, mails) = (transaction.database, "mails INDEXED BY mails_by_account WHERE account_id = ? AND mail_id > ?")
    let end = try ID<Mail>.fetchOne(
      database, sql: "SELECT mail_id FROM \(mails) ORDER BY mail_id LIMIT 1 OFFSET ?", arguments: [account, first, limit - 1])
    try database.execute(
      sql: """
        UPDATE mails SET state = 'obsolete', finished_at = ? WHERE mail_id IN (
          SELECT mail_id FROM \(mails) AND mail_id <= ? AND kind <> ? AND state = 'waiting')
        """, arguments: [transaction.now, account, first, end ?? .last, MailSpec.deletionReport])
    return end
  }

  /// Removes the rows of some mails that have ended; returns whether there may be more.
  static func removeEnded(of account: AccountID, limit: Int, _ transaction: Transaction) throws -> Bool {
    try transaction.database.execute(
      sql: """
        DELETE FROM mails WHERE mail_id IN (
          SELECT mail_id FROM mails WHERE account_id = ? AND kind <> ? AND finished_at IS NOT NULL LIMIT ?)
        """, arguments: [account, MailSpec.deletionReport, limit])
    return transaction.database.changesCount == limit
  }
}
