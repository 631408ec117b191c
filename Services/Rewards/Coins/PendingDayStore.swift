import ActivityContract
import GRDB
import Operations
import Storage

/// Days of accounts whose consent to counting their movement is not known here.
///
/// A withdrawal of consent is known to all services before identity replies to it, a consent only by its event. So movement published after
/// the last known withdrawal was recorded under a consent whose event is on its way, and waits for that event. Movement published before is
/// not counted.
enum PendingDayStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "days that wait for a consent") { database in
      try database.execute(
        sql: """
          CREATE TABLE consent_withdrawals (
            account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
            at INTEGER NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE TABLE waiting_days (
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            day INTEGER NOT NULL,
            recorded_day INTEGER NOT NULL,
            earning_steps INTEGER NOT NULL CHECK (earning_steps >= 0),
            revision INTEGER NOT NULL,
            PRIMARY KEY (account_id, day, recorded_day)
          ) STRICT, WITHOUT ROWID;
          """)
    }
  }

  /// Records that an account's consent has ended: its pending days are dropped.
  static func noteWithdrawal(of account: AccountID, _ transaction: Transaction) throws {
    let database = transaction.database
    try database.run("DELETE FROM waiting_days WHERE account_id = ?", .id(account))
    try database.run(
      """
      INSERT INTO consent_withdrawals (account_id, at) VALUES (?, ?)
      ON CONFLICT (account_id) DO UPDATE SET at = max(at, excluded.at)
      """, .id(account), .instant(transaction.now))
  }

  /// Stores pending days, unless they were published before the last withdrawal.
  static func keep(_ event: MovementDaysChanged, publishedAt at: Instant, _ transaction: Transaction) throws {
    let database = transaction.database
    let withdrawal = try database.first("SELECT at FROM consent_withdrawals WHERE account_id = ?", .id(event.accountID)) {
      $0.instant(0)
    }
    if let withdrawal, at <= withdrawal { return }
    // A consent that does not arrive within a day never will.
    try database.run(
      "DELETE FROM waiting_days WHERE account_id = ? AND recorded_day < ?", .id(event.accountID),
      .day(event.recordedDay.advanced(by: -1)))
    for day in event.days {
      try database.run(
        """
        INSERT INTO waiting_days (account_id, day, recorded_day, earning_steps, revision) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET earning_steps = excluded.earning_steps, revision = excluded.revision
        WHERE excluded.revision > revision
        """, .id(event.accountID), .day(day.day), .day(event.recordedDay), .number(day.earningSteps), .number(day.revision))
    }
  }

  /// Returns an account's pending days in the order of their states, and removes them.
  static func take(of account: AccountID, _ transaction: Transaction) throws -> [MovementDaysChanged] {
    let database = transaction.database
    var events: [MovementDaysChanged] = []
    try database.each(
      "SELECT day, recorded_day, earning_steps, revision FROM waiting_days WHERE account_id = ? ORDER BY revision", .id(account)
    ) { row in
      events.append(
        MovementDaysChanged(
          accountID: account, recordedDay: row.day(1),
          days: [.init(day: row.day(0), steps: row.number(2), earningSteps: row.number(2), revision: row.number(3))]))
      return true
    }
    if !events.isEmpty { try database.run("DELETE FROM waiting_days WHERE account_id = ?", .id(account)) }
    return events
  }
}
