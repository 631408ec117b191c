public import GRDB
public import NotificationsContract
import Operations
import ServiceKit
import Storage

extension NotificationKind: DatabaseValueConvertible {}

/// The inboxes: each account's notifications, numbered 1, 2, 3, … without gaps.
enum InboxStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "inboxes") { database in
      try database.execute(
        sql: """
          CREATE TABLE inboxes (
            account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
            last_number INTEGER NOT NULL CHECK (last_number >= 0),
            unread_count INTEGER NOT NULL CHECK (unread_count >= 0)
          ) STRICT, WITHOUT ROWID;
          CREATE TABLE notifications (
            notification_id BLOB NOT NULL PRIMARY KEY CHECK (length(notification_id) = 16),
            account_id BLOB NOT NULL REFERENCES inboxes (account_id),
            number INTEGER NOT NULL CHECK (number > 0),
            kind TEXT NOT NULL,
            -- The values and links as JSON; emptied when the notification is deleted.
            content TEXT NOT NULL CHECK (json_valid(content)),
            source TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            read_at INTEGER,
            deleted_at INTEGER,
            UNIQUE (account_id, number),
            UNIQUE (account_id, source)
          ) STRICT;
          CREATE INDEX notifications_unread ON notifications (account_id, number) WHERE read_at IS NULL AND deleted_at IS NULL;
          """)
    }
  }

  /// What is in an inbox still, by number: deleted ones, which may be many more, are not looked at.
  static func presentMigration(_ number: Int) -> Migration {
    Migration(number, "notifications that are not deleted") { database in
      try database.execute(
        sql: "CREATE INDEX notifications_present ON notifications (account_id, number) WHERE deleted_at IS NULL")
    }
  }

  /// Puts a notification into its account's inbox; nil if what it reports is there already.
  static func add(
    _ item: InboxItem, to account: AccountID, _ language: Language, _ transaction: Transaction
  ) throws -> Notification? {
    let database = transaction.database
    let known = "SELECT 1 FROM notifications WHERE account_id = ? AND source = ?"
    guard try database.first(known, .id(account), .text(item.source), read: { _ in true }) == nil else { return nil }
    let next = try database.first(
      """
      INSERT INTO inboxes (account_id, last_number) VALUES (?, 1)
      ON CONFLICT (account_id) DO UPDATE SET last_number = last_number + 1
      RETURNING last_number
      """, .id(account)
    ) { $0.number(0) }
    guard let number = next else { preconditionFailure("an upsert returns its row") }
    let id = ID<Notification>()
    try database.run(
      """
      INSERT INTO notifications (notification_id, account_id, number, kind, category, content, source, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """, .id(id), .id(account), .number(number), .text(item.kind.description),
      .text(NotificationSpec.category(of: item.kind).rawValue), .text(String(decoding: item.content.json, as: UTF8.self)),
      .text(item.source), .instant(transaction.now))
    try noteAccounts(item.accounts, in: id, database)
    return Notification(
      id: id, number: number, kind: item.kind, content: item.content, createdAt: transaction.now, readAt: nil, language)
  }

  /// Changes the content of the notification with that source, in place and without changing whether it is read; nil where there is none,
  /// for example because its owner deleted it.
  ///
  /// - Parameter keepsName: whether the name in the former content is kept.
  static func amend(
    _ item: InboxItem, of account: AccountID, _ language: Language, keepsName: Bool = false, _ transaction: Transaction
  ) throws -> Notification? {
    let database = transaction.database
    let found = try database.cachedStatement(
      sql: "SELECT \(columns) FROM notifications WHERE account_id = ? AND source = ? AND deleted_at IS NULL")
    guard let row = try Row.fetchOne(found, arguments: [account, item.source]) else { return nil }
    let id: ID<Notification> = row["notification_id"]
    var content = item.content
    if keepsName {
      let earlier = try NotificationContent.decode(Array((row["content"] as String).utf8))
      content.parameters["username"] = earlier.parameters["username"]
    }
    try database.cachedStatement(sql: "UPDATE notifications SET kind = ?, content = ?, change = ? WHERE notification_id = ?")
      .execute(arguments: [
        item.kind, String(decoding: content.json, as: UTF8.self), try nextChange(of: account, in: database), id,
      ])
    return Notification(
      id: id, number: row["number"], kind: item.kind, content: content, createdAt: row["created_at"],
      readAt: row["read"], language)
  }

  /// How many notifications a page looks through where not all that its index finds belong to the list.
  static let maxSearched = 2_000

  /// An inbox, newest first.
  ///
  /// - Parameter withLogins: not for a session in doubt: notices of logins show from what and from where its account is used, by which a
  ///   login is trusted.
  static func list(
    of account: AccountID, unread: Bool?, category: NotificationCategory?, withLogins: Bool, _ page: PageRequest,
    _ language: Language, in database: Database
  ) throws -> Page<Notification> {
    let range = "account_id = :account AND number < :before AND number > :after"
    let inCategory = category.map { "AND category = '\($0.rawValue)'" } ?? ""
    // What an index finds.
    let found =
      if unread == true {
        "INDEXED BY notifications_unread WHERE \(range) AND read_at IS NULL AND deleted_at IS NULL"
      } else if category != nil {
        "INDEXED BY notifications_by_category WHERE \(range) \(inCategory) AND deleted_at IS NULL"
      } else {
        "INDEXED BY notifications_present WHERE \(range) AND deleted_at IS NULL"
      }
    let hiding = try hiding(of: account, in: database)
    let leavesOut = unread == false || (unread == true && category != nil) || !withLogins || !hiding.isEmpty
    let through = try ReadMarkStore.through(of: account, in: database)
    let lowest = unread == true ? through : 0
    // The last that the page looks at; nil where fewer than that are left, or all that is found belongs to the list.
    var end: Int?
    if leavesOut {
      end = try Int.fetchOne(
        database.cachedStatement(
          sql: "SELECT number FROM notifications \(found) ORDER BY number DESC LIMIT 1 OFFSET \(maxSearched - 1)"),
        arguments: ["account": account, "before": page.before, "after": lowest])
    }
    let after = end.map { $0 - 1 } ?? lowest
    let statement = try database.cachedStatement(
      sql: """
        SELECT \(columns) FROM notifications \(found) \(inCategory)
          \(unread == false ? "AND (read_at IS NOT NULL OR number <= :through)" : "") \(kinds(withLogins)) \(hiding)
        ORDER BY number DESC LIMIT :limit
        """)
    let rows = try Row.fetchAll(
      statement,
      arguments: [
        "account": account, "before": page.before, "after": after, "through": through, "limit": page.fetchLimit,
      ])
    guard let end, rows.count <= page.limit else {
      return try page.page(of: rows, key: { $0["number"] as Int64 }) { try Notification($0, language) }
    }
    return page.page(try rows.map { try Notification($0, language) }, goingOnBehind: end)
  }

  /// What came after a number, oldest first. What a block or an erasure hides is passed over, until the worker has deleted it: a page that
  /// is not full says where to go on, or there is no more.
  ///
  /// - Parameter withLogins: as for the list.
  static func since(
    _ number: Int, of account: AccountID, withLogins: Bool, limit: Int, _ language: Language, in database: Database
  ) throws -> ListNotificationsSince.Output {
    let hiding = try hiding(of: account, in: database)
    let found = "notifications INDEXED BY notifications_present WHERE account_id = ? AND number > ? AND deleted_at IS NULL"
    // The last that the page looks at; nil where fewer than that are left, or none is passed over.
    var end: Int?
    if !withLogins || !hiding.isEmpty {
      end = try Int.fetchOne(
        database.cachedStatement(sql: "SELECT number FROM \(found) ORDER BY number LIMIT 1 OFFSET \(maxSearched - 1)"),
        arguments: [account, number])
    }
    let statement = try database.cachedStatement(
      sql: "SELECT \(columns) FROM \(found) AND number <= ? \(kinds(withLogins)) \(hiding) ORDER BY number LIMIT ?")
    let items = try Row.fetchAll(statement, arguments: [account, number, end ?? Int.max, limit])
      .map { try Notification($0, language) }
    let newest = try database.cachedStatement(sql: "SELECT last_number FROM inboxes WHERE account_id = ?")
    let last = try Int.fetchOne(newest, arguments: [account]) ?? 0
    return ListNotificationsSince.Output(
      items: items, lastNumber: last, nextAfter: items.count < limit ? end.flatMap { $0 < last ? $0 : nil } : nil)
  }

  /// The columns that ``Notification/init(_:_:)`` reads, and with them all of the table.
  static let columns = "notifications.*, \(ReadMarkStore.readAt("notifications")) AS read"

  private static func kinds(_ withLogins: Bool) -> String { withLogins ? "" : "AND kind NOT IN (\(hiddenKinds))" }

  private static let hiddenKinds = NotificationKind.list(NotificationSpec.hiddenInDoubt.map(\.rawValue))

  /// The content of an account's notification; nil where there is none, or it was deleted.
  static func content(
    of id: ID<Notification>, _ account: AccountID, in database: Database
  ) throws -> NotificationContent? {
    let statement = try database.cachedStatement(
      sql: "SELECT content FROM notifications WHERE notification_id = ? AND account_id = ? AND deleted_at IS NULL")
    return try String.fetchOne(statement, arguments: [id, account]).map { try .decode(Array($0.utf8)) }
  }

  /// Marks a notification as read; false if the account has none such.
  static func markRead(_ id: ID<Notification>, of account: AccountID, _ transaction: Transaction) throws -> Bool {
    let database = transaction.database
    guard try exists(id, of: account, andNotDeleted: true, in: database) else { return false }
    let statement = try database.cachedStatement(
      sql: """
        UPDATE notifications SET read_at = ? WHERE notification_id = ? AND \(ReadMarkStore.isUnread("notifications")) RETURNING kind
        """)
    guard let kind = try String.fetchOne(statement, arguments: [transaction.now, id]) else { return true }
    try DeliveryStore.count(.inbox, kind, "opened", reason: nil, transaction)
    return true
  }

  /// Marks everything up to a number as read.
  ///
  /// - Returns: whether it is so many that they do not say so themselves yet, but a mark; see ``ReadMarkStore``.
  static func markRead(upTo number: Int, of account: AccountID, _ transaction: Transaction) throws -> Bool {
    let database = transaction.database
    // What comes later is not read.
    let newest = try database.first("SELECT last_number FROM inboxes WHERE account_id = ?", .id(account)) { $0.number(0) } ?? 0
    let (first, last) = (try ReadMarkStore.through(of: account, in: database), min(number, newest))
    let unread = """
      FROM notifications INDEXED BY notifications_unread
      WHERE account_id = ?1 AND number > ?2 AND number <= ?3 AND read_at IS NULL AND deleted_at IS NULL
      """
    let bounds: (Bound, Bound, Bound) = (.id(account), .number(first), .number(last))
    let beyond = "SELECT 1 \(unread) LIMIT 1 OFFSET \(ReadMarkStore.rowsAtOnce)"
    if try database.first(beyond, bounds.0, bounds.1, bounds.2, read: { _ in true }) != nil {
      try ReadMarkStore.add(after: first, through: last, of: account, transaction)
      return true
    }
    try database.each("SELECT kind, count(*) \(unread) GROUP BY kind", bounds.0, bounds.1, bounds.2) { row in
      try DeliveryStore.count(.inbox, row.text(0), "opened", reason: nil, by: row.number(1), transaction)
      return true
    }
    try database.run(
      "UPDATE notifications SET read_at = ?4 WHERE notification_id IN (SELECT notification_id \(unread))", bounds.0, bounds.1,
      bounds.2, .instant(transaction.now))
    return false
  }

  /// Deletes what a notification said; its number stays taken. False if the account never had it.
  static func delete(_ id: ID<Notification>, of account: AccountID, _ transaction: Transaction) throws -> Bool {
    let database = transaction.database
    guard try exists(id, of: account, andNotDeleted: false, in: database) else { return false }
    let statement = try database.cachedStatement(
      sql: """
        UPDATE notifications SET deleted_at = ?, content = '{}', change = ? WHERE notification_id = ? AND deleted_at IS NULL
        RETURNING number
        """)
    try forgetAccounts(of: id, database)
    let change = try nextChange(of: account, in: database)
    guard let number = try Int.fetchOne(statement, arguments: [transaction.now, change, id]) else { return true }
    try publishRemoval(number, of: account, transaction)
    return true
  }

  /// Deletes the contents of the notifications whose source begins with the text, or equals it without the slash.
  ///
  /// - Parameters:
  ///   - beginning: ends with a slash.
  ///   - kept: the sources of those that stay.
  static func deleteAll(
    from beginning: String, except kept: Set<String> = [], of account: AccountID, _ transaction: Transaction
  ) throws {
    // What begins with a slash's beginning lies before the character that follows the slash.
    let start = String(beginning.dropLast())
    var found: [ID<Notification>] = []
    try transaction.database.each(
      """
      SELECT notification_id, source FROM notifications
      WHERE account_id = ? AND source >= ? AND source < ? AND deleted_at IS NULL
      """, .id(account), .text(start), .text(start + "0")
    ) {
      if !kept.contains($0.text(1)) { found.append(try $0.id(0)) }
      return true
    }
    for id in found { _ = try delete(id, of: account, transaction) }
  }

  /// Deletes what an account's notifications of those numbers said that name another.
  static func deleteAll(
    naming other: AccountID, of account: AccountID, numbers: ClosedRange<Int>, _ transaction: Transaction
  ) throws {
    // Read first: the statements below change what makes them such.
    let statement = try transaction.database.cachedStatement(
      sql: """
        SELECT notification_id, number FROM notifications n
        WHERE account_id = ?1 AND number BETWEEN ?2 AND ?3 AND EXISTS (
          SELECT 1 FROM notification_accounts a WHERE a.notification_id = n.notification_id AND a.account_id = ?4)
        """)
    let rows = try Row.fetchAll(statement, arguments: [account, numbers.lowerBound, numbers.upperBound, other])
    guard !rows.isEmpty else { return }
    let database = transaction.database
    let change = try nextChange(of: account, in: database)
    for row in rows {
      let id: ID<Notification> = row["notification_id"]
      try database.run(
        "UPDATE notifications SET deleted_at = ?, content = '{}', change = ? WHERE notification_id = ?",
        .instant(transaction.now),
        .number(change), .id(id))
      try forgetAccounts(of: id, database)
      try publishRemoval(row["number"], of: account, transaction)
    }
  }

  private static func exists(
    _ id: ID<Notification>, of account: AccountID, andNotDeleted: Bool, in database: Database
  ) throws -> Bool {
    let statement = try database.cachedStatement(
      sql: "SELECT deleted_at FROM notifications WHERE notification_id = ? AND account_id = ?")
    guard let row = try Row.fetchOne(statement, arguments: [id, account]) else { return false }
    return !andNotDeleted || row["deleted_at"] == nil
  }
}

extension Notification {
  /// Columns ``InboxStore/columns``.
  init(_ row: Row, _ language: Language) throws {
    let content: String = row["content"]
    self.init(
      id: row["notification_id"], number: row["number"], kind: row["kind"], content: try .decode(Array(content.utf8)),
      createdAt: row["created_at"], readAt: row["read"], language)
  }

  fileprivate init(
    id: ID<Notification>, number: Int, kind: NotificationKind, content: NotificationContent, createdAt: Instant,
    readAt: Instant?, _ language: Language
  ) {
    self.init(
      id: id, number: number, kind: kind, severity: NotificationSpec.severity(of: kind),
      title: NotificationText.title(kind, language, content.parameters),
      text: NotificationText.text(kind, language, content.parameters), parameters: content.parameters, links: content.links,
      createdAt: createdAt, readAt: readAt)
  }
}
