import ActivityContract
import GRDB
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// The reminders that went out and can be answered, each once.
enum ReminderStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "reminders") { database in
      try database.execute(
        sql: """
          CREATE TABLE reminders (
            reminder_id BLOB NOT NULL PRIMARY KEY CHECK (length(reminder_id) = 16),
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            activity_id BLOB NOT NULL CHECK (length(activity_id) = 16),
            title TEXT NOT NULL,
            day INTEGER NOT NULL,
            minute INTEGER NOT NULL CHECK (minute BETWEEN 0 AND 1439),
            -- what it is of: the same is sent once
            source TEXT NOT NULL,
            -- until when it can be answered
            ends_at INTEGER NOT NULL,
            answer TEXT CHECK (answer IN ('done', 'again')),
            remind_at INTEGER,
            UNIQUE (account_id, source)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX reminders_by_activity ON reminders (account_id, activity_id, day);
          CREATE INDEX reminders_by_end ON reminders (ends_at);
          """)
    }
  }

  /// One that went out.
  struct Sent: Hashable, Sendable {
    let id: ID<Reminder>
    let account: AccountID
    let activity: ActivityID
    let title: String
    let day: LocalDay
    let time: ReminderTime
    let endsAt: Instant
    var answer: ReminderReply?
    var remindAt: Instant?

    fileprivate static let columns = """
      reminders.reminder_id, reminders.account_id, reminders.activity_id, reminders.title, reminders.day, reminders.minute,
      reminders.ends_at, reminders.answer, reminders.remind_at
      """

    /// The row's ``columns``.
    fileprivate init(_ row: Columns) throws {
      guard let time = ReminderTime(minutes: row.number(5)) else {
        throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a reminder is of no time of day")
      }
      self.time = time
      id = try row.id(0)
      account = try row.id(1)
      activity = try row.id(2)
      title = row.text(3)
      day = row.day(4)
      endsAt = row.instant(6)
      answer = row.isNull(7) ? nil : try row.choice(7)
      remindAt = row.isNull(8) ? nil : row.instant(8)
    }
  }

  /// Stores a reminder; false where it is stored already.
  static func add(_ event: ReminderDue, _ transaction: Transaction) throws -> Bool {
    try transaction.database.run(
      """
      INSERT INTO reminders (reminder_id, account_id, activity_id, title, day, minute, source, ends_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
      """, .id(event.reminderID), .id(event.accountID), .id(event.activityID), .text(event.title), .day(event.day),
      .number(event.time.minutes), .text(event.source), .instant(event.endsAt))
    return transaction.database.changesCount > 0
  }

  /// Whether the same went out before.
  static func isKnown(_ event: ReminderDue, in database: Database) throws -> Bool {
    let known = "SELECT 1 FROM reminders WHERE account_id = ? AND source = ?"
    return try database.first(known, .id(event.accountID), .text(event.source)) { _ in true } != nil
  }

  static func find(_ id: ID<Reminder>, in database: Database) throws -> Sent? {
    try database.first("SELECT \(Sent.columns) FROM reminders WHERE reminder_id = ?", .id(id), read: Sent.init)
  }

  /// The reminder of an account's notification, found in the log even if the notification has left the inbox because it was answered.
  static func find(
    shown notification: ID<NotificationsContract.Notification>, of account: AccountID, in database: Database
  ) throws -> Sent? {
    try database.first(
      """
      SELECT \(Sent.columns) FROM deliveries JOIN reminders ON reminder_id = subject_id
      WHERE deliveries.account_id = ?1 AND delivery_id = ?2 AND reminders.account_id = ?1
        AND kind IN (\(NotificationKind.list([NotificationSpec.reminderDue.name])))
      """, .id(account), .id(notification), read: Sent.init)
  }

  /// The same as long as it can be answered.
  static func open(_ subject: ID<Linked>, at now: Instant, in database: Database) throws -> Sent? {
    guard let id = ID<Reminder>(bytes: subject.bytes), let found = try find(id, in: database), found.answer == nil,
      now < found.endsAt
    else { return nil }
    return found
  }

  /// Whether a delivery is of a reminder that nobody needs any more.
  static func isOver(_ delivery: Delivery, at now: Instant, in database: Database) throws -> Bool {
    try delivery.kind == NotificationSpec.reminderDue.name && open(delivery.subject, at: now, in: database) == nil
  }

  /// Notes the answer of an open one.
  static func answer(
    _ id: ID<Reminder>, _ answer: ReminderReply, remindAt: Instant?, _ transaction: Transaction
  ) throws {
    try transaction.database.run(
      "UPDATE reminders SET answer = ?, remind_at = ? WHERE reminder_id = ? AND answer IS NULL",
      .text(answer.rawValue), remindAt.map { .instant($0) } ?? .null, .id(id))
  }

  /// Ends what went out of a day of an activity.
  static func end(_ activity: ActivityID, _ day: LocalDay, of account: AccountID, _ transaction: Transaction) throws {
    try transaction.database.run(
      """
      UPDATE reminders SET ends_at = min(ends_at, ?) WHERE account_id = ? AND activity_id = ? AND day = ? AND answer IS NULL
      """, .instant(transaction.now), .id(account), .id(activity), .day(day))
  }
}

extension NotificationSource {
  /// An account's reminders of an activity.
  ///
  /// - Parameter day: those of one day; nil for all.
  static func reminders(of activity: ActivityID, _ day: LocalDay? = nil, of account: AccountID) -> NotificationSource {
    let beginning = "\(ReminderDue.spec.originalName)/\(activity)/"
    return NotificationSource(accountID: account, text: day.map { "\(beginning)\($0)/" } ?? beginning)
  }
}

extension ReminderDue {
  /// Its subject, beginning with the activity and the day: the same if it is published again, as after a restore.
  var source: String {
    let moment = "\(activityID)/\(day)/\(time)"
    return isAgain ? "\(moment)/\(dueAt.milliseconds)" : moment
  }
}
