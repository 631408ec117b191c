import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// How notifications forgets an account (ID-12): a new table is a new line here.
enum NotificationsErasure {
  static let tables: [ErasedTable] = [
    // What others were notified of by the account, then its own inbox.
    .changed(
      "notifications", "account_id = :account OR \(InboxErasure.cause) = :text AND deleted_at IS NULL", .notifications,
      by: """
        UPDATE inboxes SET unread_count = unread_count - (
          SELECT count(*) FROM notifications n WHERE n.account_id = inboxes.account_id AND \(InboxErasure.cause) = :text
            AND n.read_at IS NULL AND n.deleted_at IS NULL)
        WHERE account_id IN (SELECT account_id FROM notifications WHERE \(InboxErasure.cause) = :text AND deleted_at IS NULL)
        """,
      """
      UPDATE notifications SET deleted_at = :now, content = '{}' WHERE \(InboxErasure.cause) = :text AND deleted_at IS NULL
      """, "DELETE FROM notifications WHERE account_id = :account",
      steps: [
        """
        UPDATE inboxes SET unread_count = unread_count - (
          SELECT count(*) FROM (\(InboxErasure.some)) n WHERE n.account_id = inboxes.account_id AND n.read_at IS NULL)
        WHERE account_id IN (SELECT account_id FROM (\(InboxErasure.some)))
        """,
        """
        UPDATE notifications SET deleted_at = :now, content = '{}'
        WHERE notification_id IN (SELECT notification_id FROM (\(InboxErasure.some)))
        """,
        """
        DELETE FROM notifications WHERE notification_id IN (
          SELECT notification_id FROM notifications WHERE account_id = :account LIMIT :limit)
        """,
      ]),
    .rows("inboxes", "account_id = :account", .notifications),
    // The rows are needed to find the files; ``MailErasure`` removes both.
    .changed(
      "mails", "account_id = :account", .mails,
      by: """
        UPDATE mails SET state = 'obsolete', finished_at = :now WHERE account_id = :account AND state = 'waiting' AND kind <> 'accountDeleted'
        """),
    .untouched("report_files", "ids of mails"),
  ]
}

/// Finding what an account caused in others' inboxes.
enum InboxErasure {
  /// The account that caused a notification, as text.
  static let cause = "json_extract(content, '$.links.accountID')"

  /// Some of what an account caused, the same at each look.
  static let some = """
    SELECT notification_id, account_id, read_at FROM notifications WHERE \(cause) = :text AND deleted_at IS NULL
    ORDER BY rowid LIMIT :limit
    """

  /// A condition on rows of notifications that leaves out what accounts caused that are being erased; empty where there are none.
  static func hiding(in database: Database) throws -> String {
    let erased = try AccountID.fetchAll(
      database.cachedStatement(
        sql: "SELECT account_id FROM erasures WHERE confirmed_at IS NULL AND rows_erased_at IS NULL ORDER BY account_id"))
    guard !erased.isEmpty else { return "" }
    // Ids, as this program writes them.
    return "AND coalesce(\(cause), '') NOT IN (\(erased.map { "'\($0)'" }.joined(separator: ", ")))"
  }

  static func migration(_ number: Int) -> Migration {
    Migration(number, "notifications by who caused them") { database in
      try database.execute(
        sql: "CREATE INDEX notifications_by_cause ON notifications (\(cause)) WHERE \(cause) IS NOT NULL")
    }
  }
}
