import ActivityContract
import GRDB
import Operations

/// The programs and devices that measured for an account, each kept once.
struct StepSources {
  private let account: Int64
  private let database: Database
  private var known: [Source: Int64] = [:]
  private var last: (source: Source, id: Int64)?

  private struct Source: Hashable {
    let source: String?
    let device: String?
  }

  init(of account: Int64, in database: Database) {
    self.account = account
    self.database = database
  }

  /// The number of a sample's source, which is kept if it is new.
  mutating func id(_ sample: StepSample) throws -> Int64 {
    let source = Source(source: sample.source, device: sample.device)
    if let last, last.source == source { return last.id }
    let id = try known[source] ?? findOrAdd(source)
    known[source] = id
    last = (source, id)
    return id
  }

  private func findOrAdd(_ source: Source) throws -> Int64 {
    let values: StatementArguments = [account, source.source ?? "", source.device ?? ""]
    let search = try database.cachedStatement(
      sql: "SELECT source_id FROM step_sources WHERE account_number = ? AND source = ? AND device = ?")
    if let found = try Int64.fetchOne(search, arguments: values) { return found }
    try database.cachedStatement(sql: "INSERT INTO step_sources (account_number, source, device) VALUES (?, ?, ?)")
      .execute(arguments: values)
    return database.lastInsertedRowID
  }
}
