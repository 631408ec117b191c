import ActivityContract
import GRDB
import Operations
import RewardsContract
import Storage

/// The counted days of each account, and the steps it carries over.
enum CoinStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "earnings") { database in
      try database.execute(
        sql: """
          CREATE TABLE earnings (
            account_id BLOB NOT NULL PRIMARY KEY CHECK (length(account_id) = 16),
            carried_steps INTEGER NOT NULL,
            -- how many transfers were made of it: part of their references
            transfer_count INTEGER NOT NULL CHECK (transfer_count >= 0)
          ) STRICT, WITHOUT ROWID;
          CREATE TABLE counted_days (
            account_id BLOB NOT NULL REFERENCES earnings,
            day INTEGER NOT NULL,
            steps INTEGER NOT NULL CHECK (steps >= 0),
            -- the state of the day that was counted; older ones come too late
            revision INTEGER NOT NULL,
            PRIMARY KEY (account_id, day)
          ) STRICT, WITHOUT ROWID;
          """)
    }
  }

  /// Keeps a counted day when its account is erased, as the cause of the transfers that refer to it: it refers to the person's ledger
  /// account, and takes that account's random id.
  static func causeMigration(_ number: Int) -> Migration {
    Migration(number, "counted days as causes of transfers") { database in
      try database.execute(
        sql: """
          INSERT INTO ledger_accounts (kind, account_id)
            SELECT DISTINCT 'person', account_id FROM counted_days
            WHERE account_id NOT IN (SELECT account_id FROM ledger_accounts WHERE account_id IS NOT NULL);
          CREATE TABLE days_counted (
            account_id BLOB NOT NULL REFERENCES ledger_accounts (account_id) ON UPDATE CASCADE,
            day INTEGER NOT NULL,
            steps INTEGER NOT NULL CHECK (steps >= 0),
            -- the state of the day that was counted; older ones come too late
            revision INTEGER NOT NULL,
            PRIMARY KEY (account_id, day)
          ) STRICT, WITHOUT ROWID;
          INSERT INTO days_counted SELECT account_id, day, steps, revision FROM counted_days;
          DROP TABLE counted_days;
          ALTER TABLE days_counted RENAME TO counted_days;
          -- No longer part of references.
          ALTER TABLE earnings DROP COLUMN transfer_count;
          """)
    }
  }

  /// Counts an account's days as they stand now, moves the resulting coins, and publishes them.
  ///
  /// Days are counted by their state, never by increments: repeated and outdated events change nothing. Each day that changes has its own
  /// transfer. Carried steps belong to no day: a coin belongs to the day whose steps completed it, and a coin that a correction takes back
  /// to the day that was corrected.
  static func count(
    _ event: MovementDaysChanged, by formula: CoinFormula, expiry: CoinExpiry, _ transaction: Transaction
  ) throws {
    let event = event.earning(by: formula)
    guard let days = event.allDays else { return }
    let (account, database) = (event.accountID, transaction.database)
    var transfers = try DayTransfers(of: account, for: days, expiry: expiry, transaction)
    var stepBalance: StepBalance?
    var counted = try CountedDayStore.read(days, of: account, from: "counted_days", in: database)
    for day in event.days {
      let change = try count(day, instead: &counted[day.day], of: account, by: formula, in: database)
      guard change != 0 else { continue }
      var carrying = try stepBalance ?? StepBalance(carriedSteps: carriedSteps(of: account, in: database))
      let coins = carrying.take(change, balance: try transfers.balance(), stepsPerCoin: formula.stepsPerCoin)
      stepBalance = carrying
      try transfers.move(coins, for: day.day, reference: "steps/\(transfers.person.id)/\(day.day)/\(day.revision)")
    }
    if let stepBalance { try carry(stepBalance.carriedSteps, of: account, in: database) }
    try LeaderboardStore.count(event, days, transfers.scores, database)
  }

  /// The steps that an account carries over.
  static func carriedSteps(of account: AccountID, in database: Database) throws -> Int {
    try database.first("SELECT carried_steps FROM earnings WHERE account_id = ?", .id(account)) { $0.number(0) } ?? 0
  }

  private static func carry(_ steps: Int, of account: AccountID, in database: Database) throws {
    try database.run(
      """
      INSERT INTO earnings (account_id, carried_steps) VALUES (?, ?)
      ON CONFLICT (account_id) DO UPDATE SET carried_steps = excluded.carried_steps
      """, .id(account), .number(steps))
  }

  /// Counts a day unless a newer state of it was already counted.
  ///
  /// - Returns: by how much its counted steps changed.
  private static func count(
    _ day: MovementDaysChanged.Day, instead counted: inout CountedDay?, of account: AccountID, by formula: CoinFormula,
    in database: Database
  ) throws -> Int {
    if let counted, counted.revision >= day.revision { return 0 }
    let steps = formula.counted(day.earningSteps)
    try database.run(
      """
      INSERT INTO counted_days (account_id, day, steps, revision) VALUES (?, ?, ?, ?)
      ON CONFLICT (account_id, day) DO UPDATE SET steps = excluded.steps, revision = excluded.revision
      """, .id(account), .day(day.day), .number(steps), .number(day.revision))
    defer { counted = CountedDay(steps: steps, revision: day.revision) }
    return steps - (counted?.steps ?? 0)
  }
}

extension MovementDaysChanged {
  /// Only the days whose steps arrived in time to earn coins.
  func earning(by formula: CoinFormula) -> MovementDaysChanged {
    var event = self
    event.days.removeAll { !formula.earns($0.day, recordedOn: recordedDay) }
    return event
  }

  /// The range of its days; nil where it has none.
  var allDays: ClosedRange<LocalDay>? {
    guard let first = days.lazy.map(\.day).min(), let last = days.lazy.map(\.day).max() else { return nil }
    return first...last
  }
}
