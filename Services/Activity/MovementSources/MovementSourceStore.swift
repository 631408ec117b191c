import ActivityContract
import GRDB
import Operations
import Storage

/// The programs and devices that measured for all accounts, and the order that each has chosen.
enum MovementSourceStore {
  /// The account's sources by priority.
  static func ordered(of account: Int64, in database: Database) throws -> [KnownSource] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT source_number, nullif(source, '') AS source, nullif(device, '') AS device, is_hand_typed, position
        FROM movement_sources WHERE account_number = ?
        """)
    let rows = try Row.fetchAll(statement, arguments: [account])
    return KnownSource.sorted(
      rows.map { row in
        KnownSource(
          number: row["source_number"],
          source: MovementSource(
            source: row["source"], device: row["device"], isHandTyped: row["is_hand_typed"] as Bool ? true : nil),
          position: row["position"])
      })
  }

  /// Chooses the order, and notes the days that are to be counted anew for it.
  ///
  /// - Throws: `invalid_fields` where the account has no such source.
  static func order(_ sources: [MovementSource], of account: Int64, in database: Database) throws {
    let known = Dictionary(uniqueKeysWithValues: try ordered(of: account, in: database).map { ($0.source, $0.number) })
    try database.run("UPDATE movement_sources SET position = NULL WHERE account_number = ?", .integer(account))
    var unknown: [FieldProblem] = []
    for (index, source) in sources.enumerated() {
      let wanted = MovementSource(
        source: source.source, device: source.device, isHandTyped: source.isHandTyped == true ? true : nil)
      guard let number = known[wanted] else {
        unknown.append(FieldProblem(field: "sources[\(index)]", OrderMovementSources.unknownSource))
        continue
      }
      try database.run(
        "UPDATE movement_sources SET position = ? WHERE account_number = ? AND source_number = ?", .number(index),
        .integer(account), .integer(number))
    }
    guard unknown.isEmpty else { throw Failure(RequestFailure.invalidFields, fields: unknown) }
    // The same time may lie in different days for different sources, where the account travelled in between.
    try database.run(
      """
      INSERT OR IGNORE INTO movement_stale_days
      SELECT DISTINCT one.account_number, one.kind, one.day
      FROM movement_day_sources AS one JOIN movement_day_sources AS other
        ON other.account_number = one.account_number AND other.kind = one.kind AND other.day BETWEEN one.day - 2 AND one.day + 2
        AND other.source_number <> one.source_number AND other.from_at < one.until_at AND other.until_at > one.from_at
      WHERE one.account_number = ?
      """, .integer(account))
  }
}
