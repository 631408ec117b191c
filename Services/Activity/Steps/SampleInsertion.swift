import ActivityContract
import GRDB
import Operations

/// The two insertions of a batch, prepared once.
struct SampleInsertion {
  private let account: AccountID
  private let database: Database
  private let sample: Statement
  private let laterDay: Statement

  init(of account: AccountID, in database: Database) throws {
    self.account = account
    self.database = database
    sample = try database.cachedStatement(
      sql: """
        INSERT INTO step_samples (account_id, sample_id, start_at, end_at, steps, source_id, day, day_steps)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
        """)
    laterDay = try database.cachedStatement(
      sql: "INSERT INTO step_sample_days (account_id, sample_id, day, steps) VALUES (?, ?, ?, ?)")
  }

  /// Keeps a sample with its first day.
  ///
  /// - Returns: whether it is new.
  func insert(_ item: PlacedSample, source: Int64) throws -> Bool {
    try sample.execute(arguments: [
      account, item.sample.id, item.sample.start, item.sample.end, item.sample.steps, source, item.day, item.daySteps,
    ])
    return database.changesCount > 0
  }

  /// Keeps one of a sample's later days.
  func insert(_ day: StepDay, of sample: StepSample) throws {
    try laterDay.execute(arguments: [account, sample.id, day.day, day.steps])
  }
}
