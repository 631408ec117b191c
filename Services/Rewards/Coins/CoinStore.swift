import ActivityContract
import GRDB
import Operations
import RewardsContract
import Storage

/// What each account's days have counted for, and the steps it carries over.
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

  /// Counts an account's days as they stand now, moves the coins that result, and publishes them.
  ///
  /// Days are counted by their state, never by what was added: repeated and overtaken events change nothing.
  static func count(_ event: MovementChanged, by formula: CoinFormula, _ transaction: Transaction) throws {
    let account = event.accountID
    let database = transaction.database
    let earning = event.days.filter { formula.earns($0.day, recordedOn: event.recordedDay) }
    guard !earning.isEmpty else { return }
    var (purse, transferCount) = try purse(of: account, in: database)
    var change = 0
    var isChanged = false
    for day in earning {
      let difference = try count(day, of: account, by: formula, in: database)
      if difference != 0 { isChanged = true }
      change += difference
    }
    guard isChanged else { return }
    let person = try LedgerStore.person(account, in: database)
    let coins = purse.take(change, balance: person.balance, stepsPerCoin: formula.stepsPerCoin)
    if coins != 0 {
      transferCount += 1
      let reference = "steps/\(person.id)/\(transferCount)"
      let balance = person.balance + coins
      if coins > 0 {
        let id = try LedgerStore.move(
          coins, from: LedgerStore.movement, to: person.id, .earned, reference: reference, transaction)
        try transaction.publish(
          CoinsEarned(accountID: account, transferID: id, coins: coins, balance: balance, at: transaction.now))
      } else {
        let id = try LedgerStore.move(
          -coins, from: person.id, to: LedgerStore.movement, .corrected, reference: reference, transaction)
        try transaction.publish(
          CoinsCorrected(accountID: account, transferID: id, coins: -coins, balance: balance, at: transaction.now))
      }
    }
    try database.cachedStatement(
      sql: "UPDATE earnings SET carried_steps = ?, transfer_count = ? WHERE account_id = ?"
    ).execute(arguments: [purse.carriedSteps, transferCount, account])
  }

  /// The steps that an account carries over.
  static func carriedSteps(of account: AccountID, in database: Database) throws -> Int {
    try database.first("SELECT carried_steps FROM earnings WHERE account_id = ?", .id(account)) { $0.number(0) } ?? 0
  }

  private static func purse(
    of account: AccountID, in database: Database
  ) throws -> (purse: StepPurse, transferCount: Int) {
    let search = try database.cachedStatement(
      sql: "SELECT carried_steps, transfer_count FROM earnings WHERE account_id = ?")
    if let row = try Row.fetchOne(search, arguments: [account]) {
      return (StepPurse(carriedSteps: row["carried_steps"]), row["transfer_count"])
    }
    try database.cachedStatement(sql: "INSERT INTO earnings (account_id, carried_steps, transfer_count) VALUES (?, 0, 0)")
      .execute(arguments: [account])
    return (StepPurse(), 0)
  }

  /// Counts a day unless a newer state of it is counted already.
  ///
  /// - Returns: by how much its counted steps changed.
  private static func count(
    _ day: MovementChanged.Day, of account: AccountID, by formula: CoinFormula, in database: Database
  ) throws -> Int {
    let search = try database.cachedStatement(
      sql: "SELECT steps, revision FROM counted_days WHERE account_id = ? AND day = ?")
    let before = try Row.fetchOne(search, arguments: [account, day.day])
    if let before, before["revision"] as Int >= day.revision { return 0 }
    let steps = formula.counted(day.earningSteps)
    try database.cachedStatement(
      sql: """
        INSERT INTO counted_days (account_id, day, steps, revision) VALUES (?, ?, ?, ?)
        ON CONFLICT (account_id, day) DO UPDATE SET steps = excluded.steps, revision = excluded.revision
        """
    ).execute(arguments: [account, day.day, steps, day.revision])
    return steps - (before?["steps"] ?? 0)
  }
}
