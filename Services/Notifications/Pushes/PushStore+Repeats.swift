import GRDB
import NotificationsContract
import Operations
import Storage

/// Replacements of sent pushes, under the same topic: a push service drops the waiting one, and a device shows the replacement in its
/// place.
extension PushStore {
  static func repeatsMigration(_ number: Int) -> Migration {
    Migration(number, "pushes in place of others") { database in
      try database.execute(
        sql: """
          -- Until when a push sent by itself may be shown or still arrive; NULL once it was opened or replaced.
          ALTER TABLE deliveries ADD COLUMN shown_until INTEGER;
          CREATE INDEX deliveries_shown ON deliveries (account_id, source) WHERE shown_until IS NOT NULL;
          -- Whether it replaces a push that was sent, whose delivery has ended.
          ALTER TABLE push_messages ADD COLUMN is_repeat INTEGER NOT NULL DEFAULT 0 CHECK (is_repeat IN (0, 1));
          """)
    }
  }

  /// Notes that devices may show what was pushed, in place of what was pushed before under the same topic.
  static func noteShown(
    _ delivery: ID<NotificationDelivery>, of account: AccountID, until end: Instant, _ transaction: Transaction
  ) throws {
    let database = transaction.database
    // One that was taken back while it was on its way is replaced already.
    let source: String? = try database.first(
      """
      UPDATE deliveries SET shown_until = ? WHERE account_id = ? AND delivery_id = ? AND state = 'sent' RETURNING source
      """, .instant(end), .id(account), .id(delivery)
    ) { $0.text(0) }
    guard let source, let relatives = PushRules.relatives(of: source) else { return }
    for older in try shown(relatives, of: account, in: database)
    where older.delivery != delivery && PushRules.subject(older.source) == PushRules.subject(source) {
      try forgetShown(older.delivery, of: account, transaction)
    }
  }

  private static func forgetShown(
    _ delivery: ID<NotificationDelivery>, of account: AccountID, _ transaction: Transaction
  ) throws {
    try transaction.database.run(
      "UPDATE deliveries SET shown_until = NULL WHERE account_id = ? AND delivery_id = ?", .id(account), .id(delivery))
  }

  // MARK: - Replacing

  /// A push that devices may show.
  private struct Shown {
    let delivery: ID<NotificationDelivery>
    let kind: String
    let source: String
    /// Until when; nil while some are yet to get it.
    let until: Instant?
    /// The devices that may show it.
    let devices: [ID<PushSubscription>]
    /// Its message, where one device has it and others are yet to get it.
    var message: ID<PushMessage>?
    /// Whether it is at a push service just now.
    var isBeingSent = false
  }

  /// Queues replacements of pushes that devices may show, even while others have yet to get them: one for each topic, and none where one
  /// waits already, or something newer of the topic is on its way.
  ///
  /// - Returns: whether anything was queued.
  static func replace(
    _ sources: SourceRange, of account: AccountID, by what: DeliveryReplacement, _ transaction: Transaction
  ) throws -> Bool {
    let (database, now) = (transaction.database, transaction.now)
    let settled = try shown(sources, of: account, in: database).filter { $0.until.map { now < $0 } ?? false }
    let found = try settled + onTheirWay(sources, of: account, by: what, in: database)
    guard !found.isEmpty else { return false }
    var isQueued = false
    for (subject, pushes) in Dictionary(grouping: found, by: { PushRules.subject($0.source) }) {
      guard let newest = pushes.max(by: { $0.delivery < $1.delivery }) else { continue }
      if try !isReplaced(newest, subject, beside: sources, of: account, in: database) {
        var devices = Set(pushes.flatMap(\.devices))
        if case .ended(let answered?) = what { devices.remove(answered) }
        // Two seconds after a push that is just being sent.
        let first = pushes.contains(where: \.isBeingSent) ? now.adding(seconds: 2) : now
        if try queue(newest, to: devices, of: account, from: first, transaction) { isQueued = true }
      }
      guard case .ended = what else { continue }
      for push in pushes { try end(push, of: account, transaction) }
    }
    return isQueued
  }

  /// What devices may show of what was pushed alone, whenever it was.
  private static func shown(
    _ sources: SourceRange, of account: AccountID, in database: Database
  ) throws -> [Shown] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT delivery_id, kind, source, shown_until, finished_at, opened_in FROM deliveries INDEXED BY deliveries_shown
        WHERE account_id = ? AND source >= ? AND source < ? AND shown_until IS NOT NULL
        """)
    return try Row.fetchAll(statement, arguments: [account, sources.start, sources.end]).map { row in
      // A device that subscribed later does not show it, nor does the one on which it was opened.
      let devices = try database.cachedStatement(
        sql: """
          SELECT subscription_id FROM push_subscriptions
          WHERE account_id = ? AND created_at <= ? AND session_id IS NOT ?
          """)
      let (since, opened): (Instant, SessionID?) = (row["finished_at"], row["opened_in"])
      return Shown(
        delivery: row["delivery_id"], kind: row["kind"], source: row["source"], until: row["shown_until"],
        devices: try ID<PushSubscription>.fetchAll(devices, arguments: [account, since, opened]))
    }
  }

  /// What was pushed alone to some devices, or is just being, and waits for others. Those may show it with which nothing waits, and, unless
  /// they get what it says now, those with which it was cut off.
  private static func onTheirWay(
    _ sources: SourceRange, of account: AccountID, by what: DeliveryReplacement, in database: Database
  ) throws -> [Shown] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT m.message_id, m.source, m.created_at, m.was_sent, m.failure, c.delivery_id, d.kind,
          EXISTS (SELECT 1 FROM push_requests r WHERE r.message_id = m.message_id AND r.state = 'sending') AS is_being_sent
        FROM push_messages m JOIN push_message_deliveries c ON c.message_id = m.message_id
          JOIN deliveries d ON d.account_id = m.account_id AND d.delivery_id = c.delivery_id
        WHERE m.account_id = ? AND m.source >= ? AND m.source < ? AND m.is_repeat = 0 AND d.state = 'queued'
          AND (m.was_sent = 1 OR EXISTS (SELECT 1 FROM push_requests r WHERE r.message_id = m.message_id AND r.attempts > 0))
        """)
    return try Row.fetchAll(statement, arguments: [account, sources.start, sources.end]).map { row in
      let tried = try database.cachedStatement(
        sql: """
          SELECT subscription_id FROM push_subscriptions s WHERE account_id = ?1 AND created_at <= ?3 AND NOT EXISTS (
            SELECT 1 FROM push_requests r
            WHERE r.message_id = ?2 AND r.subscription_id = s.subscription_id AND r.state = 'waiting' AND (r.attempts = 0 OR ?4))
          """)
      let (message, created, wasSent): (ID<PushMessage>, Instant, Bool) = (
        row["message_id"], row["created_at"], row["was_sent"]
      )
      let comesAnyway = what == .present || row["failure"] != nil
      return Shown(
        delivery: row["delivery_id"], kind: row["kind"], source: row["source"], until: nil,
        devices: try ID<PushSubscription>.fetchAll(tried, arguments: [account, message, created, comesAnyway]),
        message: wasSent ? message : nil, isBeingSent: row["is_being_sent"])
    }
  }

  /// Whether something waits that takes a push's place: a replacement, or something newer of the same topic.
  private static func isReplaced(
    _ push: Shown, _ subject: String, beside sources: SourceRange, of account: AccountID, in database: Database
  ) throws -> Bool {
    let like = PushRules.relatives(of: push.source) ?? SourceRange(only: push.source)
    let statement = try database.cachedStatement(
      sql: """
        SELECT m.source, m.is_repeat, c.delivery_id FROM push_messages m
          JOIN push_message_deliveries c ON c.message_id = m.message_id
          JOIN deliveries d ON d.account_id = m.account_id AND d.delivery_id = c.delivery_id
        WHERE m.account_id = ? AND m.source >= ? AND m.source < ?
          AND (m.is_repeat = 0 AND d.state = 'queued' OR m.is_repeat = 1
            AND NOT EXISTS (SELECT 1 FROM push_requests r WHERE r.message_id = m.message_id AND r.state = 'sending'))
        """)
    return try Row.fetchAll(statement, arguments: [account, like.start, like.end]).contains { row in
      let (source, isRepeat, delivery): (String, Bool, ID<NotificationDelivery>) = (
        row["source"], row["is_repeat"], row["delivery_id"]
      )
      guard PushRules.subject(source) == subject else { return false }
      return isRepeat || !sources.contains(source) && push.delivery < delivery
    }
  }

  private static func queue(
    _ push: Shown, to devices: Set<ID<PushSubscription>>, of account: AccountID, from first: Instant,
    _ transaction: Transaction
  ) throws -> Bool {
    let (database, now) = (transaction.database, transaction.now)
    guard !devices.isEmpty, let spec = NotificationSpec.named(push.kind) else { return false }
    let message = ID<PushMessage>()
    try database.run(
      """
      INSERT INTO push_messages (message_id, account_id, source, urgency, created_at, expires_at, is_repeat)
      VALUES (?, ?, ?, ?, ?, ?, 1)
      """, .id(message), .id(account), .text(push.source), .text(NotificationUrgency.normal.rawValue), .instant(now),
      .instant(now.adding(seconds: PushRules.secondsToLive(spec))))
    try database.run(
      "INSERT INTO push_message_deliveries (message_id, delivery_id) VALUES (?, ?)", .id(message), .id(push.delivery))
    for device in devices { try addRequest(of: message, to: device, from: first, transaction) }
    // More urgent ones may have all places.
    try settle(message, otherwise: .displaced, transaction)
    return true
  }

  /// Ends waiting replacements, where something newer of their topic goes to every device.
  static func endRepeats(before source: String, of account: AccountID, _ transaction: Transaction) throws {
    for message in try repeats(like: source, of: account, in: transaction.database) {
      try transaction.database.run("DELETE FROM push_requests WHERE message_id = ? AND state = 'waiting'", .id(message))
      try settle(message, otherwise: .withdrawn, transaction)
    }
  }

  /// The replacements of pushes of the same topic, where others can be of it.
  static func repeats(like source: String, of account: AccountID, in database: Database) throws -> [ID<PushMessage>] {
    guard let relatives = PushRules.relatives(of: source) else { return [] }
    let statement = try database.cachedStatement(
      sql: "SELECT message_id, source FROM push_messages WHERE account_id = ? AND source >= ? AND source < ? AND is_repeat = 1")
    return try Row.fetchAll(statement, arguments: [account, relatives.start, relatives.end])
      .filter { PushRules.subject($0["source"]) == PushRules.subject(source) }.map { $0["message_id"] }
  }

  /// Ends a push after its last replacement: devices that have not got it yet do not get it.
  private static func end(_ push: Shown, of account: AccountID, _ transaction: Transaction) throws {
    if let message = push.message {
      try transaction.database.run(
        "DELETE FROM push_requests WHERE message_id = ? AND state = 'waiting'", .id(message))
      try settle(message, otherwise: .withdrawn, transaction)
    }
    try forgetShown(push.delivery, of: account, transaction)
  }
}
