import GRDB
import ImportFormats
import Operations
import Storage

extension ImportStore {
  /// Renames the samples of earlier imported totals to the present scheme: without their amounts, which grow from one export to the next.
  static func totalsMigration(_ number: Int) -> Migration {
    Migration(number, "names of imported totals") { database in
      // A sample and its pieces are renamed one after the other.
      try database.execute(sql: "PRAGMA defer_foreign_keys = ON")
      // Of several reports of the same total the largest comes first.
      let rows = try Row.fetchCursor(
        database,
        sql: """
          SELECT account_number, sample_id, source, start_at, end_at, amount, place, form
          FROM movement_samples JOIN movement_sources USING (account_number, source_number)
          WHERE source IN (\(ImportedTotals.sources.map { _ in "?" }.joined(separator: ", "))) AND is_hand_typed = 0 AND form < 2
          ORDER BY amount DESC
          """, arguments: StatementArguments(ImportedTotals.sources))
      var names: [(sample: Sample, name: String)] = []
      while let row = try rows.next() {
        let sample = Sample(account: row[0], id: row[1], amount: row[5], place: row[6])
        if let name = ImportedTotals.id(
          ofSample: sample.id, source: row[2], start: row[3], end: row[4], amount: sample.amount)
        {
          names.append((sample, name))
        }
      }
      for (sample, name) in names { try keep(sample, as: name, database) }
    }
  }

  private struct Sample {
    let account: Int64
    let id: String
    let amount: Int
    let place: Int64
  }

  private static func keep(_ sample: Sample, as name: String, _ database: Database) throws {
    let isThere = try Bool.fetchOne(
      database.cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM movement_samples WHERE account_number = ? AND sample_id = ?)"),
      arguments: [sample.account, name])
    guard isThere != true else { return try remove(sample, database) }
    for table in ["movement_sample_pieces", "movement_samples"] {
      try database.execute(
        sql: "UPDATE \(table) SET sample_id = ? WHERE account_number = ? AND sample_id = ?",
        arguments: [name, sample.account, sample.id])
    }
    try database.execute(
      sql: "UPDATE movement_samples SET version = ? WHERE account_number = ? AND sample_id = ?",
      arguments: [sample.amount, sample.account, name])
  }

  /// Removes an earlier, smaller report of a total; the days are counted again.
  private static func remove(_ sample: Sample, _ database: Database) throws {
    let kind = SampleKey.kind(sample.place).number
    try database.execute(
      sql: """
        INSERT OR IGNORE INTO movement_stale_days
        SELECT ?1, ?3, day FROM movement_sample_pieces WHERE account_number = ?1 AND sample_id = ?2
        UNION SELECT ?1, ?3, ?4
        """, arguments: [sample.account, sample.id, kind, SampleKey.day(sample.place)])
    try database.execute(
      sql: "DELETE FROM movement_samples WHERE account_number = ? AND sample_id = ?", arguments: [sample.account, sample.id])
  }
}
