import ActivityContract
import GRDB
import Operations
import Storage

/// The step samples of all accounts, each with its split over local days as it was made when the sample came.
enum StepSamples {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "step samples") { database in
      try database.execute(
        sql: """
          -- A short number for each account keeps the keys of its many samples small.
          CREATE TABLE step_accounts (
            account_number INTEGER NOT NULL PRIMARY KEY,
            account_id BLOB NOT NULL UNIQUE CHECK (length(account_id) = 16)
          ) STRICT;
          CREATE TABLE step_sources (
            source_id INTEGER NOT NULL PRIMARY KEY,
            account_number INTEGER NOT NULL REFERENCES step_accounts,
            -- '' where the sample names none
            source TEXT NOT NULL,
            device TEXT NOT NULL,
            UNIQUE (account_number, source, device)
          ) STRICT;
          CREATE TABLE step_samples (
            account_number INTEGER NOT NULL REFERENCES step_accounts,
            sample_id TEXT NOT NULL,
            start_at INTEGER NOT NULL,
            end_at INTEGER NOT NULL CHECK (end_at >= start_at),
            steps INTEGER NOT NULL CHECK (steps >= 0),
            source_id INTEGER NOT NULL REFERENCES step_sources,
            day INTEGER NOT NULL,
            -- the steps of that day; those of later days are in step_sample_days
            day_steps INTEGER NOT NULL CHECK (day_steps BETWEEN 0 AND steps),
            PRIMARY KEY (account_number, sample_id)
          ) STRICT, WITHOUT ROWID;
          CREATE TABLE step_sample_days (
            account_number INTEGER NOT NULL,
            sample_id TEXT NOT NULL,
            day INTEGER NOT NULL,
            steps INTEGER NOT NULL CHECK (steps >= 0),
            PRIMARY KEY (account_number, sample_id, day),
            FOREIGN KEY (account_number, sample_id) REFERENCES step_samples ON DELETE CASCADE
          ) STRICT, WITHOUT ROWID;
          -- A day's total as it stood at the end of each local day on which it was changed; the highest revision is the present one.
          CREATE TABLE step_totals (
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            day INTEGER NOT NULL,
            recorded_day INTEGER NOT NULL,
            steps INTEGER NOT NULL CHECK (steps >= 0),
            revision INTEGER NOT NULL CHECK (revision >= 1),
            PRIMARY KEY (account_id, day, recorded_day)
          ) STRICT, WITHOUT ROWID;
          """)
    }
  }

  /// Keeps what is new of a batch, changes the days' totals and tells of them once.
  ///
  /// - Parameter recordedDay: the account's present local day.
  static func record(
    _ placed: [PlacedSample], of account: AccountID, recordedDay: LocalDay, _ transaction: Transaction
  ) throws -> RecordStepSamples.Output {
    let database = transaction.database
    let number = try accountNumber(of: account, in: database)
    var sources = StepSources(of: number, in: database)
    var changes = DayChanges()
    var output = RecordStepSamples.Output(accepted: 0, repeated: 0, rejected: [], days: [])
    let insertion = try SampleInsertion(of: number, in: database)
    for item in placed {
      let source = try sources.id(item.sample)
      if try insertion.insert(item, source: source) {
        output.accepted += 1
        changes.add(item.daySteps, on: item.day)
        for later in item.laterDays {
          try insertion.insert(later, of: item.sample)
          changes.add(later.steps, on: later.day)
        }
      } else if try isRepeated(item.sample, source: source, of: number, in: database) {
        output.repeated += 1
      } else {
        output.rejected.append(RejectedSample(index: item.index, id: item.sample.id, code: .conflict))
      }
    }
    let days = try StepTotals.add(changes.days, of: account, recordedDay: recordedDay, transaction)
    output.days = days.map { StepDay(day: $0.day, steps: $0.steps) }
    if !days.isEmpty { try transaction.tell(StepsChanged(accountID: account, recordedDay: recordedDay, days: days)) }
    return output
  }

  /// The account's number, given to it with its first batch.
  private static func accountNumber(of account: AccountID, in database: Database) throws -> Int64 {
    let search = try database.cachedStatement(sql: "SELECT account_number FROM step_accounts WHERE account_id = ?")
    if let found = try Int64.fetchOne(search, arguments: [account]) { return found }
    try database.cachedStatement(sql: "INSERT INTO step_accounts (account_id) VALUES (?)").execute(arguments: [account])
    return database.lastInsertedRowID
  }

  /// Whether the sample of that id that is there says the same.
  private static func isRepeated(_ sample: StepSample, source: Int64, of account: Int64, in database: Database) throws -> Bool {
    let statement = try database.cachedStatement(
      sql: """
        SELECT start_at = ? AND end_at = ? AND steps = ? AND source_id = ? FROM step_samples
        WHERE account_number = ? AND sample_id = ?
        """)
    return try Bool.fetchOne(
      statement, arguments: [sample.start, sample.end, sample.steps, source, account, sample.id]) ?? false
  }
}

/// Steps to be added to days. A batch's samples are mostly of the same day as the one before.
private struct DayChanges {
  private var steps: [LocalDay: Int] = [:]
  private var last: (day: LocalDay, steps: Int)?

  mutating func add(_ count: Int, on day: LocalDay) {
    if let last, last.day == day {
      self.last = (day, last.steps + count)
    } else {
      settle()
      last = (day, count)
    }
  }

  /// The days in order; those to which nothing was added are left out.
  var days: [(day: LocalDay, steps: Int)] {
    var all = self
    all.settle()
    return all.steps.filter { $0.value != 0 }.sorted { $0.key < $1.key }.map { (day: $0.key, steps: $0.value) }
  }

  private mutating func settle() {
    if let last { steps[last.day, default: 0] += last.steps }
    last = nil
  }
}
