import GRDB
import NotificationsContract
import Operations
import ServiceKit
import Storage

extension MailStore {
  /// Removes the mails to an erased account: their files, then their rows. The report of the deletion is not among them.
  ///
  /// - Throws: `unavailable` while one of them is on its way.
  static func erase(_ erasure: ErasedAccount, _ folders: Set<String>, _ store: Store) async throws {
    let account = erasure.account
    // One that was on its way and failed waits for another try, for which there is no reason any more.
    try await store.write { transaction in
      try transaction.database.execute(
        sql: """
          UPDATE mails SET state = 'obsolete', finished_at = ? WHERE account_id = ? AND kind <> ? AND state = 'waiting'
          """, arguments: [transaction.now, account, MailSpec.deletionReport])
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
    try await store.write { transaction in
      try transaction.database.execute(
        sql: "DELETE FROM mails WHERE account_id = ? AND kind <> ? AND finished_at IS NOT NULL",
        arguments: [account, MailSpec.deletionReport])
    }
  }
}
