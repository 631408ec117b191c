import ActivityContract
import GRDB
import Operations
import Storage

/// The programs and devices that measured for each account, and the order that the account chose.
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

  /// Sets the order; the affected days are marked as stale afterwards.
  ///
  /// - Throws: `invalid_fields` where the account has no such source.
  static func order(_ sources: [MovementSource], of account: MovementAccount, in database: Database) throws {
    let known = Dictionary(uniqueKeysWithValues: try ordered(of: account.number, in: database).map { ($0.source, $0.number) })
    try database.run("UPDATE movement_sources SET position = NULL WHERE account_number = ?", .integer(account.number))
    var unknown: [FieldProblem] = []
    for (index, source) in sources.enumerated() {
      let wanted = MovementSource(
        source: source.source, device: source.device, isHandTyped: source.isHandTyped == true ? true : nil)
      guard let number = known[wanted] else {
        unknown.append(FieldProblem(field: "sources[\(index)]", ReorderMovementSources.unknownSource))
        continue
      }
      try database.run(
        "UPDATE movement_sources SET position = ? WHERE account_number = ? AND source_number = ?", .number(index),
        .integer(account.number), .integer(number))
    }
    guard unknown.isEmpty else { throw Failure(RequestFailure.invalidFields, fields: unknown) }
    try MovementDayStore.noteReorder(of: account.id, in: database)
  }

  /// The number of a source; nil where the account has no such source.
  static func number(of source: MovementSource, _ account: Int64, in database: Database) throws -> Int64? {
    try database.first(
      """
      SELECT source_number FROM movement_sources
      WHERE account_number = ? AND source = ? AND device = ? AND is_hand_typed = ?
      """, .integer(account), .text(source.source ?? ""), .text(source.device ?? ""), .truth(source.isHandTyped == true)
    ) { Int64($0.number(0)) }
  }

  /// Stores a new source.
  ///
  /// - Returns: its number; nil where the account has reached the maximum number of sources.
  static func add(_ source: MovementSource, of account: Int64, in database: Database) throws -> Int64? {
    let (count, next) =
      try database.first(
        "SELECT count(*), ifnull(max(source_number), 0) + 1 FROM movement_sources WHERE account_number = ?", .integer(account)
      ) { ($0.number(0), Int64($0.number(1))) } ?? (0, 1)
    guard count < MovementSourceOrder.maxSources else { return nil }
    try database.run(
      """
      INSERT INTO movement_sources (account_number, source_number, source, device, is_hand_typed) VALUES (?, ?, ?, ?, ?)
      """, .integer(account), .integer(next), .text(source.source ?? ""), .text(source.device ?? ""),
      .truth(source.isHandTyped == true))
    return next
  }
}
