import GRDB
import NotificationsContract
import Operations
import Storage

/// What became of notifications after they came: changed, replaced or removed. Each account's changes are counted, so that a client that
/// was away learns of those behind the last that it knows of.
extension InboxStore {
  static func changesMigration(_ number: Int) -> Migration {
    Migration(number, "changes and categories of notifications") { database in
      try database.execute(
        sql: """
          ALTER TABLE inboxes ADD COLUMN last_change INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE notifications ADD COLUMN category TEXT NOT NULL DEFAULT '';
          -- The number of its last change among those of the account; NULL if it never changed.
          ALTER TABLE notifications ADD COLUMN change INTEGER;
          """)
      for spec in NotificationSpec.all {
        guard let inbox = spec.inbox else { continue }
        try database.execute(
          sql: "UPDATE notifications SET category = ? WHERE kind IN (\(NotificationKind.list([inbox.kind.rawValue])))",
          arguments: [spec.category.rawValue])
      }
      try database.execute(
        sql: """
          DROP INDEX notifications_unread;
          CREATE INDEX notifications_unread ON notifications (account_id, number, category)
            WHERE read_at IS NULL AND deleted_at IS NULL;
          CREATE INDEX notifications_by_category ON notifications (account_id, category, number) WHERE deleted_at IS NULL;
          CREATE INDEX notifications_changed ON notifications (account_id, change) WHERE change IS NOT NULL;
          CREATE INDEX notifications_read ON notifications (read_at) WHERE read_at IS NOT NULL;
          CREATE INDEX notifications_deleted ON notifications (deleted_at) WHERE deleted_at IS NOT NULL;
          """)
    }
  }

  /// The number of an account's next change.
  static func nextChange(of account: AccountID, in database: Database) throws -> Int {
    let statement = try database.cachedStatement(
      sql: "UPDATE inboxes SET last_change = last_change + 1 WHERE account_id = ? RETURNING last_change")
    return try Int.fetchOne(statement, arguments: [account]) ?? 0
  }

  /// The number of an account's last change.
  static func lastChange(of account: AccountID, in database: Database) throws -> Int {
    let statement = try database.cachedStatement(sql: "SELECT last_change FROM inboxes WHERE account_id = ?")
    return try Int.fetchOne(statement, arguments: [account]) ?? 0
  }

  /// What changed behind a number, in order, without what came later than the notifications that the client has.
  ///
  /// Changes that happened together have one number and are never divided.
  static func changes(
    after change: Int, upTo number: Int, of account: AccountID, withLogins: Bool, limit: Int, _ language: Language,
    in database: Database
  ) throws -> NotificationChanges {
    let statement = try database.cachedStatement(
      sql: """
        SELECT \(columns) FROM notifications WHERE account_id = ? AND change > ? ORDER BY change LIMIT ?
        """)
    var rows = try Row.fetchAll(statement, arguments: [account, change, limit + 1])
    var last = try lastChange(of: account, in: database)
    if rows.count > limit, let cut: Int = rows.last?["change"] {
      rows.removeAll { $0["change"] as Int == cut }
      last = rows.last?["change"] ?? cut
      if rows.isEmpty {
        let whole = try database.cachedStatement(sql: "SELECT \(columns) FROM notifications WHERE account_id = ? AND change = ?")
        rows = try Row.fetchAll(whole, arguments: [account, cut])
      }
    }
    let erased = try hiddenNumbers(of: account, among: rows.map { $0["number"] }, in: database)
    var changes = NotificationChanges(changed: [], removed: [], lastChange: last)
    for row in rows where (row["number"] as Int) <= number {
      if row["deleted_at"] != nil || erased.contains(row["number"]) {
        changes.removed.append(row["number"])
      } else if withLogins || !NotificationSpec.hiddenInDoubt.contains(row["kind"]) {
        changes.changed.append(try Notification(row, language))
      }
    }
    return changes
  }

  /// Those that name accounts which are being erased, or whom the account has blocked.
  private static func hiddenNumbers(
    of account: AccountID, among numbers: [Int], in database: Database
  ) throws -> Set<Int> {
    let condition = try hiding(of: account, in: database)
    guard !condition.isEmpty, !numbers.isEmpty else { return [] }
    let list = numbers.map(String.init).joined(separator: ", ")
    let shown = try Int.fetchAll(
      database, sql: "SELECT number FROM notifications WHERE account_id = ? AND number IN (\(list)) \(condition)",
      arguments: [account])
    return Set(numbers).subtracting(shown)
  }

  /// Publishes that a notification is there no longer, for whoever is connected.
  static func publishRemoval(_ number: Int, of account: AccountID, _ transaction: Transaction) throws {
    try transaction.publish(NotificationRemoved(accountID: account, number: number))
  }

  // MARK: - Counting up

  /// The total that replaces an account's notification of the same kind and day: the sum of both. For the day's first there is nothing to
  /// replace.
  static func countUp(
    _ item: InboxItem, _ total: InboxTotal, day: LocalDay, of account: AccountID, _ transaction: Transaction
  ) throws -> InboxItem {
    let database = transaction.database
    var item = item
    item.content.parameters["day"] = .text(day.description)
    // A notification that is in the inbox already is not counted twice.
    let known = try database.cachedStatement(sql: "SELECT 1 FROM notifications WHERE account_id = ? AND source = ?")
    guard try Row.fetchOne(known, arguments: [account, item.source]) == nil else { return item }
    let statement = try database.cachedStatement(
      sql: """
        SELECT notification_id, content FROM notifications INDEXED BY notifications_by_category
        WHERE account_id = ? AND category = ? AND kind IN (\(NotificationKind.list([item.kind.rawValue]))) AND deleted_at IS NULL
        ORDER BY number DESC LIMIT 1
        """)
    let category = NotificationSpec.named(item.kind.rawValue)?.category
    guard let row = try Row.fetchOne(statement, arguments: [account, category?.rawValue]) else { return item }
    let earlier = try NotificationContent.decode(Array((row["content"] as String).utf8))
    guard earlier.parameters["day"] == .text(day.description), case .number(let before)? = earlier.parameters[total.parameter],
      case .number(let more)? = item.content.parameters[total.parameter]
    else { return item }
    item.content.parameters[total.parameter] = .number(before + more)
    _ = try delete(row["notification_id"], of: account, transaction)
    return item
  }
}
