import GRDB
import IdentityContract
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// Marks the ids of summaries.
enum WeeklySummaryMark {}

/// The next week to summarise for each account, and its last summary, for the mail.
///
/// `due_at` is when the account is next due; 0 where it is not known yet.
enum WeeklySummaryStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "weekly summaries") { database in
      try database.execute(
        sql: """
          CREATE TABLE weekly_summaries (
            account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
            -- The Monday of the week that is summarized next; NULL for the current one.
            first_day INTEGER,
            due_at INTEGER NOT NULL,
            -- How often services that are asked did not answer.
            attempts INTEGER NOT NULL DEFAULT 0,
            -- The last that was written.
            summary_id BLOB CHECK (length(summary_id) = 16),
            summary TEXT CHECK (summary IS NULL OR json_valid(summary)),
            CHECK ((summary_id IS NULL) = (summary IS NULL))
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX weekly_summaries_due ON weekly_summaries (due_at);
          INSERT INTO weekly_summaries (account_id, due_at) SELECT account_id, 0 FROM accounts;
          """)
    }
  }

  /// An account whose week is over.
  struct Job: Sendable {
    let account: AccountID
    /// As it stands in the table, by which it is known whether another was faster.
    let firstDay: LocalDay
    /// The week that is summarized.
    let week: LocalDay
    let attempts: Int
    let from: Instant
    let until: Instant
  }

  /// Begins with an account that is known now.
  static func follow(_ account: AccountID, _ zones: TimeZones, _ transaction: Transaction) throws {
    try transaction.database.run(
      "INSERT INTO weekly_summaries (account_id, due_at) VALUES (?, 0) ON CONFLICT DO NOTHING", .id(account))
    guard transaction.database.changesCount > 0 else { return }
    _ = try check(of: account, nil, attempts: 0, zones, transaction)
  }

  /// Lets an account be checked, for its week may end at another time than before.
  static func recheck(of account: AccountID, _ transaction: Transaction) throws {
    try transaction.database.run("UPDATE weekly_summaries SET due_at = 0 WHERE account_id = ? AND attempts = 0", .id(account))
  }

  static func nextDue(in database: Database) throws -> Instant? {
    try Instant.fetchOne(database.cachedStatement(sql: "SELECT min(due_at) FROM weekly_summaries"))
  }

  /// The first due accounts; those whose week is not over are postponed.
  ///
  /// - Returns: the number of rows read, and the accounts whose week is over.
  static func due(limit: Int, _ zones: TimeZones, _ transaction: Transaction) throws -> (count: Int, jobs: [Job]) {
    let rows = try Row.fetchAll(
      transaction.database.cachedStatement(
        sql: "SELECT account_id, first_day, attempts FROM weekly_summaries WHERE due_at <= ? ORDER BY due_at LIMIT ?"),
      arguments: [transaction.now, limit])
    return (
      rows.count,
      try rows.compactMap { try check(of: $0["account_id"], $0["first_day"], attempts: $0["attempts"], zones, transaction) }
    )
  }

  private static func check(
    of account: AccountID, _ firstDay: LocalDay?, attempts: Int, _ zones: TimeZones, _ transaction: Transaction
  ) throws -> Job? {
    let (database, now) = (transaction.database, transaction.now)
    guard let known = try Accounts.find(account, in: database) else {
      try database.run("DELETE FROM weekly_summaries WHERE account_id = ?", .id(account))
      return nil
    }
    let calendar = LocalCalendar(zones.offsets(known.timeZone.description), dayStartHour: known.dayStartHour)
    let today = calendar.day(of: now)
    let next = firstDay ?? WeeklySummaryRules.monday(of: today)
    let due = WeeklySummaryRules.due(next, calendar)
    guard due <= now else {
      try put(account, next, until: due, transaction)
      return nil
    }
    let week = WeeklySummaryRules.week(dueFrom: next, today: today)
    let weekDue = WeeklySummaryRules.due(week, calendar)
    // Of several that were missed the last one may not be due yet.
    guard weekDue <= now else {
      try put(account, week, until: weekDue, transaction)
      return nil
    }
    if known.isSuspended(at: now) {
      let after = week.advanced(by: 7)
      try put(account, after, until: WeeklySummaryRules.due(after, calendar), transaction)
      return nil
    }
    return Job(
      account: account, firstDay: next, week: week, attempts: attempts, from: calendar.end(of: week.advanced(by: -1)),
      until: calendar.end(of: week.advanced(by: 6)))
  }

  private static func put(
    _ account: AccountID, _ firstDay: LocalDay, until due: Instant, _ transaction: Transaction
  ) throws {
    // What clocks that change make of it is seen when it is checked.
    try transaction.database.run(
      "UPDATE weekly_summaries SET first_day = ?, due_at = ?, attempts = 0 WHERE account_id = ?", .day(firstDay),
      .instant(max(due, transaction.now.adding(seconds: 60))), .id(account))
  }

  /// Lets an account wait for services that did not answer.
  static func wait(_ job: Job, until instant: Instant, _ transaction: Transaction) throws {
    try transaction.database.run(
      "UPDATE weekly_summaries SET first_day = ?2, due_at = ?3, attempts = ?4 WHERE account_id = ?1 AND ifnull(first_day, ?2) = ?2",
      .id(job.account), .day(job.firstDay), .instant(instant), .number(job.attempts + 1))
  }

  /// Notes that an account's summary was sent, so that the next one is due at the end of the next week.
  ///
  /// - Returns: the summary's id; nil where it was sent already.
  static func advance(
    _ job: Job, _ summary: WeeklySummary, _ transaction: Transaction
  ) throws -> ID<WeeklySummaryMark>? {
    let id = ID<WeeklySummaryMark>()
    try transaction.database.run(
      """
      UPDATE weekly_summaries SET first_day = ?3, due_at = 0, attempts = 0, summary_id = ?4, summary = ?5
      WHERE account_id = ?1 AND ifnull(first_day, ?2) = ?2
      """, .id(job.account), .day(job.firstDay), .day(job.week.advanced(by: 7)), .id(id),
      .text(String(decoding: summary.json, as: UTF8.self)))
    return transaction.database.changesCount > 0 ? id : nil
  }

  /// The last summary of an account, if it is that one still.
  static func find(
    _ id: ID<WeeklySummaryMark>, of account: AccountID, in database: Database
  ) throws -> WeeklySummary? {
    let text: String? = try database.first(
      "SELECT summary FROM weekly_summaries WHERE account_id = ? AND summary_id = ?", .id(account), .id(id)
    ) { $0.text(0) }
    return try text.map { try .decode(Array($0.utf8)) }
  }
}
