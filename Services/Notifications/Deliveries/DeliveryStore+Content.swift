import Foundation
import GRDB
import NotificationsContract
import Operations
import Storage

/// The content of deliveries, and its withdrawal.
extension DeliveryStore {
  /// The current content of a delivery; nil where it was removed, retracted or deleted, or names an account that was erased or blocked.
  static func content(
    of id: ID<NotificationDelivery>, _ account: AccountID, in database: Database
  ) throws -> DeliveryContent? {
    let statement = try contents(where: "d.account_id = ? AND d.delivery_id = ?", in: database)
    guard let row = try Row.fetchOne(statement, arguments: [account, id]) else { return nil }
    return try content(row)
  }

  /// The contents of the deliveries that one mail carries, in their order, without those that were withdrawn.
  static func contents(
    ofMail mail: ID<Mail>, to account: AccountID, at now: Instant, limit: Int, in database: Database
  ) throws -> (contents: [DeliveryContent], count: Int) {
    let statement = try contents(
      where: """
        d.mail_id = ? AND d.account_id = ? AND d.state = 'queued' AND (d.ends_at IS NULL OR d.ends_at > ?) ORDER BY d.delivery_id
        """, in: database)
    let all = try Row.fetchAll(statement, arguments: [mail, account, now]).compactMap(content)
    return (Array(all.prefix(limit)), all.count)
  }

  /// Reads the contents of some deliveries, without those that name accounts being erased, or blocked by the account to which they go:
  /// these are looked up by their keys, which takes no longer than to ask whether there are any.
  private static func contents(where condition: String, in database: Database) throws -> Statement {
    try database.cachedStatement(
      sql: """
        SELECT d.content AS kept, d.notification_id, notifications.kind, notifications.content, notifications.deleted_at
        FROM deliveries d LEFT JOIN notifications
          ON notifications.notification_id = d.notification_id AND \(InboxStore.isShown)
        WHERE \(namesNoneHidden) AND \(condition)
        """)
  }

  /// Whether what a delivery `d` keeps names no account that is being erased, and none that its reader has blocked since, as SQL.
  private static let namesNoneHidden = """
    NOT EXISTS (SELECT 1 FROM delivery_accounts a WHERE a.account_id = d.account_id AND a.delivery_id = d.delivery_id
      AND (\(InboxStore.isBeingErased("a.named_account")) OR \(BlockedDeliveryStore.isEnding("a"))))
    """

  private static func content(_ row: Row) throws -> DeliveryContent? {
    if row["notification_id"] != nil {
      guard let kind: NotificationKind = row["kind"], row["deleted_at"] == nil,
        NotificationSpec.named(kind.rawValue)?.isRemoval != true
      else { return nil }
      return DeliveryContent(kind: kind, content: try .decode(Array((row["content"] as String).utf8)))
    }
    guard let kept: String = row["kept"] else { return nil }
    let content = try KeptContent.decode(Array(kept.utf8))
    return DeliveryContent(kind: content.kind, content: content.content)
  }

  /// Whether the notification was read in the inbox.
  static func isRead(_ delivery: Delivery, in database: Database) throws -> Bool {
    guard let notification = delivery.notification else { return false }
    let statement = try database.cachedStatement(
      sql: "SELECT 1 FROM notifications WHERE notification_id = ? AND NOT \(ReadMarkStore.isUnread("notifications"))")
    return try Row.fetchOne(statement, arguments: [notification]) != nil
  }

  /// The kind of what was or is to be sent; nil where the log has it no longer.
  static func kind(of id: ID<NotificationDelivery>, _ account: AccountID, in database: Database) throws -> String? {
    try database.first("SELECT kind FROM deliveries WHERE account_id = ? AND delivery_id = ?", .id(account), .id(id)) {
      $0.text(0)
    }
  }

  /// Changes the content of an account's waiting deliveries outside the inbox.
  ///
  /// - Parameter isRemoval: whether nothing is left of the content.
  static func amend(_ item: InboxItem, of account: AccountID, isRemoval: Bool, _ transaction: Transaction) throws {
    let kept = String(decoding: KeptContent(kind: item.kind, content: item.content).json, as: UTF8.self)
    for id in try waiting(from: item.source, of: account, in: transaction.database) {
      if isRemoval {
        try finish(id, of: account, .silent, reason: SilenceReason.withdrawn.rawValue, transaction)
      } else {
        try transaction.database.cachedStatement(
          sql: "UPDATE deliveries SET content = ? WHERE account_id = ? AND delivery_id = ?"
        ).execute(arguments: [kept, account, id])
      }
    }
  }

  /// Ends what waits, by whatever channel, and whose source begins so, or is the same without the slash.
  ///
  /// - Parameter kept: the sources of what goes on waiting.
  static func withdraw(
    from beginning: String, except kept: Set<String> = [], of account: AccountID, _ transaction: Transaction
  ) throws {
    let start = String(beginning.dropLast())
    var found: [ID<NotificationDelivery>] = []
    try transaction.database.each(
      """
      SELECT delivery_id, source FROM deliveries
      WHERE account_id = ? AND source >= ? AND source < ? AND state IN ('held', 'queued')
      """, .id(account), .text(start), .text(start + "0")
    ) {
      if !kept.contains($0.text(1)) { found.append(try $0.id(0)) }
      return true
    }
    for id in found {
      try finish(id, of: account, .silent, reason: SilenceReason.withdrawn.rawValue, transaction)
    }
  }

  /// How much of what waits is looked through for what was read: of more than so much, what came first is sent all the same.
  private static let maxRead = 500

  /// Ends what waits out of an account's inbox and belongs to a conversation that was read; what stands in the inbox says itself that it
  /// was.
  static func endRead(
    _ sources: SourceRange, in conversation: ID<Linked>, of account: AccountID, _ transaction: Transaction
  ) throws {
    let statement = try transaction.database.cachedStatement(
      sql: """
        SELECT delivery_id FROM (
          SELECT delivery_id, content FROM deliveries INDEXED BY deliveries_waiting
          WHERE account_id = ? AND source >= ? AND source < ? AND state IN ('held', 'queued')
          ORDER BY source DESC LIMIT \(maxRead))
        WHERE json_extract(content, '$.content.links.conversationID') = ?
        """)
    let arguments: StatementArguments = [account, sources.start, sources.end, conversation.description]
    for id in try ID<NotificationDelivery>.fetchAll(statement, arguments: arguments) {
      try finish(id, of: account, .silent, reason: SilenceReason.read.rawValue, transaction)
    }
  }

  /// Ends some of what waits out of an account's inbox and names another.
  ///
  /// - Parameters:
  ///   - last: what came later stays.
  ///   - limit: the most at once.
  /// - Returns: how many; fewer than the limit where none is left.
  static func withdraw(
    naming other: AccountID, of account: AccountID, through last: ID<NotificationDelivery> = .last, limit: Int,
    _ transaction: Transaction
  ) throws -> Int {
    let statement = try transaction.database.cachedStatement(
      sql: """
        SELECT delivery_id FROM delivery_accounts INDEXED BY delivery_accounts_by_name
        WHERE named_account = ? AND account_id = ? AND delivery_id <= ? ORDER BY delivery_id LIMIT ?
        """)
    let found = try ID<NotificationDelivery>.fetchAll(statement, arguments: [other, account, last, limit])
    for id in found {
      try finish(id, of: account, .silent, reason: SilenceReason.withdrawn.rawValue, transaction)
      // Also of one that had ended, so that the next look finds others.
      try forgetAccounts(of: id, account, transaction.database)
    }
    return found.count
  }

  /// The last of what waits out of an account's inbox and names another; nil where there is none.
  static func last(
    naming other: AccountID, of account: AccountID, in database: Database
  ) throws -> ID<NotificationDelivery>? {
    try database.first(
      """
      SELECT delivery_id FROM delivery_accounts INDEXED BY delivery_accounts_by_name
      WHERE named_account = ? AND account_id = ? ORDER BY delivery_id DESC LIMIT 1
      """, .id(other), .id(account)
    ) { try $0.id(0) }
  }

  private static func waiting(
    from source: String, of account: AccountID, in database: Database
  ) throws -> [ID<NotificationDelivery>] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT delivery_id FROM deliveries
        WHERE account_id = ? AND source = ? AND state IN ('held', 'queued') AND content IS NOT NULL
        """)
    return try ID<NotificationDelivery>.fetchAll(statement, arguments: [account, source])
  }

  /// Some of what others' deliveries keep that names an erased account, the same at each look.
  private static let named = """
    (account_id, delivery_id) IN (
      SELECT account_id, delivery_id FROM delivery_accounts WHERE named_account = :account
      ORDER BY account_id, delivery_id LIMIT :limit)
    """
  static let erasedContents = """
    UPDATE deliveries SET content = NULL, state = 'silent', reason = 'withdrawn', not_before = NULL, finished_at = :now
    WHERE \(named) AND state IN ('held', 'queued')
    """
  /// The names of other accounts in the same. They are not counted, as the statement does not begin with their table: nor are they where
  /// all is erased at once.
  static let erasedCompanions = """
    WITH found AS (
      SELECT account_id, delivery_id FROM delivery_accounts WHERE named_account = :account
      ORDER BY account_id, delivery_id LIMIT :limit)
    DELETE FROM delivery_accounts
    WHERE (account_id, delivery_id) IN (SELECT account_id, delivery_id FROM found) AND named_account <> :account
    """
  static let erasedNames = "DELETE FROM delivery_accounts WHERE \(named)"
}
