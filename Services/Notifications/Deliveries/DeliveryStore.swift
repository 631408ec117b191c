public import GRDB
public import NotificationsContract
import Operations
import ServiceKit
import Storage

extension DeliveryState: DatabaseValueConvertible {}
extension SilenceReason: DatabaseValueConvertible {}
extension HoldReason: DatabaseValueConvertible {}

/// The delivery log, one row for each notification and channel, from which held deliveries are released (NOT-5).
///
/// A row of the inbox has the id of its notification. The content is in the inbox only; where the inbox is switched off, it is here until
/// the delivery ends.
enum DeliveryStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "deliveries") { database in
      try database.execute(
        sql: """
          CREATE TABLE deliveries (
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            delivery_id BLOB NOT NULL CHECK (length(delivery_id) = 16),
            channel TEXT NOT NULL CHECK (channel IN ('inbox', 'email', 'push')),
            kind TEXT NOT NULL,
            source TEXT NOT NULL,
            subject_id BLOB NOT NULL CHECK (length(subject_id) = 16),
            notification_id BLOB,
            state TEXT NOT NULL CHECK (state IN ('held', 'queued', 'sent', 'failed', 'silent')),
            -- Why it is held, failed or silent.
            reason TEXT,
            -- Why it was held, if it was.
            hold TEXT,
            not_before INTEGER,
            -- The mail that carries it, perhaps with others.
            mail_id BLOB,
            -- What it says, where that stands in no inbox.
            content TEXT CHECK (content IS NULL OR json_valid(content)),
            created_at INTEGER NOT NULL,
            finished_at INTEGER,
            opened_at INTEGER,
            PRIMARY KEY (account_id, delivery_id),
            CHECK ((state = 'held') = (not_before IS NOT NULL)),
            CHECK ((state IN ('held', 'queued')) = (finished_at IS NULL)),
            CHECK (content IS NULL OR finished_at IS NULL)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX deliveries_due ON deliveries (not_before) WHERE state = 'held';
          CREATE INDEX deliveries_held ON deliveries (account_id, channel, not_before) WHERE state = 'held';
          CREATE INDEX deliveries_queued ON deliveries (channel, kind) WHERE state = 'queued';
          CREATE INDEX deliveries_by_mail ON deliveries (mail_id) WHERE mail_id IS NOT NULL;
          CREATE INDEX deliveries_by_content ON deliveries (account_id, source) WHERE content IS NOT NULL;
          CREATE INDEX deliveries_by_time ON deliveries (created_at);
          CREATE UNIQUE INDEX deliveries_out_of_inbox ON deliveries (account_id, source)
            WHERE channel = 'inbox' AND state = 'silent';
          CREATE TABLE delivery_accounts (
            account_id BLOB NOT NULL,
            delivery_id BLOB NOT NULL,
            named_account BLOB NOT NULL CHECK (length(named_account) = 16),
            PRIMARY KEY (account_id, delivery_id, named_account),
            FOREIGN KEY (account_id, delivery_id) REFERENCES deliveries (account_id, delivery_id) ON DELETE CASCADE
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX delivery_accounts_by_name ON delivery_accounts (named_account);
          CREATE TABLE delivery_figures (
            -- When a day of UTC starts.
            day INTEGER NOT NULL,
            channel TEXT NOT NULL,
            kind TEXT NOT NULL,
            outcome TEXT NOT NULL,
            reason TEXT NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (day, channel, kind, outcome, reason)
          ) STRICT, WITHOUT ROWID;
          """)
    }
  }

  /// What waits is found by where it comes from, whether it stands in the inbox too or not.
  static func waitingMigration(_ number: Int) -> Migration {
    Migration(number, "waiting deliveries by source") { database in
      try database.execute(
        sql: """
          DROP INDEX deliveries_by_content;
          CREATE INDEX deliveries_waiting ON deliveries (account_id, source) WHERE state IN ('held', 'queued');
          """)
    }
  }

  static func endsMigration(_ number: Int) -> Migration {
    Migration(number, "ends of news, and where they were opened") { database in
      try database.execute(
        sql: """
          -- When it becomes useless, and is neither mailed nor pushed any more; NULL for most.
          ALTER TABLE deliveries ADD COLUMN ends_at INTEGER;
          -- The session in which a push was first opened, whose device no longer shows it.
          ALTER TABLE deliveries ADD COLUMN opened_in BLOB CHECK (length(opened_in) = 16);
          """)
    }
  }

  /// Where a new row begins.
  enum Beginning: Hashable, Sendable {
    case sent
    case queued
    case held(until: Instant, HoldReason)
    case silent(SilenceReason)

    fileprivate var state: DeliveryState {
      switch self {
      case .sent: .sent
      case .queued: .queued
      case .held: .held
      case .silent: .silent
      }
    }
  }

  /// Notes a delivery; false where it is known already, which happens only with the inbox.
  ///
  /// - Parameter item: the content, if it is in no inbox and still needed.
  @discardableResult
  static func add(
    _ delivery: Delivery, _ beginning: Beginning, keeping item: InboxItem? = nil, _ transaction: Transaction
  ) throws -> Bool {
    var (reason, hold, notBefore, finishedAt): (String?, HoldReason?, Instant?, Instant?) = (nil, nil, nil, nil)
    switch beginning {
    case .sent: finishedAt = transaction.now
    case .queued: break
    case .held(let until, let why): (reason, hold, notBefore) = (why.rawValue, why, until)
    case .silent(let why): (reason, finishedAt) = (why.rawValue, transaction.now)
    }
    let content = item.map { String(decoding: KeptContent(kind: $0.kind, content: $0.content).json, as: UTF8.self) }
    try transaction.database.run(
      """
      INSERT INTO deliveries (account_id, delivery_id, channel, kind, source, subject_id, notification_id, state, reason, hold,
        not_before, content, created_at, finished_at, ends_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
      """, .id(delivery.account), .id(delivery.id), .text(delivery.channel.rawValue), .text(delivery.kind),
      .text(delivery.source), .id(delivery.subject), delivery.notification.map { .id($0) } ?? .null,
      .text(beginning.state.rawValue), .text(reason), .text(hold?.rawValue), notBefore.map { .instant($0) } ?? .null,
      .text(content), .instant(delivery.createdAt), finishedAt.map { .instant($0) } ?? .null,
      delivery.endsAt.map { .instant($0) } ?? .null)
    guard transaction.database.changesCount > 0 else { return false }
    for named in item?.accounts ?? [] {
      try transaction.database.cachedStatement(
        sql: "INSERT INTO delivery_accounts (account_id, delivery_id, named_account) VALUES (?, ?, ?)"
      ).execute(arguments: [delivery.account, delivery.id, named])
    }
    if beginning != .queued {
      try count(delivery.channel, delivery.kind, beginning.state.rawValue, reason: reason, transaction)
    }
    return true
  }

  /// Ends a held or queued delivery; one that has ended stays unchanged.
  ///
  /// - Parameters:
  ///   - end: `sent`, `failed` or `silent`.
  ///   - reason: why it was not sent: a ``SilenceReason``, or the name of a failure.
  static func finish(
    _ id: ID<NotificationDelivery>, of account: AccountID, _ end: DeliveryState, reason: String? = nil,
    _ transaction: Transaction
  ) throws {
    let database = transaction.database
    let statement = try database.cachedStatement(
      sql: """
        UPDATE deliveries SET state = ?, reason = ?, finished_at = ?, not_before = NULL, content = NULL
        WHERE account_id = ? AND delivery_id = ? AND state IN ('held', 'queued') RETURNING channel, kind
        """)
    guard let row = try Row.fetchOne(statement, arguments: [end, reason, transaction.now, account, id]) else { return }
    try forgetAccounts(of: id, account, database)
    try count(row["channel"], row["kind"], end.rawValue, reason: reason, transaction)
  }

  /// Notes that a delivery goes on its way now.
  static func queue(_ delivery: Delivery, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: """
        UPDATE deliveries SET state = 'queued', reason = NULL, not_before = NULL
        WHERE account_id = ? AND delivery_id = ? AND state = 'held'
        """
    ).execute(arguments: [delivery.account, delivery.id])
  }

  /// Holds a delivery longer, or again.
  static func hold(_ delivery: Delivery, until: Instant, _ reason: HoldReason, _ transaction: Transaction) throws {
    try transaction.database.cachedStatement(
      sql: """
        UPDATE deliveries SET not_before = ?, reason = ?, hold = ? WHERE account_id = ? AND delivery_id = ? AND state = 'held'
        """
    ).execute(arguments: [until, reason, reason, delivery.account, delivery.id])
  }

  /// Makes some of what an account's quiet hours hold be checked again, as the hours or the account's time zone changed; not what waits for
  /// their present end, as what was checked already does.
  ///
  /// - Parameters:
  ///   - end: when the quiet hours that last now end; nil outside.
  ///   - limit: the most at once.
  /// - Returns: how many; fewer than the limit where none is left.
  static func reconsider(
    _ account: AccountID, quietUntil end: Instant?, limit: Int, _ transaction: Transaction
  ) throws -> Int {
    let (database, now) = (transaction.database, transaction.now)
    // Before the present end, and after it.
    let bounds = [now.milliseconds] + (end.map { [$0.milliseconds] } ?? []) + [Int64.max]
    var count = 0
    for channel in [NotificationChannel.email, .push] {
      for (after, before) in zip(bounds, bounds.dropFirst()) where count < limit {
        // The latest first: what waits for a moment only, in which it may be read, is passed over at the end alone.
        try database.run(
          """
          UPDATE deliveries SET not_before = ?1 WHERE account_id = ?2 AND delivery_id IN (
            SELECT delivery_id FROM deliveries INDEXED BY deliveries_held
            WHERE account_id = ?2 AND channel = ?3 AND state = 'held' AND not_before > ?4 AND not_before < ?5
              AND reason = 'quiet_hours'
            ORDER BY not_before DESC LIMIT ?6)
          """, .instant(now), .id(account), .text(channel.rawValue), .integer(after), .integer(before), .number(limit - count))
        count += database.changesCount
      }
    }
    return count
  }

  /// Notes that a push was opened, which also marks the notification as read. Other devices still show it.
  ///
  /// - Parameter session: the session in which it was opened; nil for none.
  static func open(
    _ id: ID<NotificationDelivery>, of account: AccountID, in session: SessionID?, _ transaction: Transaction
  ) throws {
    let database = transaction.database
    let statement = try database.cachedStatement(
      sql: """
        UPDATE deliveries SET opened_at = ?, opened_in = ?
        WHERE account_id = ? AND delivery_id = ? AND channel = 'push' AND opened_at IS NULL
        RETURNING kind, notification_id
        """)
    guard let row = try Row.fetchOne(statement, arguments: [transaction.now, session, account, id]) else { return }
    try count(.push, row["kind"], "opened", reason: nil, transaction)
    if let notification: ID<NotificationsContract.Notification> = row["notification_id"] {
      _ = try InboxStore.markRead(notification, of: account, transaction)
    }
  }

  static func forgetAccounts(
    of id: ID<NotificationDelivery>, _ account: AccountID, _ database: Database
  ) throws {
    try database.cachedStatement(sql: "DELETE FROM delivery_accounts WHERE account_id = ? AND delivery_id = ?")
      .execute(arguments: [account, id])
  }

  /// Adds to the figures of today, or of the day of an instant.
  static func count(
    _ channel: NotificationChannel, _ kind: String, _ outcome: String, reason: String?, by more: Int = 1,
    at instant: Instant? = nil, _ transaction: Transaction
  ) throws {
    guard more > 0 else { return }
    try transaction.database.cachedStatement(
      sql: """
        INSERT INTO delivery_figures (day, channel, kind, outcome, reason, count) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (day, channel, kind, outcome, reason) DO UPDATE SET count = count + excluded.count
        """
    ).execute(arguments: [
      day(of: instant ?? transaction.now), channel, NotificationKind.presentName(of: kind), outcome, reason ?? "", more,
    ])
  }

  /// When the day of UTC starts that holds an instant.
  static func day(of instant: Instant) -> Instant {
    Instant(milliseconds: instant.milliseconds - instant.milliseconds % 86_400_000)
  }
}
